"""Orders: a small table with all that the store has to do with. Shards, a sparse index, expiry."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
    Choice,
    Date,
    Delete,
    Entity,
    Expiry,
    Get,
    Index,
    Key,
    Money,
    Pattern,
    Put,
    Query,
    Record,
    ShardFunction,
    Shards,
    Table,
    Text,
    Update,
    uniform,
)
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database


def orders_design(*, shard: ShardFunction = uniform) -> Table:
    entity = Entity(
        "Order",
        key=Key("TENANT#{tenant}#CUSTOMER#{customer}", "ORDER#{day}#{order_id}"),
        indexed={
            "BY_KIND": Key(
                "TENANT#{tenant}#KIND#{kind}#SHARD#{shard}",
                "DAY#{day}#TOTAL#{total}",
                shards=Shards(10, by="order_id", function=shard),
            ),
            "BY_DAY": Key(
                "TENANT#{tenant}#ALL#SHARD#{shard}", "DAY#{day}", shards=Shards(5, by="customer")
            ),
            "BY_LABEL": Key("TENANT#{tenant}#LABEL#{label}", "DAY#{day}#TOTAL#{total}"),
        },
        fields=(
            Text("tenant"),
            Text("customer"),
            Text("order_id", "orderId"),
            Date("day"),
            Money("total"),
            Text("kind"),
            Text("label", optional=True),
            Choice("state", ("OPEN", "PAID", "SENT")),
            Text("note"),
        ),
        expires=Expiry("day", years=2),
    )
    return Table(
        "orders",
        pk="PK",
        sk="SK",
        ttl="ttl",
        tenant="tenant",
        entities=(entity,),
        indexes=(
            Index("BY_KIND", pk="KPK", sk="KSK", projects=KEYS_ONLY),
            Index("BY_DAY", pk="DPK", sk="DSK", projects=("customer", "kind", "total", "note")),
            Index("BY_LABEL", pk="LPK", sk="LSK", projects=KEYS_ONLY, sparse=True),
        ),
        patterns=(
            Put("place", "Order", create=True),
            BatchPut("load", "Order"),
            BatchCreate("place_many", "Order"),
            Get("get_order", "Order"),
            BatchGet("get_orders", "Order", consistent=True),
            Update("change", "Order"),
            Delete("cancel", "Order"),
            Query("of_customer", "Order", range="day"),
            Query("notes_of_customer", "Order", range="day", select=("order_id", "day", "note")),
            Query(
                "of_kind", "Order", index="BY_KIND", range="day", hydrate=True, filters=("state",)
            ),
            Query("totals_of_kind", "Order", index="BY_KIND", range="day"),
            Query("all_orders", "Order", index="BY_DAY", range="day"),
            Query("labelled", "Order", index="BY_LABEL", range="day", hydrate=True),
        ),
    )


ORDERS = orders_design()
ORDER = ORDERS.entities["Order"]
TENANT = {"tenant": "carousel-labs"}
DRESS = {**TENANT, "kind": "dress"}


def order(number: int = 0, **changes: Any) -> dict[str, Any]:
    """An order like no other with another number."""
    return ORDER.check(
        {
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


def key_of(record: Record) -> Record:
    return {name: record[name] for name in ORDER.key.fields}


def by_id(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: str(record["order_id"]))


def pages(store: Store, pattern: Pattern, where: Record, limit: int, **asked: Any) -> list[Record]:
    """All records of a list, page by page, none of them over the limit."""
    found, cursor = [], None
    for _ in range(1000):
        page = store.query(pattern, where, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


@pytest.fixture
def orders(database: Database) -> Database:
    """A database with the table."""
    database.create(ORDERS)
    return database


@pytest.fixture
def store(orders: Database) -> Store:
    return orders.store(ORDERS)
