"""Ranges of a list: open and closed, by the beginning of a text, of numbers and of moments."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    BatchPut,
    Entity,
    Field,
    Index,
    InvalidValue,
    Key,
    Number,
    Query,
    Shards,
    Table,
    Text,
    Timestamp,
)
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class Reading(Entity, key=Key("DEVICE#{device}", "AT#{at}#{id}")):
    device: Field[str] = Text()
    at: Field[datetime] = Timestamp()
    id: Field[str] = Text()
    place: Field[str] = Text()
    value: Field[Decimal] = Number()
    note: Field[str | None] = Text(default=None)


class Readings(Table, pk="PK", sk="SK"):
    by_place = Index(pk="DPK", sk="place", keys={Reading: Key("D#{device}", "{place}")})
    by_value = Index(pk="device", sk="value", keys={Reading: Key("{device}", "{value}")})
    spread = Index(
        pk="SPK",
        sk="SSK",
        keys={Reading: Key("S#{device}#{shard}", "P#{place}#{id}", shards=Shards(4, by="id"))},
    )

    load = BatchPut(Reading)
    in_time = Query(Reading, range=Reading.at)
    in_places = Query(Reading, by_place, range=Reading.place)
    of_value = Query(Reading, by_value, range=Reading.value)
    spread_places = Query(Reading, spread, range=Reading.place)


PLACES = ["a", "ab", "abc", "b", "b-1", "b-2", "c"]
READINGS = [
    Reading(
        device="d",
        at=NEW_YEAR + timedelta(hours=n // 2),
        id=f"r{n}",
        place=PLACES[n % len(PLACES)],
        value=Decimal(n - 7) / 2,
    )
    for n in range(14)
]
Test = Callable[[Any], bool]
RANGES: dict[str, tuple[dict[str, Any], Callable[[Any, Any, Any], bool]]] = {
    "closed": ({"since": 0, "until": 1}, lambda v, low, high: low <= v <= high),
    "open": ({"after": 0, "before": 1}, lambda v, low, high: low < v < high),
    "half open": ({"since": 0, "before": 1}, lambda v, low, high: low <= v < high),
    "open below": ({"after": 0, "until": 1}, lambda v, low, high: low < v <= high),
    "above": ({"after": 0}, lambda v, low, high: v > low),
    "below": ({"before": 1}, lambda v, low, high: v < high),
}


@pytest.fixture(scope="module")
def store(module_dynamodb: Database) -> Store:
    store = module_dynamodb.store(Readings)
    store.put_many(Readings.load, READINGS)
    return store


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize(
    ("pattern", "field", "low", "high"),
    [
        (Readings.in_time, "at", NEW_YEAR + timedelta(hours=1), NEW_YEAR + timedelta(hours=5)),
        (Readings.in_places, "place", "ab", "b-1"),
        (Readings.in_places, "place", "aa", "bb"),
        (Readings.of_value, "value", Decimal("-2.5"), Decimal(2)),
        (Readings.of_value, "value", Decimal(2), Decimal(10)),
        (Readings.spread_places, "place", "ab", "b-1"),
    ],
)
def test_a_range_has_what_lies_in_it(
    store: Store,
    pattern: Query[Reading],
    field: str,
    low: Any,
    high: Any,
    kind: str,
    descending: bool,
    limit: int,
) -> None:
    names, inside = RANGES[kind]
    asked = {name: (low, high)[which] for name, which in names.items()}
    expected = sorted(r.id for r in READINGS if inside(r[field], low, high))
    found, cursor = [], None
    while True:
        page = store.query(
            pattern, device="d", descending=descending, limit=limit, cursor=cursor, **asked
        )
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(one.id for one in found) == expected
    order = [one[field] for one in found]
    assert order == sorted(order, reverse=descending)


@pytest.mark.parametrize("pattern", [Readings.in_places, Readings.spread_places])
@pytest.mark.parametrize("beginning", ["a", "ab", "b-", "c", "d"])
def test_a_text_is_found_by_its_beginning(
    store: Store, pattern: Query[Reading], beginning: str
) -> None:
    found = store.each(pattern, device="d", begins_with=beginning)
    expected = sorted(r.id for r in READINGS if r.place.startswith(beginning))
    assert sorted(one.id for one in found) == expected


def test_a_beginning_and_a_bound_hold_together(store: Store) -> None:
    found = store.each(Readings.in_places, device="d", begins_with="b", after="b", before="b-2")
    assert {one.place for one in found} == {"b-1"}


def test_numbers_have_no_beginning(store: Store) -> None:
    with pytest.raises(InvalidValue, match="begins_with cannot be asked of a number"):
        store.first(Readings.of_value, device="d", begins_with="1")


def test_the_first_is_one_or_none(store: Store) -> None:
    first = store.first(Readings.of_value, device="d", after=Decimal(0))
    assert first is not None
    assert first.value == Decimal("0.5")
    assert store.first(Readings.of_value, device="d", after=Decimal(100)) is None


@pytest.mark.parametrize(
    ("pattern", "field", "value"),
    [
        (Readings.in_time, "at", NEW_YEAR + timedelta(hours=3)),
        (Readings.in_places, "place", "ab"),
        (Readings.of_value, "value", Decimal("-2.5")),
        (Readings.spread_places, "place", "a"),
    ],
)
def test_what_has_a_range_can_be_given_as_one_value(
    store: Store, pattern: Query[Reading], field: str, value: Any
) -> None:
    found = store.each(pattern, {"device": "d", field: value})
    expected = sorted(r.id for r in READINGS if r[field] == value)
    assert expected
    assert sorted(one.id for one in found) == expected
    with pytest.raises(InvalidValue, match=f"{field} is given already, and has no range then"):
        store.first(pattern, {"device": "d", field: value}, since=value)


def test_a_page_tells_of_more_without_cursors_too(dynamodb: Database) -> None:
    store = dynamodb.store(Readings, cursors=None)
    store.put_many(Readings.load, READINGS)
    some = store.query(Readings.in_time, device="d", limit=13)
    assert (some.cursor, some.has_more, len(some.items)) == (None, True, 13)
    assert not store.query(Readings.in_time, device="d", limit=15).has_more


def test_none_in_a_filter_is_no_value(store: Store) -> None:
    assert list(store.each(Readings.in_time, device="d", where={"note": None})) == READINGS
