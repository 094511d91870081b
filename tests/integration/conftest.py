"""DynamoDB Local: each test gets a database of its own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest

from local.dynamodb_local import DynamoDbLocal
from local.tables import create
from tablewright.designs import Table
from tablewright.runtime.bulk import put_request, write_all
from tablewright.runtime.cursor import Cursors, KeyRing
from tablewright.runtime.dynamo import Dynamo, client_config
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store import Store

KEYS = KeyRing([b"integration-tests-cursor-signing-key"])


# An engine grows slow with every database that it has had.
MOST_DATABASES = 80


class Engines:
    """The engine in use, replaced by a new one when it has had its day."""

    def __init__(self) -> None:
        self._engine: DynamoDbLocal | None = None

    def current(self) -> DynamoDbLocal:
        if self._engine and self._engine.databases > MOST_DATABASES:
            self.close()
        self._engine = self._engine or DynamoDbLocal()
        return self._engine

    def close(self) -> None:
        if self._engine:
            self._engine.close()
            self._engine = None


@pytest.fixture(scope="session")
def engines() -> Iterator[Engines]:
    engines = Engines()
    yield engines
    engines.close()


@pytest.fixture(scope="module")
def dynamodb_local(engines: Engines) -> DynamoDbLocal:
    """The same for all tests of a file, and for many files."""
    return engines.current()


class Database:
    """An empty database on the engine."""

    def __init__(self, engine: DynamoDbLocal) -> None:
        self._endpoint = engine.endpoint
        self._credentials = engine.credentials()

    def client(self, **config: Any) -> Any:
        return boto3.client(
            "dynamodb",
            endpoint_url=self._endpoint,
            region_name="eu-west-1",
            config=client_config(**config),
            **self._credentials,
        )

    def streams(self) -> Any:
        return boto3.client(
            "dynamodbstreams",
            endpoint_url=self._endpoint,
            region_name="eu-west-1",
            **self._credentials,
        )

    def create(self, design: Table, name: str = "table") -> str:
        return create(self.client(), design, name)

    def store(self, design: Table, caller: Any = None, **settings: Any) -> Store:
        """A store over the design's table, by default on a plain connection."""
        settings = {"cursors": Cursors(lambda: KEYS), **settings}
        return Store(design, "table", caller or Dynamo(self.client()), **settings)

    def write(self, items: list[dict[str, Any]], table: str = "table") -> None:
        """Store items in wire form, replacing what is there."""
        requests = [put_request(item) for item in items]
        with ThreadPoolExecutor(4) as executor:
            write_all(Dynamo(self.client()), executor, table, requests, Backoff())

    def items(self, table: str = "table") -> list[dict[str, Any]]:
        """Everything that is stored, in one order."""
        pages = self.client().get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        items = [item for page in pages for item in page["Items"]]
        return sorted(items, key=repr)


@pytest.fixture
def database(dynamodb_local: DynamoDbLocal) -> Database:
    return Database(dynamodb_local)
