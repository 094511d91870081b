"""Updates of fields that index keys and the ttl follow from: the item is that of a whole put."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Delete,
    Entity,
    Expiry,
    Field,
    Index,
    Key,
    Money,
    Put,
    Shards,
    Table,
    Text,
    Timestamp,
    Update,
)
from tablewright.model.errors import InvalidRecord
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

NOON = datetime(2100, 1, 31, 12, tzinfo=UTC)


class Order(Entity, key=Key("ORDER#{order_id}"), expires=Expiry("seen_at", days=30)):
    order_id: Field[str] = Text()
    state: Field[str] = Text()
    label: Field[str | None] = Text(default=None)
    seen_at: Field[datetime] = Timestamp()
    customer: Field[str] = Text()
    total: Field[Decimal] = Money()


class ByOneField(Table, pk="PK", ttl="ttl"):
    by_state = Index(pk="SPK", sk="SSK", keys={Order: Key("STATE#{state}", "{order_id}")})
    by_label = Index(pk="LPK", sk="LSK", sparse=True, keys={Order: Key("L#{label}", "{order_id}")})
    by_time = Index(
        pk="TPK",
        sk="TSK",
        keys={Order: Key("SHARD#{shard}", "AT#{seen_at}", shards=Shards(3, by="order_id"))},
    )
    put = Put(Order)
    change = Update(Order)
    remove = Delete(Order)


class ByTwoFields(Table, pk="PK", ttl="ttl"):
    by_state = Index(
        pk="SPK", sk="SSK", keys={Order: Key("STATE#{state}", "CUSTOMER#{customer}#AT#{seen_at}")}
    )
    put = Put(Order)
    change = Update(Order)
    remove = Delete(Order)


class Counted:
    def __init__(self, database: Database) -> None:
        self._caller = database.caller
        self.operations: list[str] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.operations.append(operation)
        return self._caller.call(operation, params)


def order(**values: Any) -> Order:
    fixed = {"order_id": "o1", "state": "open", "customer": "ann", "total": Decimal(1)}
    return Order(**{**fixed, "seen_at": NOON, **values})


CHOICES: dict[str, list[Any]] = {
    "state": ["open", "paid", "sent"],
    "label": [None, "red", "blue"],
    "seen_at": [NOON + timedelta(days=day) for day in range(4)],
    "customer": ["ann", "bob"],
    "total": [Decimal("2.25"), Decimal("3.75")],
}


@pytest.mark.parametrize("table", [ByOneField, ByTwoFields])
def test_updates_leave_the_item_that_a_put_of_the_record_stores(
    dynamodb: Database, table: Any
) -> None:
    random_ = random.Random(29)
    store: Store = dynamodb.store(table)
    values: dict[str, Any] = {}
    store.put(table.put, order())
    for _ in range(60):
        names = random_.sample(sorted(CHOICES), random_.randint(1, 3))
        changes = {name: random_.choice(CHOICES[name]) for name in names}
        values |= changes
        store.update(table.change, {"order_id": "o1"}, changes)
        (updated,) = dynamodb.items()
        store.put(table.put, order(**values))
        (whole,) = dynamodb.items()
        assert updated == whole, changes


def test_update_reads_only_if_a_source_is_missing(dynamodb: Database) -> None:
    caller = Counted(dynamodb)
    for table, reads in ((ByOneField, 0), (ByTwoFields, 1)):
        store: Store = dynamodb.store(table, caller)
        store.put(table.put, order())
        caller.operations.clear()
        store.update(table.change, {"order_id": "o1"}, {"state": "paid"})
        assert caller.operations.count("GetItem") == reads
        caller.operations.clear()
        whole = {"state": "sent", "customer": "bob", "seen_at": NOON}
        store.update(table.change, {"order_id": "o1"}, whole)
        assert caller.operations == ["UpdateItem"]
        store.delete(table.remove, order_id="o1")


def test_update_that_cannot_expire_is_refused_and_changes_nothing(dynamodb: Database) -> None:
    store = dynamodb.store(ByOneField)
    store.put(ByOneField.put, order())
    before = dynamodb.items()
    with pytest.raises(InvalidRecord, match="seen_at"):
        store.update(
            ByOneField.change, {"order_id": "o1"}, {"seen_at": datetime(9999, 12, 31, tzinfo=UTC)}
        )
    assert dynamodb.items() == before
