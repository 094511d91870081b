"""Database: one on a local engine, with tables made from their designs."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from secrets import token_bytes
from time import sleep
from typing import Any, TypedDict, Unpack

import boto3

from tablewright.model import Table
from tablewright.runtime.boto3_client import client_config
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.batches import delete_request, put_request, write_all
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Timeouts
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials as Keys
from tablewright.testing.dynamodb_local import Credentials, DynamoDbLocal
from tablewright.testing.tables import creation

REGION = "eu-west-1"

# Of an engine that may be busy with others.
_TIMEOUTS = Timeouts(2, 15)
# One that is slow to make a table must not be asked again: the table would be there.
_PATIENT = Timeouts(2, 60)
_POLL_SECONDS = 0.1


class StoreSettings(TypedDict, total=False):
    """Settings of a store: see `Store`."""

    cursors: Cursors | None
    epochs: EpochCache | None
    secrets: Secrets | None
    now: Callable[[], datetime]


class Database:
    """A database on a local engine, empty at first.

    Where a method takes a `table`, that is a design or the name of a table; without it, the only
    one that there is. Items are as boto3's client has them. `caller` is what stores make their
    calls with, `settings` what they are made with unless they are told otherwise.

    Example::

        def test_an_order_is_there_once_it_was_placed(dynamodb: Database) -> None:
            store = dynamodb.store(Orders)
            store.put(Orders.place, order)
            assert store.get(Orders.order, key_of(order)) == order
    """

    def __init__(self, engine: DynamoDbLocal, credentials: Credentials | None = None) -> None:
        self._endpoint = engine.endpoint
        self._credentials = credentials or engine.credentials()
        self._names: dict[type[Table], str] = {}
        self._made: set[str] = set()
        keys = Keys(
            self._credentials["aws_access_key_id"], self._credentials["aws_secret_access_key"]
        )
        self._wire = partial(WireClient, SERVICES["dynamodb"], self._endpoint, REGION, lambda: keys)
        self.caller = self._wire(timeouts=_TIMEOUTS)
        self.settings = StoreSettings(cursors=Cursors(KeyRing([token_bytes(32)])))
        # False for one that was used in other regions too, or has had a stream.
        self.reusable = True

    def table(self, design: type[Table], name: str | None = None, *, stream: bool = False) -> str:
        """The name of a design's table, which is made when it is first asked for.

        It is the design's id unless a name is given. With `stream` the table has the stream that
        the design says, for a test that reads its `changes`.
        """
        name = name or self._names.get(design, design.__design__.id)
        if name not in self._made:
            # What was streamed stays in the database when the table goes.
            self.reusable &= not stream
            self._create(creation(design, name, stream=stream))
            self._made.add(name)
        self._names.setdefault(design, name)
        return name

    def store(
        self,
        design: type[Table],
        client: Any = None,
        *,
        table: str | None = None,
        **settings: Unpack[StoreSettings],
    ) -> Store:
        """A store over a design's table, or over the `table` of this name.

        It makes its calls with `client`, if that is given: whatever `Store` takes.
        """
        merged: StoreSettings = {**self.settings, **settings}
        return Store(design, table or self.table(design), client or self.caller, **merged)

    def client(self, **config: Any) -> Any:
        """A client of boto3, for this database; `config` is for botocore's Config."""
        return self._client("dynamodb", config=client_config(**config))

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which a program finds the database.

        Example::

            subprocess.run(["shop"], env={**os.environ, **dynamodb.environment}, check=True)
        """
        return {
            "AWS_ENDPOINT_URL_DYNAMODB": self._endpoint,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": self._credentials["aws_access_key_id"],
            "AWS_SECRET_ACCESS_KEY": self._credentials["aws_secret_access_key"],
        }

    def items(self, table: type[Table] | str | None = None) -> list[dict[str, Any]]:
        """Everything that is stored in a table, in one order."""
        return sorted(self._scan(self._name(table)), key=repr)

    def write(self, items: list[dict[str, Any]], table: type[Table] | str | None = None) -> None:
        """Store items, replacing what is there."""
        self._write([put_request(item) for item in items], self._name(table))

    def empty(
        self,
        table: type[Table] | str | None = None,
        *,
        of: Callable[[dict[str, Any]], bool] = lambda item: True,
    ) -> None:
        """Remove everything that is stored, or such items only, and keep the table."""
        name = self._name(table)
        if items := [item for item in self._scan(name) if of(item)]:
            described = self.caller.call("DescribeTable", {"TableName": name})["Table"]
            names = [one["AttributeName"] for one in described["KeySchema"]]
            gone = [{name: item[name] for name in names} for item in items]
            self._write([delete_request(key) for key in gone], name)

    def changes(self, table: type[Table] | str | None = None) -> list[dict[str, Any]]:
        """All records of a table's stream so far, shard by shard, as boto3's client has them."""
        name = self._name(table)
        arn = self.client().describe_table(TableName=name)["Table"].get("LatestStreamArn")
        if arn is None:
            raise ValueError(
                f"'{name}' has no stream: make it with table(…, stream=True), of a design that has "
                "one"
            )
        client = self._client("dynamodbstreams")
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
        """Remove all tables."""
        for name in self._tables():
            self.caller.call("DeleteTable", {"TableName": name})
        self._names.clear()
        self._made.clear()

    def _client(self, service: str, **settings: Any) -> Any:
        return boto3.client(
            service,
            endpoint_url=self._endpoint,
            region_name=REGION,
            **self._credentials,
            **settings,
        )

    def _create(self, asked: dict[str, Any]) -> None:
        with closing(self._wire(timeouts=_PATIENT)) as patient:
            table = patient.call("CreateTable", asked)["TableDescription"]
            while table["TableStatus"] != "ACTIVE":
                sleep(_POLL_SECONDS)
                table = patient.call("DescribeTable", {"TableName": asked["TableName"]})["Table"]

    def _tables(self) -> list[str]:
        return list(self.caller.call("ListTables", {})["TableNames"])

    def _name(self, table: type[Table] | str | None) -> str:
        if isinstance(table, str):
            return table
        if table is not None:
            return self._names.get(table, table.__design__.id)
        there = self._tables()
        if len(there) != 1:
            raise ValueError(f"say which table: there are {', '.join(there) or 'none'}")
        return there[0]

    def _scan(self, name: str) -> Iterator[dict[str, Any]]:
        asked: dict[str, Any] = {"TableName": name, "ConsistentRead": True}
        while True:
            page = self.caller.call("Scan", asked)
            yield from map(_with_bytes, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _write(self, requests: list[dict[str, Any]], name: str) -> None:
        write_all(Transport(self.caller), name, requests)


class Databases:
    """The databases of an engine. One that was given back is emptied and lent again: the engine
    grows slow with every one that it has had.

    Example::

        @pytest.fixture(scope="session")
        def catalogue(dynamodb_databases: Databases) -> Iterator[Database]:
            with dynamodb_databases.lent() as database:
                fill(database.store(Products))
                yield database
    """

    def __init__(self, engine: DynamoDbLocal) -> None:
        self._engine = engine
        self._spare: list[Credentials] = []

    @contextmanager
    def lent(self) -> Iterator[Database]:
        """A database that is empty, and nobody else's until the block ends."""
        database = Database(self._engine, self._spare.pop() if self._spare else None)
        yield database
        if database.reusable:
            database.clear()
            self._spare.append(database._credentials)


def _with_bytes(parsed: Any) -> Any:
    """What is stored, with binary values as such: over the wire they are base64."""
    if isinstance(parsed, list):
        return [_with_bytes(one) for one in parsed]
    if not isinstance(parsed, dict):
        return parsed
    if isinstance(parsed.get("B"), str) and len(parsed) == 1:
        return {"B": b64decode(parsed["B"])}
    return {name: _with_bytes(one) for name, one in parsed.items()}
