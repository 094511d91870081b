"""A design that has everything that a design can have."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from tablewright.model import (
    IN_KEY,
    KEYS_ONLY,
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Binary,
    Check,
    Choice,
    Collection,
    Computed,
    Date,
    DateText,
    Delete,
    Digest,
    Document,
    Entity,
    EpochList,
    EpochShards,
    EpochTimestamp,
    Expiry,
    Field,
    Flag,
    Fraction,
    Get,
    HourText,
    Index,
    Key,
    Lines,
    ListOf,
    Money,
    Name,
    Number,
    Part,
    PartOf,
    Prose,
    Put,
    Query,
    Reversed,
    Scan,
    SetOf,
    Shards,
    Table,
    Tally,
    Text,
    TimeId,
    Timestamp,
    TimestampText,
    Update,
    Upsert,
    Whole,
    java_hash,
)


def initial(name: str) -> str:
    return name[:1]


class Colour(Enum):
    RED = "red"
    LIGHT_BLUE = "light blue"


class Place(Part):
    """Where something is."""

    street: Field[str] = Text()
    colour: Field[Colour | None] = Choice(Colour, default=None)


class Tenant(Entity, key=Key("T#{tenant}", "EPOCHS")):
    tenant: Field[str] = Text(IN_KEY)
    shards: Field[Sequence[Mapping[str, Any]]] = EpochList()


class Thing(
    Entity,
    key=Key("T#{tenant}#{thing_id}", "THING"),
    expires=Expiry("made_at", years=1, days=2),
    example={"tenant": "acme", "thing_id": "t1"},
):
    """A thing. It ends in a quotation: \"\"\"so\"\"\", after a \\ and with a sentence that is too
    long for one line."""

    tenant: Field[str] = Text(IN_KEY)
    thing_id: Field[str] = Text("thingId", min_length=0, max_length=10_000, pattern=r"[\w\"']+")
    # Named like what is imported for others.
    date: Field[Any] = Date(default=date(2026, 1, 31))
    set: Field[str | None] = DateText(default=None)
    hour: Field[str] = HourText(default="2026-01-31-12")
    made_at: Field[datetime] = Timestamp(default=datetime(2026, 1, 31, 12, 0, 0, 5000, UTC))
    at: Field[str | None] = TimestampText(resolution="s", default=None)
    written: Field[str | None] = TimestampText(any_precision=True, default=None)
    epoch: Field[datetime] = EpochTimestamp(
        resolution="ms", default=datetime(2026, 1, 31, tzinfo=UTC)
    )
    colour: Field[Colour] = Choice(Colour, default=Colour.LIGHT_BLUE)
    size: Field[str] = Choice(("S", "M"), default="M")
    on: Field[bool] = Flag(default=True)
    part: Field[Decimal] = Fraction(decimals=3, default=Decimal("0.125"))
    price: Field[Decimal] = Money(digits=12, default=Decimal("1.50"))
    number: Field[Decimal] = Number(default=Decimal("-1E+20"))
    count: Field[int] = Whole(digits=4, lowest=-5, default=7)
    title: Field[str] = Name(default='He said "no"')
    prose: Field[str | None] = Prose(default=None, secret=True)
    lines: Field[str] = Lines(default="one\ntwo")
    raw: Field[bytes] = Binary(max_bytes=9, default=b'\x00"')
    tags: Field[Any] = SetOf(Text(), default=None)
    numbers: Field[Any] = SetOf(Number(), max_items=3, default=None)
    places: Field[tuple[Place, ...]] = ListOf(
        PartOf(Place), default=(Place(street="A", colour=Colour.RED),)
    )
    place: Field[Place | None] = PartOf(Place, "where", default=None)
    notes: Field[Any] = Document(default={"a": [Decimal("1.5"), None, True]})
    tally: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)
    first = Computed(initial, title, max_length=5)
    newest = Reversed(made_at)
    digest = Digest(prose)


class Line(
    Entity,
    key=Key(
        "T#{tenant}#LINES#{shard}",
        "LINE#{line_id}",
        shards=EpochShards(by="line_id", whose="tenant", dated="at"),
    ),
    name="a line",
):
    tenant: Field[str] = Text(IN_KEY)
    line_id: Field[str] = TimeId(IN_KEY)
    at: Field[str] = TimestampText()


_EPOCHS = Get(Tenant, consistent=True)


class Everything(
    Table,
    pk="PK",
    sk="SK",
    ttl="ttl",
    tenant="tenant",
    stream="NEW_IMAGE",
    entity_type="type",
    epochs=_EPOCHS,
    id="every-thing",
):
    """All there is."""

    by_title = Index(
        "GSI1",
        pk="T1",
        sk="S1",
        projects=(Thing.price, Thing.made_at),
        keys={
            Thing: Key(
                "T|{tenant}|{first}|{shard}",
                "{newest}",
                shards=Shards(3, by="thing_id", function=java_hash),
                delimiter="|",
            )
        },
    )
    several = Index(
        pk=("T3", "colour"),
        sk=("size", "hour"),
        projects=KEYS_ONLY,
        keys={Thing: Key(("T#{tenant}", "{colour}"), ("{size}", "{hour}"))},
    )
    digests = Index(pk="T2", sparse=True, keys={Thing: Key("D#{digest}", shared=True)})
    local = Index(
        pk="PK", sk="price", local=True, keys={Thing: Key("T#{tenant}#{thing_id}", "{price}")}
    )

    epochs = _EPOCHS
    make = Put(Thing, create=True, describes="Make a thing.")
    many = BatchPut(Line)
    new = BatchCreate(Thing)
    some = BatchGet(Thing, consistent=True, expired=True)
    gone = BatchDelete(Line)
    both = BatchWrite[Thing | Line](Thing, Line)
    change = Update(Thing)
    ensure = Upsert(Thing)
    there = Check(Thing)
    drop = Delete(Thing)
    titled = Query(
        Thing,
        by_title,
        select=(Thing.price,),
        filters=(Thing.made_at,),
        descending=True,
        expired=True,
        describes="A sentence that is so long that it has to be broken between two of its words.",
    )
    cheap = Query(Thing, local, range=Thing.price, consistent=True)
    coloured = Query(Thing, several, hydrate=True, expired=True)
    together = Collection(Thing, Tenant, index=None, descending=True)
    all_of_them = Scan(Thing, by_title)
