"""What has expired is not there, although DynamoDB may take days to remove it.

DynamoDB Local removes what has expired within seconds, so the clock of the store is set ahead here.
"""

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
    Get,
    Index,
    Key,
    Put,
    Query,
    Record,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database

VISITS = Table(
    "visits",
    pk="PK",
    sk="SK",
    ttl="ttl",
    entities=[
        Entity(
            "Visit",
            key=Key("PAGE#{page}", "VISIT#{number}"),
            indexed={
                "all": Key("USER#{user}", "{number}"),
                "keys": Key("{user}", "{until}#{number}"),
                "some": Key("SOME#{user}", "{number}"),
            },
            fields=[
                Text("page"),
                Whole("number", digits=4),
                Text("user"),
                Timestamp("until", optional=True),
                Text("note", optional=True),
            ],
            expires=Expiry("until"),
        )
    ],
    indexes=[
        Index("all", pk="A1", sk="A2"),
        Index("keys", pk="K1", sk="K2", projects=KEYS_ONLY, sparse=True),
        Index("some", pk="S1", sk="S2", projects=("until",)),
    ],
    patterns=[
        Put("put", "Visit"),
        Put("create", "Visit", create=True),
        BatchPut("put_many", "Visit"),
        BatchCreate("create_many", "Visit"),
        Get("get", "Visit"),
        BatchGet("get_many", "Visit"),
        Update("change", "Visit"),
        Delete("remove", "Visit"),
        Query("of_page", "Visit"),
        Query("notes", "Visit", select=("number", "note")),
        Query("of_user", "Visit", index="all"),
        Query("keys_of_user", "Visit", index="keys"),
        Query("some_of_user", "Visit", index="some"),
        Query("hydrated", "Visit", index="keys", hydrate=True),
        Query("hydrated_notes", "Visit", index="keys", hydrate=True, select=("number", "note")),
    ],
)
NOW = datetime.now(UTC).replace(microsecond=0)
SOON, LATER = NOW + timedelta(hours=1), NOW + timedelta(days=2)
LISTS: list[tuple[Any, dict[str, str]]] = [
    (VISITS.of_page, {"page": "p"}),
    (VISITS.notes, {"page": "p"}),
    (VISITS.of_user, {"user": "u"}),
    (VISITS.keys_of_user, {"user": "u"}),
    (VISITS.some_of_user, {"user": "u"}),
    (VISITS.hydrated, {"user": "u"}),
    (VISITS.hydrated_notes, {"user": "u"}),
]


def visit(number: int, until: datetime | None, **more: str) -> Record:
    when = {"until": until} if until else {}
    return {"page": "p", "number": number, "user": "u", **when, **more}


def key(number: int) -> Record:
    return {"page": "p", "number": number}


@pytest.fixture
def store(database: Database) -> Store:
    """Its clock is a day ahead: what ends soon is past, what ends later is not."""
    database.create(VISITS)
    return database.store(VISITS, now=lambda: NOW + timedelta(days=1))


@pytest.fixture
def filled(store: Store) -> Store:
    """Of forty visits every fourth lasts."""
    store.put_many(
        VISITS.put_many, [visit(n, LATER if n % 4 == 3 else SOON, note=str(n)) for n in range(40)]
    )
    return store


def test_what_is_past_cannot_be_read_by_its_key(filled: Store) -> None:
    assert filled.get(VISITS.get, key(0)) is None
    assert filled.get(VISITS.get, key(3)) is not None
    found = filled.get_many(VISITS.get_many, [key(n) for n in range(8)])
    assert sorted(int(one["number"]) for one in found) == [3, 7]


def test_what_never_ends_is_there(store: Store) -> None:
    store.put(VISITS.put, visit(1, None))
    assert store.get(VISITS.get, key(1)) is not None
    assert len(store.query(VISITS.of_page, {"page": "p"}).items) == 1
    store.update(VISITS.change, key(1), {"note": "x"})


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


def test_hiding_what_is_past_reads_no_more(filled: Store, database: Database) -> None:
    units = []
    for ahead in (timedelta(0), timedelta(days=1)):
        meter = Meter(database.dynamo)
        store = database.store(VISITS, meter, now=lambda ahead=ahead: NOW + ahead)
        list(store.each(VISITS.of_page, {"page": "p"}))
        list(store.each(VISITS.notes, {"page": "p"}))
        list(store.each(VISITS.hydrated, {"user": "u"}))
        units.append((meter.read_units, meter.calls))
    assert units[0] == units[1]


def test_what_is_past_makes_room_for_what_is_new(filled: Store) -> None:
    filled.put(VISITS.create, visit(0, LATER, note="new"))
    (found,) = filled.get_many(VISITS.get_many, [key(0)])
    assert found["note"] == "new"
    with pytest.raises(AlreadyExists):
        filled.put(VISITS.create, visit(3, LATER))


def test_what_is_past_cannot_be_changed(filled: Store) -> None:
    for changes in ({"note": "x"}, {"until": LATER}, {"note": "x", "user": "other"}):
        with pytest.raises(NotFound):
            filled.update(VISITS.change, key(0), changes)
        with pytest.raises(NotFound):
            filled.update(VISITS.change, key(0), changes, expect={"note": "0"})
    assert filled.update(VISITS.change, key(3), {"note": "x"})["note"] == "x"


def test_what_is_past_can_be_removed_whatever_is_expected_of_it(
    filled: Store, database: Database
) -> None:
    filled.delete(VISITS.remove, key(0), expect={"note": "something else"})
    with pytest.raises(Conflict):
        filled.delete(VISITS.remove, key(3), expect={"note": "something else"})
    assert len(database.items()) == 39


def test_a_batch_of_creations_leaves_what_is_past_to_dynamodb(filled: Store) -> None:
    """A statement that inserts looks at nothing but the key."""
    assert filled.create_many(VISITS.create_many, [visit(0, LATER), visit(99, LATER)]) == [
        False,
        True,
    ]


def test_a_value_that_is_no_number_ends_nothing(store: Store, database: Database) -> None:
    store.put(VISITS.put, visit(1, LATER, note="a"))
    (item,) = database.items()
    database.write([{**item, "ttl": {"S": "1"}}])
    assert store.get(VISITS.get, key(1)) is not None
    assert store.update(VISITS.change, key(1), {"note": "b"})["note"] == "b"
    with pytest.raises(AlreadyExists):
        store.put(VISITS.create, visit(1, LATER))
