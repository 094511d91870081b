"""Random records: each is one that its entity accepts, and they are of every kind and length."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from examples.designs import DESIGNS
from tablewright.catalog.forms.design import Forms
from tablewright.model import (
    Binary,
    Choice,
    Date,
    DateText,
    Document,
    Entity,
    EntityModel,
    EpochTimestamp,
    Expiry,
    Field,
    Flag,
    Fraction,
    HourText,
    Index,
    InvalidValue,
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
    SetOf,
    Table,
    Tally,
    Text,
    TimeId,
    Timestamp,
    TimestampText,
    Whole,
)
from tablewright.model.fields.base import Field as AnyField
from tablewright.testing import records
from tests.unit.catalog import test_storable

FEW = settings(max_examples=8, deadline=None, database=None)
ENTITIES = [
    *(entity for _, entity in test_storable.ENTITIES),
    *(entity for table in DESIGNS for entity in table.__design__.entity_list),
]


class Size(Enum):
    SMALL = "S"
    LARGE = "L"


class Line(Part):
    product: Field[str] = Text(max_length=8)
    pieces: Field[int] = Whole(digits=3, lowest=1)
    gift: Field[bool] = Flag(default=False)


class Everything(
    Entity,
    key=Key("A|{owner}|{place}", "{at}|{share}|{bytes_}", delimiter="|"),
    expires=Expiry("day", years=1),
):
    owner: Field[str] = Text(max_length=2000, min_length=0)
    place: Field[str] = Prose(max_length=2000)
    at: Field[datetime] = Timestamp(resolution="s")
    share: Field[Decimal] = Fraction(decimals=3)
    bytes_: Field[bytes] = Binary()
    day: Field[date] = Date()
    code: Field[str] = Text(pattern=r"[A-Z]{2}-\d+", max_length=6)
    name: Field[str] = Name(max_length=20)
    lines: Field[str] = Lines()
    size: Field[Size] = Choice(Size)
    colour: Field[Literal["red", "blue"]] = Choice(Literal["red", "blue"])
    moment: Field[str] = TimestampText(resolution="ms")
    epoch: Field[datetime] = EpochTimestamp()
    day_text: Field[str] = DateText()
    hour: Field[str] = HourText()
    made: Field[str] = TimeId()
    number: Field[Decimal] = Number()
    total: Field[Decimal] = Money(digits=31)
    tags: Field[set[str]] = SetOf(Text(max_length=5))
    parts: Field[tuple[Line, ...]] = ListOf(PartOf(Line))
    document: Field[Mapping[str, Any]] = Document(max_bytes=64)
    counts: Field[Mapping[str, Decimal]] = Tally(prefix="n:")
    secret: Field[str] = Text(secret=True)
    note: Field[str | None] = Text(default=None)


class Everywhere(Table, pk="PK", sk="SK", ttl="ttl"):
    by_number = Index(pk="number", sk="code", keys={Everything: Key("{number}", "{code}")})
    put = Put(Everything)


class Short(Entity, key=Key("{id}")):
    id: Field[str] = Text(max_length=12)
    note: Field[str | None] = Text(default=None, max_length=300)


class Own(AnyField[str]):
    """A kind of field that the library does not know."""


class Shorts(Table, pk="PK"):
    put = Put(Short)


@pytest.mark.thorough
@pytest.mark.parametrize("entity", ENTITIES, ids=str)
def test_every_entity_accepts_the_records_that_are_made_up_for_it(entity: EntityModel) -> None:
    @FEW
    @given(records(entity.made))
    def accepted(record: Entity) -> None:
        assert entity.check(record) == record

    accepted()


@settings(FEW, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(records(Everything))
def test_every_kind_of_field_has_values(record: Everything) -> None:
    assert Everything(**record) == record
    assert record.keys() | {"note"} == Everything.__entity__.by_name.keys()
    assert record.day >= date(2099, 1, 1)
    keys = Everywhere.__design__.attributes(Everything.__entity__, record)
    assert len(keys["PK"].encode()) <= 2048
    assert len(keys["SK"].encode()) <= 1024


@pytest.mark.parametrize(
    "wanted",
    [
        lambda record: record.note is None,
        lambda record: record.note and len(record.note) == 300,
        lambda record: len(record.id) == 12,
        lambda record: not record.id.isascii(),
    ],
    ids=["absent", "longest", "longest key", "beyond ASCII"],
)
def test_the_edges_are_among_them(wanted: Any) -> None:
    assert find(records(Short), wanted, settings=settings(FEW, max_examples=300))


@FEW
@given(records(Short, id="o1", note=st.sampled_from(["a", "b"])))
def test_a_field_has_the_value_that_it_is_told(record: Short) -> None:
    assert record.id == "o1"
    assert record.note in ("a", "b")


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Short has no field nope; it has id, note$"):
        records(Short, nope="x")


def test_a_value_that_does_not_fit_is_told_and_not_passed_over() -> None:
    @FEW
    @given(records(Short, id="x" * 13))
    def never(record: Short) -> None: ...

    with pytest.raises(InvalidValue, match="id must have 1 to 12 characters"):
        never()


def test_a_kind_of_field_that_is_not_known_asks_for_a_strategy() -> None:
    class Mine(Entity, key=Key("{id}")):
        id: Field[str] = Text()
        own: Field[str] = Own()

    with pytest.raises(TypeError, match=r"'own', .* give a strategy .* records\(…, own=…\)"):
        records(Mine)
    assert records(Mine, own="x") is not None


def test_ids_that_choose_a_shard_are_of_the_past() -> None:
    submission = Forms.__design__.entities["Submission"].made

    @FEW
    @given(records(submission))
    def past(record: Any) -> None:
        assert record.timestamp < datetime(2025, 1, 2, tzinfo=UTC).isoformat()

    past()
