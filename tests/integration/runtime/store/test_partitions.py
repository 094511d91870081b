"""Lists that go on from partition to partition, over fields of any type."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    BatchPut,
    Date,
    Entity,
    Field,
    Flag,
    Index,
    InvalidRecord,
    Key,
    Money,
    Number,
    Put,
    Query,
    Shards,
    Table,
    Text,
    Whole,
)
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Task(Entity, key=Key("PRIORITY#{priority}", "{number}")):
    priority: Field[int] = Whole(digits=2)
    number: Field[int] = Whole(digits=3)
    done: Field[bool] = Flag()
    day: Field[date] = Date()
    price: Field[Decimal] = Money()
    weight: Field[Decimal] = Number()
    owner: Field[str] = Text()


class Tasks(Table, pk="PK", sk="SK"):
    by_done = Index(
        pk="DPK",
        sk="DSK",
        keys={Task: Key("DONE#{done}#{shard}", "{number}", shards=Shards(3, by="owner"))},
    )
    by_day = Index(pk="YPK", sk="YSK", keys={Task: Key("DAY#{day}", "{number}")})
    by_price = Index(pk="MPK", sk="MSK", keys={Task: Key("PRICE#{price}", "{number}")})
    by_weight = Index(pk="weight", sk="WSK", keys={Task: Key("{weight}", "{number}")})
    put = Put(Task)
    load = BatchPut(Task)
    of_priority = Query(Task)
    of_done = Query(Task, by_done)
    of_day = Query(Task, by_day)
    of_price = Query(Task, by_price)
    of_weight = Query(Task, by_weight)


DAYS = [date(2026, 1, 2), date(2026, 1, 1)]
ALL = [
    Task(
        priority=number % 3,
        number=number,
        done=number % 2 == 0,
        day=DAYS[number % 2],
        price=Decimal(number % 2),
        weight=Decimal(number % 2) + Decimal("0.5"),
        owner=f"o{number % 5}",
    )
    for number in range(20)
]


@pytest.fixture(scope="module")
def tasks(module_dynamodb: Database) -> Store:
    check(Tasks)
    store = module_dynamodb.store(Tasks)
    store.put_many(Tasks.load, ALL)
    return store


@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize(
    ("query", "field", "values"),
    [
        (Tasks.of_priority, Task.priority, [2, 0, 9, 1]),
        (Tasks.of_done, Task.done, [True, False]),
        (Tasks.of_done, Task.done, [False]),
        (Tasks.of_day, Task.day, DAYS),
        (Tasks.of_price, Task.price, [Decimal(1), Decimal("0.00")]),
        (Tasks.of_weight, Task.weight, [Decimal("0.50"), Decimal("1.5")]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("by_name", [True, False])
def test_pages_go_through_partitions_in_the_given_order(
    tasks: Store,
    query: Query[Task],
    field: Field[Any],
    values: Sequence[Any],
    limit: int,
    by_name: bool,
) -> None:
    name = field.name
    listed, cursor = [], None
    while True:
        along = (name if by_name else field, values)
        page = tasks.query(query, along=along, limit=limit, cursor=cursor, caller="me")
        assert len(page.items) <= limit
        listed += [task.number for task in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert listed == [task.number for value in values for task in ALL if task[name] == value]


@pytest.mark.parametrize("value", ["2", None, -1, True])
def test_values_that_the_field_cannot_have_are_refused(tasks: Store, value: Any) -> None:
    with pytest.raises(InvalidRecord, match="priority"):
        tasks.query(Tasks.of_priority, along=("priority", [value]))
