"""Events appended to one day over ten shards: inserted in batches, beside two other ways.

Conditional puts replace nothing either, and take a call each; a batch write takes as few calls, and
replaces what is there. Rounds alternate, and the median round is what is reported. The speed is
that of a local engine which writes one item at a time, without a network.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import boto3

from tablewright.catalog.portal.events import ShardedEvents, event_key
from tablewright.model import Record
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.runtime.ids import uuid7
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.batches import insert_all, put_request, write_all
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.transport import Transport
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

ROUNDS = 5
EVENTS = 1000
TABLE = "bench"
# Far ahead, because the engine deletes what has expired.
_NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)


class Way(NamedTuple):
    """Events a second, and CPU of this process for a thousand of them in milliseconds."""

    name: str
    rate: float
    cpu: float


def run() -> list[Way]:
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(),
            **engine.credentials(),
        )
        create(client, ShardedEvents, TABLE, stream=False)
        dynamo = Boto3Client(client)

        def insert(items: Sequence[Item]) -> None:
            insert_all(Transport(dynamo), TABLE, items)

        def put(items: Sequence[Item]) -> None:
            in_parallel(lambda item: _put(dynamo, item), items)

        def replace(items: Sequence[Item]) -> None:
            write_all(Transport(dynamo), TABLE, [put_request(item) for item in items])

        ways = {"inserted": insert, "conditional puts": put, "batch writes": replace}
        return _measure(ways)


def _put(dynamo: Boto3Client, item: Item) -> None:
    absent = Expressions()
    params: dict[str, Any] = {"TableName": TABLE, "Item": item}
    params["ConditionExpression"] = absent.matches(ShardedEvents.__design__.pk, None)
    dynamo.call("PutItem", absent.into(params))


def _measure(ways: Mapping[str, Callable[[Sequence[Item]], None]]) -> list[Way]:
    (entity,) = ShardedEvents.__design__.entity_list
    records, numbers = Records(ShardedEvents.__design__, entity), count()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    # The first round is for the engine to get warm.
    for _ in range(ROUNDS + 1):
        for name, way in ways.items():
            items = [records.to_item(entity.check(_event(next(numbers)))) for _ in range(EVENTS)]
            wall, cpu = perf_counter(), process_time()
            way(items)
            taken[name].append((perf_counter() - wall, process_time() - cpu))
    return [
        Way(
            name,
            EVENTS / median(wall for wall, _ in rounds[1:]),
            1e6 / EVENTS * median(cpu for _, cpu in rounds[1:]),
        )
        for name, rounds in taken.items()
    ]


def _event(number: int) -> Record:
    (entity,) = ShardedEvents.__design__.entity_list
    id = uuid7(_NOON + timedelta(milliseconds=number))
    return {**entity.example, **event_key(id)}
