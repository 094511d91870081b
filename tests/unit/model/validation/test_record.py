"""Records are measured whole or in part."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

from tablewright.model import (
    Choice,
    Date,
    Entity,
    Field,
    Key,
    ListOf,
    Part,
    PartOf,
    SetOf,
    Tally,
    Text,
    Timestamp,
    Whole,
)


class Colour(Enum):
    RED = "red"


class Place(Part):
    city: Field[str] = Text()


class Large(Entity, key=Key("{id}")):
    """May be larger than an item, so that each record is measured."""

    id: Field[str] = Text()
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)
    at: Field[datetime | None] = Timestamp(default=None)
    day: Field[date | None] = Date(default=None)
    colour: Field[Colour | None] = Choice(Colour, default=None)
    place: Field[Place | None] = PartOf(Place, default=None)
    sizes: Field[set[int] | None] = SetOf(Whole(), default=None)
    lines: Field[tuple[Place, ...] | None] = ListOf(PartOf(Place), default=None)


@pytest.mark.parametrize("name", ["counts", "at", "day", "colour", "place", "sizes", "lines"])
def test_a_field_that_is_taken_away_has_no_size(name: str) -> None:
    nothing: dict[str, Any] = {name: None}
    assert Large.__entity__.check(nothing, partial=True) == nothing
