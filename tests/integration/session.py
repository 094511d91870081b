"""A session of AWS that knows what was asked of it: which actions, where, under which keys."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest

from tablewright.model import Table
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.privileges.recorder import Recorder, partition_keys
from tablewright.testing.tables import create
from tests.integration.cloud import Cloud, Refused

# Where the tests' own tables are.
HOME = "eu-west-1"


class Aws(Recorder):
    """In place of a boto3 session: DynamoDB is the engine, everything else is the `cloud`.

    `home` is where the functions are, `away` has the regions of designs that are written
    elsewhere. What is in `before` is done once, right before the next operation of that name.
    `sessions` has what was called in sessions of an assumed role, by their tags: ``tenant=acme``.
    """

    def __init__(
        self,
        engine: DynamoDbLocal,
        database: Database,
        cloud: Cloud,
        home: str = HOME,
        away: Mapping[type[Table], str] | None = None,
    ) -> None:
        super().__init__(home)
        self.region_name = home
        self.cloud = cloud
        self.before: dict[str, Callable[[], Any]] = {}
        self._away = away or {}
        self._endpoint = engine.endpoint
        self._credentials = database._credentials
        database.reusable &= {home, *self._away.values()} == {HOME}
        self._session = boto3.session.Session(region_name=home, **self._credentials)

    def client(self, service: str, **settings: Any) -> Any:
        client = self._plain(service, **settings)
        region = client.meta.region_name

        def asked(model: Any, params: dict[str, Any], context: Any, **_: Any) -> None:
            context["asked"] = dict(params)
            # The engine has another database for each credentials, so it is not shown these.
            signer = context.get("signing", {}).pop("request_credentials", None)
            token = signer.token if signer else None
            service = model.service_model.signing_name
            self.note(service, model.name, params, region, partial(self._keys_of, region), token)

        # A request that is only signed comes here too: whoever sends it does so in our name.
        client.meta.events.register("before-parameter-build.*.*", asked)
        client.meta.events.register("before-call.*.*", self._answer)
        return client

    def store(self, design: type[Table], table: str) -> Store:
        """A store that nobody watches, where the functions write."""
        secrets = Secrets.in_clear()
        return Store(design, table, Boto3Client(self._engine(design)), secrets=secrets)

    def create(self, design: type[Table], table: str) -> None:
        create(self._engine(design), design, table)

    def _engine(self, design: type[Table]) -> Any:
        return self._plain("dynamodb", region_name=self._away.get(design, self.region_name))

    def _plain(self, service: str, **settings: Any) -> Any:
        if service == "dynamodb":
            # With whatever credentials: the engine has another database for each.
            settings |= {"endpoint_url": self._endpoint, **self._credentials}
        return self._session.client(service, **settings)

    def _keys_of(self, region: str, table: str) -> Mapping[str | None, str]:
        client = self._plain("dynamodb", region_name=region)
        return partition_keys(client.describe_table(TableName=table))

    def _answer(self, model: Any, context: Any, **_: Any) -> Any:
        service, params = model.service_model.signing_name, context["asked"]
        if service == "dynamodb":
            self.before.pop(model.name, lambda: None)()
            return None
        try:
            answer = self.cloud.call(model.name, params)
            if model.name == "AssumeRole":
                self.note_session(params, answer)
            return _response(200), answer
        except Refused as refused:
            if service == "s3" and refused.status == 404:
                # To whoever may not list the bucket, S3 says that what is missing is forbidden.
                self.calls.add(("s3:ListBucket", params["Bucket"]))
            return _response(refused.status), refused.response


def start(
    monkeypatch: pytest.MonkeyPatch,
    aws: Aws,
    told: Mapping[str, str],
    names: Mapping[str, str],
    *modules: ModuleType,
) -> None:
    """Have modules begin as in a function that is told this, but for what has other names here."""
    for name, value in told.items():
        monkeypatch.setenv(name, names.get(name, value))
    monkeypatch.setattr(boto3.session, "Session", lambda: aws)
    # What was made before, in another test, is not there in a new environment.
    for module in modules:
        for name, made in vars(module).copy().items():
            if hasattr(made, "cache_clear") and made.__module__ == module.__name__:
                monkeypatch.setattr(module, name, cache(made.__wrapped__))


def _response(status: int) -> SimpleNamespace:
    """The parts of botocore's AWSResponse that handlers of its events read."""
    return SimpleNamespace(status_code=status, headers={}, content=b"")
