"""A session of AWS that knows what was asked of it: which actions, where, under which keys."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest

from tablewright.model import Table
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create
from tests.integration.cloud import Cloud, Refused
from tests.integration.conftest import Database

# IAM knows operations on many things by the name of the operation on one, and some by another.
ACTIONS = {
    "BatchExecuteStatement": "PartiQLInsert",
    "HeadObject": "GetObject",
    "Invoke": "InvokeFunction",
    "ListObjectsV2": "ListBucket",
    "PublishBatch": "Publish",
    "SendMessageBatch": "SendMessage",
}
# Where the tests' own tables are.
HOME = "eu-west-1"
# An action and where it is done: a table, an index of it, an object of a bucket, a queue.
Call = tuple[str, str]


class Recorded:
    """What was called with some credentials, and with which leading keys."""

    def __init__(self) -> None:
        self.calls: set[Call] = set()
        self.keys: set[tuple[str, str, str]] = set()


class Aws(Recorded):
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
        super().__init__()
        self.region_name = home
        self.cloud = cloud
        self.sessions: dict[str, Recorded] = {}
        self.before: dict[str, Callable[[], Any]] = {}
        self._away = away or {}
        self._endpoint = engine.endpoint
        self._credentials = database._credentials
        database.reusable &= {home, *self._away.values()} == {HOME}
        self._session = boto3.session.Session(region_name=home, **self._credentials)
        self._partition_key = cache(self._described)

    def client(self, service: str, **settings: Any) -> Any:
        client = self._plain(service, **settings)
        region = client.meta.region_name

        def asked(model: Any, params: dict[str, Any], context: Any, **_: Any) -> None:
            context["asked"] = dict(params)
            # The engine has another database for each credentials, so it is not shown these.
            session = context.get("signing", {}).pop("request_credentials", None)
            made_by = self.sessions.setdefault(session.token, Recorded()) if session else self
            self._record(made_by, region, model, params)

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

    def _described(self, table: str, region: str) -> str:
        client = self._plain("dynamodb", region_name=region)
        first, *_ = client.describe_table(TableName=table)["Table"]["KeySchema"]
        return str(first["AttributeName"])

    def _record(self, made_by: Recorded, region: str, model: Any, params: dict[str, Any]) -> None:
        service = model.service_model.signing_name
        if service != "dynamodb":
            action = f"{service}:{ACTIONS.get(model.name, model.name)}"
            made_by.calls |= {(action, place) for place in _places(service, params)}
            if params.get("Tags") and service == "sts":
                made_by.calls.add(("sts:TagSession", params["RoleArn"]))
            return
        for action, table, index, leading in _requests(model.name, params):
            where = "" if region == self.region_name else f" in {region}"
            called = (f"dynamodb:{action}", f"{table}{index}{where}")
            made_by.calls.add(called)
            key = leading and leading(self._partition_key(table, region))
            made_by.keys |= {(*called, key)} if key else set()

    def _answer(self, model: Any, context: Any, **_: Any) -> Any:
        service, params = model.service_model.signing_name, context["asked"]
        if service == "dynamodb":
            self.before.pop(model.name, lambda: None)()
            return None
        try:
            return SimpleNamespace(status_code=200), self.cloud.call(model.name, params)
        except Refused as refused:
            if service == "s3" and refused.status == 404:
                # To whoever may not list the bucket, S3 says that what is missing is forbidden.
                self.calls.add(("s3:ListBucket", params["Bucket"]))
            return SimpleNamespace(status_code=refused.status), refused.response


Leading = Callable[[str], str]


def _requests(
    operation: str, params: dict[str, Any]
) -> Iterator[tuple[str, str, str, Leading | None]]:
    """What a request asks of tables and indexes: actions, and what finds the leading keys."""
    if operation == "TransactWriteItems":
        for (action, one), *_ in (part.items() for part in params["TransactItems"]):
            yield from _requests(f"{action}Item", one)
    elif operation == "BatchExecuteStatement":
        for one in params["Statements"]:
            (table,) = re.findall(r'INSERT INTO "([^"]+)"', one["Statement"])
            yield ACTIONS[operation], table, "", None
    elif "RequestItems" in params:
        for table, asked in params["RequestItems"].items():
            for item in _batched(asked):
                yield operation, table, "", _attribute(item)
    elif "KeyConditionExpression" in params:
        index = f"/{params['IndexName']}" if "IndexName" in params else ""
        yield operation, params["TableName"], index, _condition(params)
    elif operation == "Scan":
        yield operation, params["TableName"], "", None
    else:
        yield operation, params["TableName"], "", _attribute(params.get("Key") or params["Item"])


def _batched(asked: Any) -> list[dict[str, Any]]:
    if isinstance(asked, dict):
        return list(asked["Keys"])
    requests = [next(iter(one.values())) for one in asked]
    return [one.get("Item") or one["Key"] for one in requests]


def _attribute(item: dict[str, Any]) -> Leading:
    return lambda name: str(item[name]["S"])


def _condition(params: dict[str, Any]) -> Leading:
    """The partition key is what a query's condition has equal, whatever its name in an index."""
    (alias, *_) = re.findall(r"#\w+ = (:\w+)", params["KeyConditionExpression"])
    return lambda _: str(params["ExpressionAttributeValues"][alias]["S"])


def _places(service: str, params: dict[str, Any]) -> list[str]:
    """What a request names: a queue, a topic, a function, a secret, a role, buses, an object."""
    if service == "s3":
        return ["/".join(params[name] for name in ("Bucket", "Key") if name in params)]
    if service == "events":
        return [entry["EventBusName"] for entry in params["Entries"]]
    names = ("QueueUrl", "TopicArn", "FunctionName", "SecretId", "Name", "RoleArn")
    return [next(params[name] for name in (*names, "FromEmailAddress") if name in params)]


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
