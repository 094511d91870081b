"""Work of one call: the store, and libraries of others, against a server that answers at once.

Everybody starts from Python's values and ends with them, with the same items and the same
condition; records of models are made beforehand. Only `boto3's client alone` is given and gives
DynamoDB's own form.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.chapter import Chapter, ratio, table
from benchmarks.chapters import peers
from benchmarks.chapters.items import OF_BATCH, TABLE, batch, sale
from benchmarks.counting import UNIT, counted, counts, tell
from benchmarks.servers.process import serving
from tablewright.catalog.sales.design import Sales
from tablewright.model import key_of
from toolchain.paths import ROOT

OPERATIONS = {"put": 20, "get": 20, "query of 100": 5, "batch of 25": 5}
CLIENT = "boto3's client and its serializers"
ALONE = "boto3's client alone"
RESOURCE = "boto3's resource"
BY_BOTO3 = "the store by boto3"
PLAIN = "the store, without orjson"
STORE = "the store"
SIDES = (CLIENT, ALONE, RESOURCE, *peers.SIDES, BY_BOTO3, PLAIN, STORE)
MISSING = "not installed"
_SAYS = f"""\
{UNIT} of one call on a warm connection, in all threads of the process, over those of \
{CLIENT}. \
A local server answers everybody at once and the same. All start from Python's values and end \
with them, with the same items, keys and condition; records of models are made beforehand. \
"{ALONE.capitalize()}" is spared that: it is given, and gives, DynamoDB's own form. PynamoDB and \
pydynox's client have int and float for numbers, all others decimals. Bundles of functions have \
orjson, which is loaded once that pays; "{STORE}" is with it."""

Work = dict[str, Callable[[], Any]]


def run() -> Chapter:
    with serving("benchmarks.servers.canned") as url:
        found = {side: _counts(side, url) for side in SIDES}
    base = found[CLIENT]
    assert base  # noqa: S101 # boto3 is one of our own packages

    def cells(costs: list[float] | None) -> list[str]:
        if costs is None:
            return [MISSING for _ in base]
        return [ratio(own / theirs) for own, theirs in zip(costs, base, strict=True)]

    rows = ([side, *cells(costs)] for side, costs in found.items())
    return Chapter(_SAYS, (table("1 is " + CLIENT, *OPERATIONS, rows=rows),))


def _counts(side: str, url: str) -> list[float] | None:
    python = peers.python(side) if side in peers.SIDES else Path(sys.executable)
    if python is None:
        return None
    command = (python, "-m", "benchmarks.chapters.calls", side, url)
    told = {**os.environ, "PYTHONPATH": str(ROOT), "AWS_EC2_METADATA_DISABLED": "true"}
    return counts(command, tuple(OPERATIONS.values()), told)


def _work(side: str, url: str) -> Work:
    if side == PLAIN:
        # As if it were not installed.
        sys.modules["orjson"] = None  # type: ignore[assignment]
    elif side == STORE:
        import orjson  # noqa: F401 # as after some hundred KB
    import boto3

    from tablewright.runtime.aws import connect
    from tablewright.runtime.boto3_client import Boto3Client

    session = boto3.session.Session("key", "secret", region_name="eu-west-1")
    if side == RESOURCE:
        return _by_resource(session.resource("dynamodb", endpoint_url=url).Table(TABLE))
    if side in (STORE, PLAIN):
        return _by_store(connect(session, "dynamodb", endpoint_url=url))
    client = session.client("dynamodb", endpoint_url=url)
    if side == BY_BOTO3:
        return _by_store(Boto3Client(client))
    return _by_client(client) if side == CLIENT else _by_client_alone(client)


def _by_store(caller: Any) -> Work:
    from tablewright.runtime.store.store import Store

    store = Store(Sales, TABLE, caller)
    records = [sale(number) for number in range(OF_BATCH)]
    one = records[0]
    key, where = key_of(one), {"tenant": one.tenant, "product_id": one.product_id}
    return {
        "put": lambda: store.put(Sales.put_sale, one),
        "get": lambda: store.get(Sales.get_sale, key),
        "query of 100": lambda: store.query(Sales.product_sales, where, limit=100),
        "batch of 25": lambda: store.put_many(Sales.put_sales, records),
    }


def _by_client(client: Any) -> Work:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

    to, back = TypeSerializer().serialize, TypeDeserializer().deserialize

    def wire(item: dict[str, Any]) -> dict[str, Any]:
        return {name: to(value) for name, value in item.items()}

    def python(item: dict[str, Any]) -> dict[str, Any]:
        return {name: back(value) for name, value in item.items()}

    return _of_client(client, batch(), wire, python)


def _by_client_alone(client: Any) -> Work:
    from boto3.dynamodb.types import TypeSerializer

    to = TypeSerializer().serialize
    items = [{name: to(value) for name, value in item.items()} for item in batch()]

    def same(item: dict[str, Any]) -> dict[str, Any]:
        return item

    return _of_client(client, items, same, same)


def _of_client(
    client: Any,
    items: list[dict[str, Any]],
    wire: Callable[[dict[str, Any]], dict[str, Any]],
    python: Callable[[dict[str, Any]], dict[str, Any]],
) -> Work:
    keys = {name: items[0][name] for name in ("PK", "SK")}
    begins = "SALE#" if isinstance(keys["PK"], str) else {"S": "SALE#"}

    def put() -> None:
        client.put_item(
            TableName=TABLE, Item=wire(items[0]), ConditionExpression="attribute_not_exists(PK)"
        )

    def query() -> list[dict[str, Any]]:
        found = client.query(
            TableName=TABLE,
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues=wire({":pk": keys["PK"], ":sk": begins}),
            Limit=100,
        )
        return [python(item) for item in found["Items"]]

    def write() -> None:
        requests = [{"PutRequest": {"Item": wire(item)}} for item in items]
        client.batch_write_item(RequestItems={TABLE: requests})

    return {
        "put": put,
        "get": lambda: python(client.get_item(TableName=TABLE, Key=wire(keys))["Item"]),
        "query of 100": query,
        "batch of 25": write,
    }


def _by_resource(table: Any) -> Work:
    items = batch()
    keys = {name: items[0][name] for name in ("PK", "SK")}

    def query() -> Any:
        return table.query(
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues={":pk": keys["PK"], ":sk": "SALE#"},
            Limit=100,
        )["Items"]

    def write() -> None:
        with table.batch_writer() as writer:
            for item in items:
                writer.put_item(Item=item)

    return {
        "put": lambda: table.put_item(
            Item=items[0], ConditionExpression="attribute_not_exists(PK)"
        ),
        "get": lambda: table.get_item(Key=keys)["Item"],
        "query of 100": query,
        "batch of 25": write,
    }


def main() -> None:
    side, url = sys.argv[1:]
    work = peers.work(side, url) if side in peers.SIDES else _work(side, url)
    for name, times in OPERATIONS.items():
        counted(work[name], times)
    tell()


if __name__ == "__main__":
    main()
