"""Orders: a small table with all that the store has to do with. Shards, a sparse index, expiry."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal, TypeVar

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
    Choice,
    DateText,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    ShardFunction,
    Shards,
    Table,
    Text,
    Update,
    uniform,
)
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

E = TypeVar("E", bound=Entity)
State = Literal["OPEN", "PAID", "SENT"]


class Order(
    Entity,
    key=Key("TENANT#{tenant}#CUSTOMER#{customer}", "ORDER#{day}#{order_id}"),
    expires=Expiry("day", years=2),
):
    """An order."""

    tenant: Field[str] = Text()
    customer: Field[str] = Text()
    order_id: Field[str] = Text("orderId")
    day: Field[str] = DateText()
    total: Field[Decimal] = Money()
    kind: Field[str] = Text()
    label: Field[str | None] = Text(default=None)
    state: Field[State] = Choice(State)
    note: Field[str] = Text()


def by_kind(shard: ShardFunction = uniform) -> Index:
    key = Key(
        "TENANT#{tenant}#KIND#{kind}#SHARD#{shard}",
        "DAY#{day}#TOTAL#{total}",
        shards=Shards(10, by="order_id", function=shard),
    )
    return Index("BY_KIND", pk="KPK", sk="KSK", projects=KEYS_ONLY, keys={Order: key})


class Orders(Table, pk="PK", sk="SK", ttl="ttl", tenant="tenant"):
    """Orders of customers."""

    by_kind = by_kind()
    by_day = Index(
        "BY_DAY",
        pk="DPK",
        sk="DSK",
        projects=(Order.customer, Order.kind, Order.total, Order.note),
        keys={
            Order: Key(
                "TENANT#{tenant}#ALL#SHARD#{shard}", "DAY#{day}", shards=Shards(5, by="customer")
            )
        },
    )
    by_label = Index(
        "BY_LABEL",
        pk="LPK",
        sk="LSK",
        projects=KEYS_ONLY,
        sparse=True,
        keys={Order: Key("TENANT#{tenant}#LABEL#{label}", "DAY#{day}#TOTAL#{total}")},
    )

    place = Put(Order, create=True)
    load = BatchPut(Order)
    place_many = BatchCreate(Order)
    get_order = Get(Order)
    get_orders = BatchGet(Order, consistent=True)
    change = Update(Order)
    cancel = Delete(Order)
    of_customer = Query(Order, range=Order.day)
    notes_of_customer = Query(
        Order, range=Order.day, select=(Order.order_id, Order.day, Order.note)
    )
    of_kind = Query(Order, by_kind, range=Order.day, hydrate=True, filters=(Order.state,))
    totals_of_kind = Query(Order, by_kind, range=Order.day)
    all_orders = Query(Order, by_day, range=Order.day)
    labelled = Query(Order, by_label, range=Order.day, hydrate=True)


TENANT = {"tenant": "carousel-labs"}
DRESS = {**TENANT, "kind": "dress"}


def order(number: int = 0, **changes: Any) -> Order:
    """An order like no other with another number."""
    return Order(
        **{
            **TENANT,
            "customer": f"customer_{number % 7}",
            "order_id": f"order_{number:05}",
            "day": "2025-12-29",
            "total": Decimal(number % 50) + Decimal("0.99"),
            "kind": "dress",
            "label": "Nike",
            "state": "OPEN",
            "note": "by post",
            **changes,
        }
    )


def by_id(records: Iterable[Order]) -> list[Order]:
    return sorted(records, key=lambda record: record.order_id)


def pages(
    store: Store, pattern: Query[E], key: Mapping[str, Any], limit: int, **asked: Any
) -> list[E]:
    """All records of a list, page by page, none of them over the limit."""
    found: list[E] = []
    cursor = None
    for _ in range(1000):
        page = store.query(pattern, key, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


@pytest.fixture
def orders(dynamodb: Database) -> Database:
    """A database with the table."""
    dynamodb.table(Orders)
    return dynamodb


@pytest.fixture
def store(orders: Database) -> Store:
    return orders.store(Orders)
