"""A table's page shows each kind of key, field and access pattern as what it is."""

from datetime import datetime
from enum import Enum
from hashlib import sha256

import pytest

from tablewright.model import (
    BatchWrite,
    Binary,
    Check,
    Choice,
    Collection,
    Computed,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Part,
    PartOf,
    Query,
    Reversed,
    Scan,
    SetOf,
    Table,
    Text,
    Timestamp,
    Upsert,
    Whole,
)
from tablewright.pages.diagram import diagram
from tablewright.pages.page import page


class State(Enum):
    OPEN = "open"


class Place(Part):
    city: Field[str] = Text()


class Line(Part):
    product: Field[str] = Text("p")
    place: Field[Place | None] = PartOf(Place, default=None)


class Order(
    Entity,
    key=Key("ORDER#{spread}#{order_id}", "ORDER"),
    expires=Expiry("placed_at", days=7),
    example={
        "order_id": "o1",
        "shop": "tea",
        "region": "EU",
        "state": State.OPEN,
        "placed_at": "2026-11-17T09:00:00.000Z",
        "weight": 12,
        "seal": b"\x01\xff",
        "lines": [],
    },
):
    """An order."""

    order_id: Field[str] = Text()
    shop: Field[str] = Text()
    region: Field[str] = Text()
    state: Field[State] = Choice(State)
    placed_at: Field[datetime] = Timestamp(resolution="ms")
    weight: Field[int] = Whole(digits=4)
    seal: Field[bytes | None] = Binary(default=None)
    lines: Field[tuple[Line, ...]] = ListOf(PartOf(Line))
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    spread = Computed(lambda one: sha256(one.encode()).hexdigest()[:2], order_id)
    newest = Reversed(placed_at)


class Note(
    Entity,
    key=Key("ORDER#{spread}#{order_id}", "NOTE#{number}"),
    example={"order_id": "o1", "number": 1},
):
    """A note on an order."""

    order_id: Field[str] = Text()
    number: Field[int] = Whole(digits=2)
    spread = Computed(lambda one: sha256(one.encode()).hexdigest()[:2], order_id)


class Shop(Table, pk="PK", sk="SK", ttl="ttl", entity_type="type"):
    """Orders with notes."""

    queue = Index(
        pk=("shop", "region"),
        sk=("state", "weight"),
        keys={Order: Key(("{shop}", "{region}"), ("{state}", "{weight}"))},
        projects=(Order.placed_at,),
    )
    latest = Index(pk="NPK", sk="NSK", keys={Order: Key("ALL", "{newest}#{order_id}")})
    by_weight = Index(
        pk="PK", sk="weight", local=True, keys={Order: Key("ORDER#{spread}#{order_id}", "{weight}")}
    )
    by_seal = Index(pk="seal", sparse=True, keys={Order: Key("{seal}")})

    order = Get(Order)
    order_is = Check(Order, describes="See that it is there.")
    count = Upsert(Order)
    write = BatchWrite[Order | Note](Order, Note)
    with_notes = Collection(Order, Note)
    notes = Query(Note, range=Note.number)
    in_state = Query(Order, queue, range=Order.weight)
    newest_first = Query(Order, latest)
    sealed = Scan(Order, by_seal, expired=True)


PAGE = page(Shop.__design__)


def row(pattern: str) -> list[str]:
    (line,) = (one for one in PAGE.splitlines() if one.startswith(f"| `{pattern}` "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_what_looks_is_drawn_as_a_read_and_all_else_as_a_write() -> None:
    lines = diagram(Shop.__design__).splitlines()
    assert '  table --> pattern_order_is(["order_is"])' in lines
    assert '  index_by_seal --> pattern_sealed(["sealed"])' in lines
    assert '  table --> pattern_with_notes(["with_notes"])' in lines
    writes = [line for line in lines if line.endswith("--> table")]
    assert writes == [
        '  pattern_count(["count"]) --> table',
        '  pattern_write(["write"]) --> table',
    ]


@pytest.mark.parametrize(
    ("pattern", "of", "where", "by", "actions"),
    [
        ("order_is", "Order", "table", "order_id", "`ConditionCheckItem` on table"),
        (
            *("count", "Order", "table", "order_id"),
            "`GetItem` on table<br>`PutItem` on table<br>`UpdateItem` on table",
        ),
        (
            *("write", "Order, Note", "table"),
            "Order: order_id<br>Note: order_id, number",
            "`BatchWriteItem` on table",
        ),
        ("with_notes", "Order, Note", "table", "order_id", "`Query` on table"),
        ("notes", "Note", "table", "order_id, range of number", "`Query` on table"),
        (
            *("in_state", "Order", "queue"),
            *("shop, region, optionally state, range of weight", "`Query` on queue"),
        ),
        (
            *("newest_first", "Order", "latest"),
            *("optionally placed_at, order_id", "`Query` on latest"),
        ),
        (
            *("sealed", "Order", "by_seal, what has expired too"),
            *("nothing: reads all", "`Scan` on by_seal"),
        ),
    ],
)
def test_a_pattern_says_what_it_reads_and_by_what(
    pattern: str, of: str, where: str, by: str, actions: str
) -> None:
    assert row(pattern)[2:] == [of, where, by, actions]


@pytest.mark.parametrize(
    "line",
    [
        "| queue | shop, region | state, weight | keys and `placed_at`, `type` of Order |  |",
        "| by_weight | PK | weight | everything of Order | local |",
        "| by_seal | seal |  | everything of Order | sparse |",
        "Every item has the name of its entity in the attribute `type`.",
        "| queue | `{shop}`, `{region}` | `{state}`, `{weight}` |  |",
        "In keys, `{spread}` is computed from `order_id`.",
        "In keys, `{newest}` sorts the other way round as `placed_at`.",
        "| state | `state` | Choice |  |",
        "| lines | `lines` | list of `Line` |  |",
        "| tags | `tags` | set of Text | optional |",
        "In it, `Line`:",
        "| product | `p` | Text |  |",
        "| place | `place` | `Place` | optional |",
        "In it, `Place`:",
        "| city | `city` | Text |  |",
        "| Order | queue | `tea`, `EU` | `open`, `12` | `placed_at` |",
    ],
)
def test_keys_and_fields_are_shown_as_what_they_are(line: str) -> None:
    assert line in PAGE.splitlines()


def test_a_key_of_bytes_is_shown_in_hexadecimal_digits() -> None:
    assert "| Order | by_seal | `01ff` |  |" in PAGE


def test_what_was_not_measured_has_no_chapter() -> None:
    chapters = [line for line in PAGE.splitlines() if line.startswith("## ")]
    assert chapters == [
        "## Keys and indexes",
        "## Items, and where they are found",
        "## Access patterns",
    ]
    assert page(Shop.__design__, costs=["Much."]).endswith("## Cost\n\nMuch.\n")
    about = page(Shop.__design__, about=["After another."])
    assert "Orders with notes.\n\nAfter another.\n\n" in about
