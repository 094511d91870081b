"""One DynamoDB Local for the whole run; each test gets an empty database."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from tablewright.model import Table
from tablewright.runtime.boto3_client import client_config
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.batches import delete_request, put_request, write_all
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Timeouts
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials as Keys
from tablewright.testing.dynamodb_local import Credentials, DynamoDbLocal
from tablewright.testing.tables import create

REGION = "eu-west-1"
# On which nothing that tests store has expired, whenever they run.
TODAY = datetime(2026, 11, 17, tzinfo=UTC)
KEYS = KeyRing([b"integration-tests-cursor-signing-key"])
# Of a fixed time: two that are asked for alike are alike.
CURSORS = Cursors(KEYS, clock=lambda: 0.0)


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[DynamoDbLocal]:
    with DynamoDbLocal() as engine:
        yield engine


@pytest.fixture(scope="session")
def spare() -> list[Credentials]:
    """Of databases that are empty again: an engine grows slow with every one that it has had."""
    return []


def over_the_wire(engine: DynamoDbLocal, credentials: Credentials) -> WireClient:
    """A client of a database of the engine, which may be busy with others."""
    keys = Keys(credentials["aws_access_key_id"], credentials["aws_secret_access_key"])
    dynamodb = SERVICES["dynamodb"]
    timeouts = Timeouts(2, 15)
    return WireClient(dynamodb, engine.endpoint, REGION, lambda: keys, timeouts=timeouts)


class Database:
    """An empty database on the engine."""

    def __init__(self, engine: DynamoDbLocal, credentials: Credentials | None = None) -> None:
        self._endpoint = engine.endpoint
        self._credentials = credentials or engine.credentials()
        self.dynamo = over_the_wire(engine, self._credentials)
        # False for one that was used in other regions too, or has had a stream.
        self.reusable = True

    def client(self, **config: Any) -> Any:
        return boto3.client(
            "dynamodb",
            endpoint_url=self._endpoint,
            region_name=REGION,
            config=client_config(**config),
            **self._credentials,
        )

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which a program finds the database."""
        return {
            "AWS_ENDPOINT_URL_DYNAMODB": self._endpoint,
            "AWS_ACCESS_KEY_ID": self._credentials["aws_access_key_id"],
            "AWS_SECRET_ACCESS_KEY": self._credentials["aws_secret_access_key"],
        }

    def streams(self) -> Any:
        return boto3.client(
            "dynamodbstreams",
            endpoint_url=self._endpoint,
            region_name=REGION,
            **self._credentials,
        )

    def changes(self, table: str = "table") -> list[dict[str, Any]]:
        """All records of the table's stream so far, shard by shard."""
        arn = self.client().describe_table(TableName=table)["Table"]["LatestStreamArn"]
        client = self.streams()
        records: list[dict[str, Any]] = []
        for shard in client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = client.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            while iterator:
                page = client.get_records(ShardIterator=iterator)
                records += page["Records"]
                iterator = page.get("NextShardIterator") if page["Records"] else None
        return records

    def clear(self) -> None:
        for name in self.dynamo.call("ListTables", {})["TableNames"]:
            self.dynamo.call("DeleteTable", {"TableName": name})

    def empty(
        self, table: str = "table", *, of: Callable[[dict[str, Any]], bool] = lambda item: True
    ) -> None:
        """Remove everything that is stored, or such items only, and keep the table."""
        described = self.dynamo.call("DescribeTable", {"TableName": table})["Table"]
        names = [one["AttributeName"] for one in described["KeySchema"]]
        gone = [{name: item[name] for name in names} for item in self._scan(table) if of(item)]
        self._write([delete_request(key) for key in gone], table)

    def create(self, design: type[Table], name: str = "table", *, stream: bool = False) -> str:
        """The design's table; with `stream`, for a test that reads its changes."""
        # What was streamed stays in the database when the table goes.
        self.reusable &= not stream
        # An engine that is slow to answer must not be asked again: the table would be there.
        return create(self.client(read_timeout=60), design, name, stream=stream)

    def store(self, design: type[Table], caller: Any = None, **settings: Any) -> Store:
        """A store over the design's table, by default on a plain connection, of a fixed day."""
        settings = {"cursors": CURSORS, "now": lambda: TODAY, **settings}
        return Store(design, "table", caller or self.dynamo, **settings)

    def write(self, items: list[dict[str, Any]], table: str = "table") -> None:
        """Store items in wire form, replacing what is there."""
        self._write([put_request(item) for item in items], table)

    def items(self, table: str = "table") -> list[dict[str, Any]]:
        """Everything that is stored, in one order."""
        return sorted(self._scan(table), key=repr)

    def _scan(self, table: str) -> Iterator[dict[str, Any]]:
        asked: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            page = self.dynamo.call("Scan", asked)
            yield from map(_with_bytes, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _write(self, requests: list[dict[str, Any]], table: str) -> None:
        write_all(Transport(self.dynamo), table, requests)


@pytest.fixture
def database(dynamodb_local: DynamoDbLocal, spare: list[Credentials]) -> Iterator[Database]:
    yield from _lent(dynamodb_local, spare)


@pytest.fixture(scope="module")
def module_database(dynamodb_local: DynamoDbLocal, spare: list[Credentials]) -> Iterator[Database]:
    """One for all tests of a module that only read, or that put back what they change."""
    yield from _lent(dynamodb_local, spare)


def _lent(engine: DynamoDbLocal, spare: list[Credentials]) -> Iterator[Database]:
    database = Database(engine, spare.pop() if spare else None)
    yield database
    if database.reusable:
        database.clear()
        spare.append(database._credentials)


def _with_bytes(parsed: Any) -> Any:
    """What is stored, with binary values as such: over the wire they are base64."""
    if isinstance(parsed, list):
        return [_with_bytes(one) for one in parsed]
    if not isinstance(parsed, dict):
        return parsed
    if isinstance(parsed.get("B"), str) and len(parsed) == 1:
        return {"B": b64decode(parsed["B"])}
    return {name: _with_bytes(one) for name, one in parsed.items()}
