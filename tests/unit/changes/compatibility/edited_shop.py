"""A shop whose table changes: its design with edits of the description."""

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

from tablewright.changes.compatibility.verdict import compare
from tablewright.designs import build_table, describe
from tablewright.model import (
    Choice,
    Computed,
    Entity,
    EpochTimestamp,
    Expiry,
    Field,
    Fraction,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Name,
    Part,
    PartOf,
    Put,
    Query,
    Reversed,
    SetOf,
    Shards,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)


def initial(text: str) -> str:
    return text[:1]


def last(text: str) -> str:
    return text[-1:]


class State(Enum):
    OPEN = "open"
    PAID = "paid"


class Line(Part):
    product: Field[str] = Text()
    pieces: Field[int] = Whole()


class Customer(Entity, key=Key("CUSTOMER#{customer_id}", "CUSTOMER")):
    customer_id: Field[str] = Text()
    name: Field[str] = Name()


class Order(
    Entity,
    key=Key("CUSTOMER#{customer_id}", "ORDER#{order_id}#{rank}"),
    expires=Expiry("placed_at", days=30),
):
    customer_id: Field[str] = Text()
    order_id: Field[str] = Text()
    rank: Field[Decimal] = Fraction(decimals=3)
    placed_at: Field[datetime] = Timestamp()
    paid_at: Field[datetime | None] = EpochTimestamp(default=None)
    total: Field[Decimal] = Money()
    state: Field[State] = Choice(State)
    note: Field[str | None] = Text(default=None)
    lines: Field[tuple[Line, ...]] = ListOf(PartOf(Line))
    tags: Field[Any] = SetOf(Text(), default=None)
    first = Computed(initial, order_id)
    newest = Reversed(placed_at)
    final = Computed(last, order_id)


class Visit(Entity, key=Key("VISITS#{shard}", "{visit_id}", shards=Shards(4, by="visit_id"))):
    visit_id: Field[str] = Text()
    page: Field[str] = Text()


class Shop(Table, pk="PK", sk="SK", ttl="ttl"):
    """A shop."""

    by_state = Index(pk="state", sk="placed_at", keys={Order: Key("{state}", "{placed_at}")})
    by_first = Index(
        pk="FPK",
        sk="FSK",
        projects=(Order.total,),
        keys={
            Order: Key("F#{first}#{shard}", "{total}#{newest}", shards=Shards(4, by="order_id")),
            Visit: Key("VISITS", "{page}"),
        },
    )
    by_total = Index(
        pk="PK", sk="total", local=True, keys={Order: Key("CUSTOMER#{customer_id}", "{total}")}
    )
    place = Put(Order)
    change = Update(Order)
    customer = Get(Customer)
    visited = Put(Visit)
    of_state = Query(Order, by_state)
    of_first = Query(Order, by_first)


SHOP = describe(Shop)
GONE = object()
Edits = Mapping[str, Any]


def edited(edits: Edits) -> type[Table]:
    """Build the shop with other values, by paths such as ``entities.Order.expires``."""
    description = deepcopy(SHOP)
    for path, value in edits.items():
        *above, name = path.split(".")
        place: Any = description
        for step in above:
            place = place.setdefault(step, {})
        if value is GONE:
            del place[name]
        else:
            place[name] = value
    return build_table(description, Shop)


class Case(NamedTuple):
    """Edits of the shop, with the expected outcome and the codes of the findings.

    `old` edits the design before.
    """

    name: str
    outcome: str
    codes: str
    new: Edits
    old: Edits = MappingProxyType({})


def require_verdict(case: Case) -> None:
    """Assert that a change has the outcome and the codes of its case."""
    verdict = compare(edited(case.old), edited(case.new))
    codes = " ".join(sorted({finding.code for finding in verdict.findings}))
    assert (verdict.outcome, codes) == (case.outcome, case.codes), str(verdict)
