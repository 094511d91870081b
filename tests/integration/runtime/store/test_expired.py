"""What has expired is not there, although DynamoDB may take days to remove it.

DynamoDB Local removes what has expired within seconds, so the clock of the store is set ahead here.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    TimestampText,
    Update,
    Whole,
)
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Visit(Entity, key=Key("PAGE#{page}", "VISIT#{number}"), expires=Expiry("until")):
    page: Field[str] = Text()
    number: Field[int] = Whole(digits=4)
    user: Field[str] = Text()
    until: Field[str | None] = TimestampText(default=None, resolution="ms")
    note: Field[str | None] = Text(default=None)


class VisitTable(Table, pk="PK", sk="SK", ttl="ttl", id="visits"):
    by_user = Index("all", pk="A1", sk="A2", keys={Visit: Key("USER#{user}", "{number}")})
    keys = Index(
        pk="K1",
        sk="K2",
        projects=KEYS_ONLY,
        sparse=True,
        keys={Visit: Key("{user}", "{until}#{number}")},
    )
    some = Index(
        pk="S1", sk="S2", projects=(Visit.until,), keys={Visit: Key("SOME#{user}", "{number}")}
    )

    put = Put(Visit)
    create = Put(Visit, create=True)
    put_many = BatchPut(Visit)
    create_many = BatchCreate(Visit)
    get = Get(Visit)
    get_many = BatchGet(Visit)
    change = Update(Visit)
    remove = Delete(Visit)
    of_page = Query(Visit)
    notes = Query(
        Visit,
        select=(
            Visit.number,
            Visit.note,
        ),
    )
    of_user = Query(Visit, by_user)
    keys_of_user = Query(Visit, keys)
    some_of_user = Query(Visit, some)
    hydrated = Query(Visit, keys, hydrate=True)
    hydrated_notes = Query(
        Visit,
        keys,
        select=(
            Visit.number,
            Visit.note,
        ),
        hydrate=True,
    )


NOW = datetime.now(UTC).replace(microsecond=0)
SOON, LATER = NOW + timedelta(hours=1), NOW + timedelta(days=2)
LISTS: list[tuple[Any, dict[str, str]]] = [
    (VisitTable.of_page, {"page": "p"}),
    (VisitTable.notes, {"page": "p"}),
    (VisitTable.of_user, {"user": "u"}),
    (VisitTable.keys_of_user, {"user": "u"}),
    (VisitTable.some_of_user, {"user": "u"}),
    (VisitTable.hydrated, {"user": "u"}),
    (VisitTable.hydrated_notes, {"user": "u"}),
]


def visit(number: int, until: datetime | None, note: str | None = None) -> Visit:
    end = iso_utc(until) if until else None
    return Visit(page="p", number=number, user="u", until=end, note=note)


def key(number: int) -> dict[str, Any]:
    return {"page": "p", "number": number}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    """Its clock is a day ahead: what ends soon is past, what ends later is not."""
    return dynamodb.store(VisitTable, now=lambda: NOW + timedelta(days=1))


@pytest.fixture
def filled(store: Store) -> Store:
    """Of forty visits every fourth lasts."""
    store.put_many(
        VisitTable.put_many,
        [visit(n, LATER if n % 4 == 3 else SOON, note=str(n)) for n in range(40)],
    )
    return store


def test_what_is_past_cannot_be_read_by_its_key(filled: Store) -> None:
    assert filled.get(VisitTable.get, key(0)) is None
    assert filled.get(VisitTable.get, key(3)) is not None
    found = filled.get_many(VisitTable.get_many, [key(n) for n in range(8)])
    assert sorted(int(one["number"]) for one in found) == [3, 7]


def test_what_never_ends_is_there(store: Store) -> None:
    store.put(VisitTable.put, visit(1, None))
    assert store.get(VisitTable.get, key(1)) is not None
    assert len(store.query(VisitTable.of_page, {"page": "p"}).items) == 1
    store.update(VisitTable.change, key(1), {"note": "x"})


@pytest.mark.parametrize(("pattern", "where"), LISTS, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("limit", [1, 3, 50])
def test_what_is_past_is_in_no_list(
    filled: Store, pattern: Any, where: dict[str, str], limit: int
) -> None:
    expected = list(range(3, 40, 4))
    assert [int(one["number"]) for one in filled.each(pattern, where)] == expected
    found: list[int] = []
    cursor = None
    while True:
        page = filled.query(pattern, where, limit=limit, cursor=cursor)
        assert len(page.items) <= limit
        found += [int(one["number"]) for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == expected


def clock_at(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment


def test_hiding_what_is_past_reads_no_more(filled: Store, dynamodb: Database) -> None:
    units = []
    for ahead in (timedelta(0), timedelta(days=1)):
        meter = Meter(dynamodb.caller)
        store = dynamodb.store(VisitTable, meter, now=clock_at(NOW + ahead))
        list(store.each(VisitTable.of_page, {"page": "p"}))
        list(store.each(VisitTable.notes, {"page": "p"}))
        list(store.each(VisitTable.hydrated, {"user": "u"}))
        units.append((meter.read_units, meter.calls))
    assert units[0] == units[1]


def test_what_is_past_makes_room_for_what_is_new(filled: Store) -> None:
    filled.put(VisitTable.create, visit(0, LATER, note="new"))
    (found,) = filled.get_many(VisitTable.get_many, [key(0)])
    assert found["note"] == "new"
    with pytest.raises(AlreadyExists):
        filled.put(VisitTable.create, visit(3, LATER))


def test_what_is_past_cannot_be_changed(filled: Store) -> None:
    for changes in ({"note": "x"}, {"until": LATER}, {"note": "x", "user": "other"}):
        with pytest.raises(NotFound):
            filled.update(VisitTable.change, key(0), changes)
        with pytest.raises(NotFound):
            filled.update(VisitTable.change, key(0), changes, when={"note": "0"})
    assert filled.update(VisitTable.change, key(3), {"note": "x"})["note"] == "x"


def test_what_is_past_can_be_removed_whatever_is_expected_of_it(
    filled: Store, dynamodb: Database
) -> None:
    filled.delete(VisitTable.remove, key(0), when={"note": "something else"})
    with pytest.raises(Conflict):
        filled.delete(VisitTable.remove, key(3), when={"note": "something else"})
    assert len(dynamodb.items()) == 39


def test_a_batch_of_creations_replaces_expired_items_alone(filled: Store) -> None:
    filled.put(VisitTable.put, visit(98, LATER, note="first"))
    batch = [visit(0, LATER), visit(98, LATER), visit(99, LATER)]
    assert filled.create_many(VisitTable.create_many, batch) == [True, False, True]
    assert filled.get(VisitTable.get, key(0)) == visit(0, LATER)
    assert filled.get(VisitTable.get, key(98)) == visit(98, LATER, note="first")


def test_a_value_that_is_no_number_ends_nothing(store: Store, dynamodb: Database) -> None:
    store.put(VisitTable.put, visit(1, LATER, note="a"))
    (item,) = dynamodb.items()
    dynamodb.write([{**item, "ttl": {"S": "1"}}])
    assert store.get(VisitTable.get, key(1)) is not None
    assert store.update(VisitTable.change, key(1), {"note": "b"})["note"] == "b"
    with pytest.raises(AlreadyExists):
        store.put(VisitTable.create, visit(1, LATER))
