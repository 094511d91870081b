"""A session of AWS that knows what was asked of it: which actions, where, under which keys."""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import boto3

from local.dynamodb_local import DynamoDbLocal
from local.tables import create
from tablewright.designs import Table
from tablewright.designs.sentiment_items import ITEMS
from tablewright.runtime.dynamo import Dynamo
from tablewright.runtime.store import Store
from tests.integration.conftest import Database

# IAM knows operations on many things by the name of the operation on one.
ACTIONS = {"PublishBatch": "Publish"}
# Where the tests' own tables are.
HOME = "eu-west-1"
# An action and where it is done: a table, an index of it, a topic or a secret.
Call = tuple[str, str]


class Aws:
    """In place of a boto3 session: DynamoDB is the engine, everything else is canned.

    `home` is where the functions are, `away` where they write items. What is in `before` is done
    once, right before the next operation of that name.
    """

    def __init__(
        self,
        engine: DynamoDbLocal,
        database: Database,
        home: str,
        away: str,
        secrets: dict[str, str],
    ) -> None:
        self.region_name = home
        self._away = away
        self._secrets = secrets
        self.calls: set[Call] = set()
        self.keys: set[tuple[str, str, str]] = set()
        self.before: dict[str, Callable[[], Any]] = {}
        self._endpoint = engine.endpoint
        database.reusable &= (home, away) == (HOME, HOME)
        self._session = boto3.session.Session(region_name=home, **database._credentials)

    def client(self, service: str, **settings: Any) -> Any:
        client = self._plain(service, **settings)
        region = client.meta.region_name
        client.meta.events.register(
            "before-call.*.*", lambda model, params, **_: self._called(region, model, params)
        )
        return client

    def store(self, design: Table, table: str) -> Store:
        """A store that nobody watches, where the functions write."""
        region = self._away if design is ITEMS else self.region_name
        return Store(design, table, Dynamo(self._plain("dynamodb", region_name=region)))

    def create(self, design: Table, table: str) -> None:
        region = self._away if design is ITEMS else self.region_name
        create(self._plain("dynamodb", region_name=region), design, table)

    def _plain(self, service: str, **settings: Any) -> Any:
        if service == "dynamodb":
            settings["endpoint_url"] = self._endpoint
        return self._session.client(service, **settings)

    def _called(self, region: str, model: Any, params: dict[str, Any]) -> Any:
        service = model.service_model.signing_name
        if service == "dynamodb":
            for action, table, key in _requests(model.name, json.loads(params["body"])):
                place = table if region == self.region_name else f"{table} in {region}"
                self.calls.add((f"dynamodb:{action}", place))
                self.keys |= {(f"dynamodb:{action}", place, key)} if key is not None else set()
            self.before.pop(model.name, lambda: None)()
            return None
        self.calls.add((f"{service}:{ACTIONS.get(model.name, model.name)}", _place(params["body"])))
        return SimpleNamespace(status_code=200), self._canned(params["body"])

    def _canned(self, body: Any) -> dict[str, Any]:
        if isinstance(body, dict):
            return {"Successful": [], "Failed": []}
        asked = json.loads(body)["SecretId"]
        return {"SecretString": self._secrets[asked]}


def _requests(operation: str, params: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """What a request asks of tables and indexes: actions, places and leading keys."""
    if operation == "TransactWriteItems":
        for (action, one), *_ in (part.items() for part in params["TransactItems"]):
            yield from _requests(f"{action}Item", one)
    elif "RequestItems" in params:
        for table, asked in params["RequestItems"].items():
            for key in _batched(asked):
                yield operation, table, _leading(key)
    else:
        index = f"/{params['IndexName']}" if "IndexName" in params else ""
        item = params.get("Key") or params.get("Item")
        yield operation, params["TableName"] + index, _leading(item) if item else None


def _batched(asked: Any) -> list[dict[str, Any]]:
    if isinstance(asked, dict):
        return list(asked["Keys"])
    requests = [next(iter(one.values())) for one in asked]
    return [one.get("Item") or one["Key"] for one in requests]


def _leading(key: dict[str, Any]) -> str:
    # Rows of the dashboard have a source_id too, outside their key.
    return str((key.get("day_partition") or key["source_id"])["S"])


def _place(body: Any) -> str:
    """The topic or the secret that a request names."""
    return str(body["TopicArn"] if isinstance(body, dict) else json.loads(body)["SecretId"])
