"""CPU of one call of the store, beside a bare boto3 client doing the same work.

Only this process's CPU counts, so the engine behind it does not matter; rounds alternate, so that a
noisy moment hits both sides alike, and the median round is what is reported.
"""

from collections.abc import Callable
from decimal import Decimal
from statistics import median
from time import process_time
from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.config import Config

from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import key_of
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.store import Store
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

ROUNDS = 9
TABLE = "bench"


def sale(number: int) -> Sale:
    own = {"sale_id": f"s{number:04}", "sale_price": Decimal(number)}
    return Sale(**{**Sale.__entity__.example, **own})


def run() -> list[tuple[str, float, float]]:
    """For each kind of call: the store's CPU over a bare client's, and over a client's that also
    turns items into Python values and back, as the store does."""
    with DynamoDbLocal() as engine:
        where: dict[str, Any] = {
            "endpoint_url": engine.endpoint,
            "region_name": "eu-west-1",
            **engine.credentials(),
        }
        client = boto3.client("dynamodb", config=Config(max_pool_connections=24), **where)
        store_client = boto3.client("dynamodb", config=client_config(), **where)
        create(client, Sales, TABLE)
        cursors = Cursors(KeyRing([b"b" * 32]))
        store = Store(Sales, TABLE, Boto3Client(store_client), cursors=cursors)
        return [_compare(name, *sides, calls=calls) for name, calls, sides in _cases(client, store)]


Side = Callable[[], Any]


def _cases(client: Any, store: Store) -> list[tuple[str, int, tuple[Side, Side, Side]]]:
    batch = [sale(number) for number in range(100)]
    store.put_many(Sales.put_sales, batch)
    one, first = sale(0), batch[:25]
    key = key_of(one)
    where = {"tenant": one["tenant"], "product_id": one["product_id"]}
    serialize, deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize

    def wire(record: Sale) -> dict[str, Any]:
        attributes = Sales.__design__.attributes(Sale.__entity__, record)
        return {name: serialize(value) for name, value in attributes.items()}

    def python(item: dict[str, Any]) -> dict[str, Any]:
        return {name: deserialize(v) for name, v in item.items()}

    item, items = wire(one), [wire(record) for record in first]
    item_key = {name: item[name] for name in ("PK", "SK")}
    query = {
        "TableName": TABLE,
        "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)",
        "ExpressionAttributeValues": {":pk": item["PK"], ":sk": {"S": "SALE#"}},
        "Limit": 100,
    }

    def requests(items: list[Any]) -> dict[str, Any]:
        return {"RequestItems": {TABLE: [{"PutRequest": {"Item": item}} for item in items]}}

    numbers = iter(range(1000, 10**9))

    def fresh() -> Sale:
        return Sale(**{**one, "product_id": "another", "sale_id": f"n{next(numbers)}"})

    def bare_put(item: dict[str, Any]) -> None:
        client.put_item(TableName=TABLE, Item=item, ConditionExpression="attribute_not_exists(PK)")

    another = wire(fresh())

    def bare_item() -> dict[str, Any]:
        return {**another, "SK": {"S": f"SALE#2025-12-29#n{next(numbers)}"}}

    return [
        ("put", 150, (
            lambda: store.put(Sales.put_sale, fresh()),
            lambda: bare_put(bare_item()),
            lambda: bare_put(wire(fresh())))),
        ("get", 150, (
            lambda: store.get(Sales.get_sale, key),
            lambda: client.get_item(TableName=TABLE, Key=item_key),
            lambda: python(client.get_item(TableName=TABLE, Key=item_key)["Item"]))),
        ("query of 100", 30, (
            lambda: store.query(Sales.product_sales, where, limit=100),
            lambda: client.query(**query),
            lambda: [python(found) for found in client.query(**query)["Items"]])),
        ("batch of 25", 30, (
            lambda: store.put_many(Sales.put_sales, first),
            lambda: client.batch_write_item(**requests(items)),
            lambda: client.batch_write_item(**requests([wire(record) for record in first])))),
    ]  # fmt: skip


def _compare(
    name: str, ours: Side, bare: Side, same_work: Side, *, calls: int
) -> tuple[str, float, float]:
    rounds = [[_cpu(side, calls) for side in (ours, bare, same_work)] for _ in range(ROUNDS)]
    over_bare = median(mine / theirs for mine, theirs, _ in rounds)
    over_same = median(mine / theirs for mine, _, theirs in rounds)
    return name, over_bare, over_same


def _cpu(side: Side, calls: int) -> float:
    start = process_time()
    for _ in range(calls):
        side()
    return process_time() - start
