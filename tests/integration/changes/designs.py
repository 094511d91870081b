"""Pairs of designs, an old and a new one, and orders as they stored them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright.model import (
    KEYS_ONLY,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
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
from tablewright.runtime.store.records import Item, Records
from tablewright.testing import Database

AT = datetime(2026, 1, 31, 9, tzinfo=UTC)
NAME = "dev-orders"


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()
    total: Field[Decimal] = Money()
    note: Field[str | None] = Text(default=None, max_length=4000)


class Line(Entity, key=Key("ORDER#{order_id}", "LINE#{product}")):
    order_id: Field[str] = Text()
    product: Field[str] = Text()
    text: Field[str | None] = Text(default=None, max_length=4000)


class Before(Table, id="orders", pk="PK", sk="SK", ttl="ttl"):
    by_customer = Index(
        pk="C1", sk="C2", projects=KEYS_ONLY, keys={Order: Key("C#{customer}", "AT#{placed_at}")}
    )
    place = Put(Order)
    order = Get(Order)
    change = Update(Order)
    forget = Delete(Order)
    add = Put(Line)


class Bare(Table, id="orders", pk="PK", sk="SK"):
    """Without indexes, so that it takes any item."""

    place = Put(Order)


class Indexed(Before, id="orders", entity_type="type"):
    """Two more indexes, in attributes of their own, and the types of items."""

    by_owner = Index(
        pk="D1", sk="D2", projects=(Order.total,),
        keys={Order: Key("CUSTOMER#{customer}", "{placed_at}")},
    )  # fmt: skip
    everything = Index(pk="E1", sk="E2", keys={Line: Key("PRODUCT#{product}", "{order_id}")})


class Contracted(Table, id="orders", pk="PK", sk="SK", ttl="ttl", entity_type="type"):
    """Without the index of the customer, which `Indexed` still has."""

    by_owner = Index(
        pk="D1", sk="D2", projects=(Order.total,),
        keys={Order: Key("CUSTOMER#{customer}", "{placed_at}")},
    )  # fmt: skip
    everything = Index(pk="E1", sk="E2", keys={Line: Key("PRODUCT#{product}", "{order_id}")})
    place = Put(Order)
    order = Get(Order)
    change = Update(Order)
    forget = Delete(Order)
    add = Put(Line)


class Reformed(Before, id="orders"):
    """Another key of the index, in the attributes that it was in."""

    by_customer = Index(
        pk="C1", sk="C2", projects=KEYS_ONLY,
        keys={Order: Key("CUSTOMER#{customer}", "AT#{placed_at}")},
    )  # fmt: skip


class Sharded(Before, id="orders"):
    by_customer = Index(
        pk="C1", sk="C2", projects=KEYS_ONLY,
        keys={
            Order: Key(
                "C#{customer}#{shard}", "{placed_at}", shards=Shards(4, by="order_id")
            )
        },
    )  # fmt: skip


class Moved(Before, id="orders", keys={Order: Key("O#{order_id}", "ORDER#{customer}")}):
    """Another key of the table."""


class Merged(Before, id="orders", keys={Line: Key("LINES#{order_id}", "LINES")}):
    """A key that several old items would have."""


class Expiring(Before, id="orders", expires={Order: Expiry("placed_at", days=30)}):
    pass


class Person(Entity, key=Key("PERSON#{person}", "PERSON")):
    person: Field[str] = Text()
    income: Field[str] = Text(secret=True)


class Hidden(Table, pk="PK", sk="SK"):
    put = Put(Person)


ADDITIVE: list[type[Table]] = [Indexed, Expiring]
"""Designs whose attributes are added to items that `Before` wrote."""

CHANGING: list[type[Table]] = [Reformed, Sharded, Moved, Merged]
"""Designs that would change items that `Before` wrote."""


def order(number: int, **others: Any) -> Order:
    values = {
        "order_id": f"o{number}",
        "customer": f"customer-{number % 3}",
        "placed_at": AT + timedelta(hours=number),
        "total": Decimal(number) + Decimal("0.25"),
        "note": "x" * (number * 211 % 3000) or None,
        **others,
    }
    return Order(**values)


def line(number: int) -> Line:
    return Line(
        order_id=f"o{number}", product=f"p{number % 5}", text="y" * (number * 97 % 1500) or None
    )


def records(count: int) -> list[Entity]:
    """Two orders, and then a line."""
    return [line(number) if number % 3 == 2 else order(number) for number in range(count)]


def item_of(table: type[Table], record: Entity) -> Item:
    design = table.__design__
    return Records(design, design.entities[type(record).__name__]).to_item(record)


def items_of(table: type[Table], some: Iterable[Entity]) -> list[Item]:
    """Items as a design stores them, in one order."""
    return sorted((item_of(table, one) for one in some), key=in_order)


def in_order(item: Item) -> list[Any]:
    return [item["PK"]["S"], item["SK"]["S"]]


def completed_item(new: type[Table], record: Entity, old: type[Table] = Before) -> Item:
    """An item of the old design that a backfill completed: nothing of it has changed."""
    return {**item_of(new, record), **item_of(old, record)}


def completed_items(new: type[Table], some: Iterable[Entity]) -> list[Item]:
    return sorted((completed_item(new, one) for one in some), key=in_order)


def stored(database: Database) -> list[Item]:
    return sorted(database.items(NAME), key=in_order)


def fill(database: Database, new: type[Table], old: type[Table], some: Iterable[Entity]) -> None:
    """The table of the new design, with items of the old one."""
    database.table(new, NAME)
    database.write([item_of(old, one) for one in some], NAME)
