"""What encryption adds to a call of the store: CPU, beside the same call with nothing encrypted."""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import boto3

from tablewright.catalog.sentiment.items import Item, Items
from tablewright.model import key_of
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

ROUNDS, CALLS, VALUES = 9, 100, 2000
RING = Ring("items", {b"key1": b"k" * 32}, b"key1", b"d" * 32)


def run() -> tuple[list[tuple[str, float]], dict[str, float]]:
    """Of each call on an item with two secret fields, its CPU over that in clear; and microseconds
    for each value here."""
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(),
            **engine.credentials(),
        )
        sides = []
        for name, secrets in (("encrypted", Secrets(RING)), ("clear", Secrets.in_clear())):
            create(client, Items, name)
            sides.append(_calls(Store(Items, name, Boto3Client(client), secrets=secrets)))
        found = []
        for what, encrypted in sides[0].items():
            rounds = [(_cpu(encrypted), _cpu(sides[1][what])) for _ in range(ROUNDS)]
            found.append((what, median(one / other for one, other in rounds)))
    return found, _values()


def _calls(store: Store) -> dict[str, Callable[[], Any]]:
    item = _item()
    store.put(Items.put_item, item)
    numbers = iter(range(10**9))

    def put() -> None:
        store.put(Items.put_item, _item(next(numbers)))

    return {"put": put, "get": lambda: store.get(Items.get_item, key_of(item))}


def _values() -> dict[str, float]:
    records = Records(Items.__design__, Item.__entity__, secrets=Secrets(RING))
    clear = records.clear_item(_item())
    stored = records.encrypted(clear)
    times: dict[str, float] = {}
    works: dict[str, Callable[[], Any]] = {
        "encrypted": lambda: records.encrypted(clear),
        "decrypted": lambda: records.decrypted(stored),
    }
    for what, work in works.items():
        start = process_time()
        for _ in range(VALUES):
            work()
        # An item has two of them.
        times[what] = (process_time() - start) / VALUES / 2 * 1e6
    return times


def _item(number: int = -1) -> Item:
    own = {"source_id": f"newsapi#bench{number}"} if number >= 0 else {}
    return Item(**{**Item.__entity__.example, **own})


def _cpu(call: Callable[[], Any]) -> float:
    start = process_time()
    for _ in range(CALLS):
        call()
    return process_time() - start
