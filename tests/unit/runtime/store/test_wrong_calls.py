"""Wrong calls of a store: each is refused by a clear error, before DynamoDB is called."""

# Wrong on purpose, which type checkers report where they can.
# mypy: disable-error-code="arg-type, call-overload, misc, operator"

import inspect
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from tablewright.model import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Check,
    Choice,
    Date,
    Delete,
    Document,
    Entity,
    Field,
    Get,
    Index,
    InvalidRecord,
    Key,
    ListOf,
    Money,
    Put,
    Query,
    Scan,
    SetOf,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime import NotFound, Store
from tests.unit.refusals import CountingClient, complaints, raised_by


class State(Enum):
    OPEN = "open"
    PAID = "paid"


class Room(Entity, key=Key("HOTEL#{hotel}", "ROOM#{floor}#{number}")):
    hotel: Field[str] = Text()
    floor: Field[int] = Whole(digits=2)
    number: Field[str] = Text()
    price: Field[Decimal] = Money()
    visits: Field[int] = Whole(default=0)
    state: Field[State] = Choice(State, default=State.OPEN)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    notes: Field[tuple[str, ...]] = ListOf(Text(), default=())
    extras: Field[Any] = Document(default=None)
    note: Field[str | None] = Text(default=None)


class Stay(Entity, key=Key("HOTEL#{hotel}", "STAY#{arrival}")):
    hotel: Field[str] = Text()
    arrival: Field[date] = Date()


class Hotels(Table, pk="PK", sk="SK"):
    by_price = Index(pk="PPK", sk="PSK", keys={Room: Key("PRICES#{hotel}", "{price}")})
    put_room = Put(Room)
    put_rooms = BatchPut(Room)
    create_rooms = BatchCreate(Room)
    delete_rooms = BatchDelete(Room)
    write = BatchWrite(Room, Stay)
    room = Get(Room)
    rooms = BatchGet(Room)
    change = Update(Room)
    visit = Upsert(Room)
    remove = Delete(Room)
    check = Check(Room)
    on_floor = Query(Room, range="number")
    prices = Query(Room, by_price, range="price")
    every = Scan(Room)
    put_stay = Put(Stay)


class Others(Table, pk="PK", sk="SK"):
    room = Get(Stay)
    rooms = Query(Stay)


ROOM = Room(hotel="ritz", floor=1, number="12", price=Decimal(90))
STAY = Stay(hotel="ritz", arrival=date(2026, 1, 31))
KEY = {"hotel": "ritz", "floor": 1, "number": "12"}
PARTITION = {"hotel": "ritz", "floor": 1}


def store(client: Any) -> Store:
    return Store(Hotels, "dev-hotels", client)


def _generator() -> Iterator[int]:
    yield 1


class Plain:
    pass


JUNK: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "-1": lambda: -1,
    "''": lambda: "",
    "'x'": lambda: "x",
    "b'x'": lambda: b"x",
    "1.5": lambda: 1.5,
    "[]": list,
    "{}": dict,
    "object": object,
    "a class": lambda: Plain,
    "a pattern of another table": lambda: Others.room,
    "a record of another entity": lambda: STAY,
    "a generator": _generator,
}

_ACTION = Store(Hotels, "dev-hotels", CountingClient())
# Positional and keyword arguments of a call that is right.
_RANGE: dict[str, Any] = dict.fromkeys(("since", "until", "after", "before", "begins_with"))
METHODS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "put": ([Hotels.put_room, ROOM], {}),
    "replace": ([Hotels.put_room, ROOM], {}),
    "update": ([Hotels.change, KEY, Room.visits.add(1)], {"when": None, "returning": "new"}),
    "upsert": ([Hotels.visit, KEY, {"price": Decimal(1)}], {"when": None}),
    "delete": ([Hotels.remove, KEY], {"when": None}),
    "put_many": ([Hotels.put_rooms, [ROOM]], {}),
    "create_many": ([Hotels.create_rooms, [ROOM]], {}),
    "delete_many": ([Hotels.delete_rooms, [KEY]], {}),
    "write_many": ([Hotels.write], {"put": [ROOM], "delete": [STAY]}),
    "to_put": ([Hotels.put_room, ROOM], {}),
    "to_update": ([Hotels.change, KEY, Room.visits.add(1)], {"when": None}),
    "to_delete": ([Hotels.remove, KEY], {"when": None, "missing_ok": True}),
    "to_check": ([Hotels.check, KEY], {"when": None}),
    "to_get": ([Hotels.room, KEY], {}),
    "get": ([Hotels.room, KEY], {}),
    "get_many": ([Hotels.rooms, [KEY]], {}),
    "query": (
        [Hotels.on_floor, PARTITION],
        {
            **_RANGE,
            "along": None,
            "where": None,
            "keep": None,
            "examine": 10,
            "descending": None,
            "limit": 5,
            "cursor": None,
            "caller": None,
        },
    ),
    "each": (
        [Hotels.on_floor, PARTITION],
        {**_RANGE, "where": None, "descending": None, "at_once": None},
    ),
    "first": ([Hotels.on_floor, PARTITION], {**_RANGE, "where": None, "descending": None}),
    "count": ([Hotels.on_floor, PARTITION], {**_RANGE, "where": None}),
    "scan": ([Hotels.every], {"where": None, "segments": 1}),
    "scan_page": (
        [Hotels.every],
        {"where": None, "segment": 0, "segments": 1, "start": None, "limit": None},
    ),
    "transact_write": ([_ACTION.to_put(Hotels.put_room, ROOM)], {"token": None}),
    "transact_get": ([_ACTION.to_get(Hotels.room, KEY)], {}),
}


# What a parameter accepts of the values above.
ACCEPTED = {
    **{(name, "[]"): "an empty batch" for name in ("batch", "keys", "put", "delete")},
    ("changes", "{}"): "an update of nothing reads the record",
    ("where", "{}"): "no condition",
    ("when", "{}"): "no condition",
    ("start", "{}"): "the beginning",
    ("caller", "''"): "the tenant",
    ("caller", "'x'"): "a caller",
    ("token", "'x'"): "a token",
    ("segment", "0"): "the first segment",
    **{(name, "'x'"): "a number of a room" for name in _RANGE},
    **{(name, "None"): "the default" for name in (*_RANGE, "where", "when", "along", "keep")},
    **{(name, "None"): "the default" for name in ("descending", "cursor", "caller", "at_once")},
    **{(name, "None"): "the default" for name in ("start", "limit", "token")},
}
POSITIONAL = {
    "put_many": ["pattern", "batch"],
    "create_many": ["pattern", "batch"],
    "delete_many": ["pattern", "keys"],
    "get_many": ["pattern", "keys"],
    "transact_write": ["actions"],
    "transact_get": ["reads"],
}


def _outcome(method: str, values: list[Any], keywords: dict[str, Any]) -> tuple[Any, int]:
    """The error of a call, and the number of calls of DynamoDB that it made."""
    client = CountingClient()

    def call() -> None:
        answer = getattr(store(client), method)(*values, **keywords)
        if inspect.isgenerator(answer):
            list(answer)

    return raised_by(call), client.calls


@pytest.mark.parametrize("method", METHODS)
def test_wrong_value_of_any_parameter_is_refused_or_documented(method: str) -> None:
    positional, keywords = METHODS[method]
    names = POSITIONAL.get(method, ["pattern", "key", "changes"])
    wrong = []
    for place in (*range(len(positional)), *keywords):
        name = names[place] if isinstance(place, int) else place
        for label, junk in JUNK.items():
            values, named = list(positional), dict(keywords)
            if isinstance(place, int):
                values[place] = junk()
            else:
                named[place] = junk()
            error, calls = _outcome(method, values, named)
            if (name, label) in ACCEPTED and (name != "limit" or method == "scan_page"):
                if error is not None and not isinstance(error, NotFound | ValueError):
                    wrong.append(f"{name}={label}: {error!r}")
            elif error is None or calls:
                wrong.append(f"{name}={label}: {error!r} after {calls} calls")
            else:
                wrong += [f"{name}={label}: {one}" for one in complaints(error)]
    assert wrong == []


@pytest.mark.parametrize("method", METHODS)
def test_right_call_reaches_dynamodb(method: str) -> None:
    error, calls = _outcome(method, *METHODS[method])
    assert error is None or isinstance(error, NotFound)
    assert calls or method.startswith("to_")


def _query(**arguments: Any) -> Callable[[Store], object]:
    return lambda store: store.query(Hotels.on_floor, {**PARTITION}, **arguments)


def _update(*changes: Any, **arguments: Any) -> Callable[[Store], object]:
    """An update; changes that are refused where they are written are written by it."""
    return lambda store: store.update(
        Hotels.change, KEY, *(one() if callable(one) else one for one in changes), **arguments
    )


_LONG = {"hotel": "ritz", "floor": 1, "number": "12", "price": Decimal(1)}
Wrong = Callable[[Any], object]
# By method: the call, and what its error says.
CALLS: dict[str, tuple[Wrong, type[Exception], str]] = {
    # Store
    "Store of a name": (lambda _: Store("Hotels", "t"), TypeError, "table must be a class such"),
    "Store of the base": (lambda s: Store(Room, "t", s.caller), TypeError, "the class Room"),
    "Store without a name": (lambda s: Store(Hotels, None, s.caller), TypeError, "table_name"),
    "Store of a resource": (
        lambda _: Store(Hotels, "t", SimpleNamespace(meta=SimpleNamespace())),
        TypeError,
        "resource.meta.client",
    ),
    "Store of an empty name": (
        lambda s: Store(Hotels, "", s.caller),
        ValueError,
        "table_name of hotels must not be empty",
    ),
    "Store of a client's name": (lambda _: Store(Hotels, "t", "dynamodb"), TypeError, "'dynamodb'"),
    "Store with a cursor key": (
        lambda s: Store(Hotels, "t", s.caller, cursors=b"key"),
        TypeError,
        "cursors must be a Cursors, not b'key'",
    ),
    # Patterns
    "put by a name": (lambda s: s.put("put_room", ROOM), TypeError, "Pass put_room or put_stay"),
    "put by a get": (lambda s: s.put(Hotels.room, ROOM), TypeError, "Get('room') is not a Put"),
    "get of another table": (lambda s: s.get(Others.room, KEY), TypeError, "of table 'hotels'"),
    "query by a name": (lambda s: s.query("rooms"), TypeError, "'rooms' is not a Query"),
    "query by a scan": (lambda s: s.query(Hotels.every), TypeError, "is not a Query"),
    "count by a get": (lambda s: s.count(Hotels.room), TypeError, "is not a Query"),
    "scan by a query": (lambda s: list(s.scan(Hotels.prices)), TypeError, "is not a Scan"),
    # Records
    "put of a dict": (lambda s: s.put(Hotels.put_room, _LONG), TypeError, "Pass Room(…)"),
    "put of a class": (lambda s: s.put(Hotels.put_room, Room), TypeError, "the class Room"),
    "put of another": (lambda s: s.put(Hotels.put_room, STAY), TypeError, "a Stay is not a record"),
    "replace of nothing": (lambda s: s.replace(Hotels.put_room, None), TypeError, "a record"),
    "put_many of a record": (lambda s: s.put_many(Hotels.put_rooms, ROOM), TypeError, "a list"),
    "put_many of a key": (lambda s: s.put_many(Hotels.put_rooms, [KEY]), TypeError, "Room(…)"),
    "create_many of a text": (
        lambda s: s.create_many(Hotels.create_rooms, "rooms"),
        TypeError,
        "batch must be a list, not 'rooms'",
    ),
    "write_many of a key": (lambda s: s.write_many(Hotels.write, put=[KEY]), TypeError, "a record"),
    "write_many of a class": (
        lambda s: s.write_many(Hotels.write, delete=[Room]),
        TypeError,
        "the class Room is not a record of Room or Stay",
    ),
    # Keys
    "get by a text": (lambda s: s.get(Hotels.room, "12"), TypeError, "a key must be a mapping"),
    "get by a text and fields": (
        lambda s: s.get(Hotels.room, "12", hotel="ritz"),
        TypeError,
        "a key must be a mapping of fields to values",
    ),
    "get by a field twice": (
        lambda s: s.get(Hotels.room, KEY, floor=2),
        TypeError,
        "floor is in the key and a keyword too: pass it once",
    ),
    "query by a field twice": (_query(floor=2), TypeError, "floor is in the key and a keyword too"),
    "get by part of a key": (
        lambda s: s.get(Hotels.room, hotel="ritz"),
        ValueError,
        "floor is req",
    ),
    "get by a misspelled field": (
        lambda s: s.get(Hotels.room, KEY, flor=1),
        InvalidRecord,
        "flor is not a field of Room",
    ),
    "get by more than a key": (
        lambda s: s.get(Hotels.room, _LONG),
        InvalidRecord,
        "price is not part of the key",
    ),
    "get by another record": (
        lambda s: s.get(Hotels.room, STAY),
        TypeError,
        "a key of Room must be a record of it",
    ),
    "get by a wrong value": (
        lambda s: s.get(Hotels.room, {**KEY, "floor": "x"}),
        InvalidRecord,
        "floor must be a number",
    ),
    "get_many by one key": (lambda s: s.get_many(Hotels.rooms, KEY), TypeError, "keys must be a"),
    "get_many by texts": (lambda s: s.get_many(Hotels.rooms, ["12"]), TypeError, "not '12'"),
    "delete by a number": (lambda s: s.delete(Hotels.remove, 12), TypeError, "not 12"),
    "delete_many by a record": (
        lambda s: s.delete_many(Hotels.delete_rooms, ROOM),
        TypeError,
        "keys must be a list, not a Room",
    ),
    # Changes
    "update by a text": (_update("note"), TypeError, "a change such as Order.total.set(5)"),
    "update by a condition": (_update(Room.visits == 1), TypeError, "not a Comparison"),
    "update of the key": (_update(Room.floor.set(2)), TypeError, "floor cannot be changed"),
    "update of another": (_update(Stay.arrival.remove()), TypeError, "not a field of Room"),
    "update twice": (_update(Room.note.set("a"), {"note": "b"}), TypeError, "changed twice"),
    "update of no field": (_update({"nope": 1}), InvalidRecord, "nope is not a field of Room"),
    "update returning all": (_update({}, returning="all"), TypeError, "returning must be"),
    "update when a field": (_update({}, when=Room.note), TypeError, "not a TextField"),
    "upsert without a field": (
        lambda s: s.upsert(Hotels.visit, KEY, Room.visits.add(1)),
        ValueError,
        "price is required",
    ),
    "update of nothing": (
        lambda s: s.update(Hotels.change, KEY, {}),
        ValueError,
        "update needs a change of Room. Use get to read it",
    ),
    "to_update of nothing": (
        lambda s: s.to_update(Hotels.change, KEY),
        ValueError,
        "to_update needs a change of Room. Use to_check",
    ),
    "add of a text": (_update(lambda: Room.visits.add("3")), TypeError, "visits.add: amount must"),
    "add of a float": (_update(lambda: Room.visits.add(1.5)), TypeError, "a Decimal"),
    "add of a text to a set": (_update(lambda: Room.tags.add("a")), TypeError, "a list, not 'a'"),
    "add of numbers to texts": (_update(Room.tags.add([1])), ValueError, "tags has an entry that"),
    "subtract of a text": (_update(lambda: Room.tags.subtract("a")), TypeError, "a list"),
    "subtract from a number": (_update(lambda: Room.visits.subtract([1])), ValueError, "a Whole"),
    "append to a text": (_update(lambda: Room.note.append("a")), ValueError, "note is a Text"),
    "append of a number": (_update(Room.notes.append(3)), ValueError, "notes has an entry that"),
    "set of a float in a part": (
        _update(Room.extras.at("x").set(1.5)),
        InvalidRecord,
        "extras cannot hold a value of type float",
    ),
    "set of a size": (_update(lambda: Room.note.size().set(3)), ValueError, "Change the field"),
    "set_if_missing of None": (
        _update(lambda: Room.note.set_if_missing(None)),
        ValueError,
        "Use remove()",
    ),
    "removal of a required field": (_update(Room.price.remove()), ValueError, "price is required"),
    # Parts and conditions
    "a part of a text": (lambda _: Room.note.at("x"), ValueError, "A Text has no parts"),
    "a part at nothing": (lambda _: Room.extras.at(), ValueError, "extras has no part at()"),
    "a part before the first": (lambda _: Room.notes.at(-1), ValueError, "a position from 0"),
    "a part at None": (lambda _: Room.extras.at(None), TypeError, "extras.at: path must be a text"),
    "a reversed range": (
        lambda _: Room.price.between(Decimal(3), Decimal(1)),
        ValueError,
        "price has no value between Decimal('3') and Decimal('1'). Write the lower one first",
    ),
    "one of none": (lambda _: Room.state.is_in(), ValueError, "1 to 100 values for is_in, not 0"),
    "one of a list": (lambda _: Room.state.is_in([State.OPEN]), ValueError, "is_in(*values)"),
    "a beginning of a number": (lambda _: Room.note.begins_with(3), TypeError, "a text"),
    "a number that begins": (lambda _: Room.price.begins_with("3"), ValueError, "price is a Money"),
    "a beginning of another type": (
        lambda _: Room.note.begins_with(b"a"),
        ValueError,
        "cannot begin with b'a'",
    ),
    "a set that contains a set": (
        _update({"price": Decimal(1)}, when=Room.tags.contains({"a"})),
        InvalidRecord,
        "tags has an entry that must be text",
    ),
    "a set that contains None": (
        lambda _: Room.tags.contains(None),
        ValueError,
        "cannot contain None",
    ),
    "a field that is None": (
        _query(where=Room.note == None),  # noqa: E711
        InvalidRecord,
        "note cannot be compared with None. Use is_missing()",
    ),
    "a part of a list by name": (lambda _: Room.notes.at("x"), ValueError, "no part at('x')"),
    "a text that contains 3": (lambda _: Room.note.contains(3), ValueError, "cannot contain 3"),
    "an unknown type": (lambda _: Room.note.is_of_type("X"), ValueError, "cannot be of type 'X'"),
    "the size of a number": (lambda _: Room.price.size(), ValueError, "price is a Money"),
    "a condition and a field": (
        lambda _: (Room.price > 1) & Room.state,
        TypeError,
        "a condition such as Order.total > 5, not an EnumField",
    ),
    "a condition as a truth": (lambda _: not Room.price > 1, TypeError, "combine them with & | ~"),
    "where another's field": (
        _query(where=Stay.arrival.exists()),
        TypeError,
        "does not read arrival",
    ),
    "where a wrong value": (
        _query(where=Room.price > "x"),
        InvalidRecord,
        "price must be a number",
    ),
    "where a wrong key value": (
        _query(where=Room.number == 3),
        InvalidRecord,
        "number must be text",
    ),
    "where an empty set": (_query(where=Room.tags == set()), ValueError, "Use is_missing()"),
    "where a size is a text": (_query(where=Room.note.size() > "x"), TypeError, "an int, not 'x'"),
    "where a size is a flag": (_query(where=Room.note.size() == True), TypeError, "not True"),  # noqa: E712
    "where a number is too large": (
        _query(where=Room.price < Decimal("1E+200")),
        InvalidRecord,
        "price must lie between 1E-130 and 9.9E+125",
    ),
    "where a number is too long": (
        _update({"note": "a"}, when=Room.visits == Decimal("1." + "1" * 50)),
        InvalidRecord,
        "visits must have at most 38 digits",
    ),
    "where not a field": (_query(where={"colour": 1}), InvalidRecord, "colour is not a field"),
    # Lists
    "a page of none": (_query(limit=0), ValueError, "limit must be at least 1, not 0"),
    "a page of a text": (_query(limit="20"), TypeError, "limit must be a whole number, not '20'"),
    "a page that examines none": (_query(examine=0), ValueError, "examine must be at least 1"),
    "what to do with malformed items, by a word": (
        _query(on_malformed="skip"),
        TypeError,
        "on_malformed must be 'raise' or a function, not 'skip'",
    ),
    "a test without a name": (_query(keep=bool), TypeError, "keep must be a Keep"),
    "a direction that is a word": (_query(descending="yes"), TypeError, "True or False"),
    "partitions without values": (_query(along=("hotel",)), TypeError, "along must be"),
    "partitions of a text": (_query(along=("floor", "1")), TypeError, "along must be"),
    "a cursor without cursors": (_query(cursor="x"), TypeError, "without cursors"),
    "a range that ends first": (
        _query(since="3", until="1"),
        ValueError,
        "until must not lie before",
    ),
    "a range of a text": (_query(since=3), ValueError, "since must be text"),
    "a missing partition": (lambda s: s.query(Hotels.on_floor), InvalidRecord, "hotel is required"),
    "a stranger": (lambda s: s.first(Hotels.on_floor, _LONG), InvalidRecord, "price cannot be"),
    "each at once 0": (
        lambda s: list(s.each(Hotels.on_floor, PARTITION, at_once=0)),
        ValueError,
        "at_once must be at least 1, not 0",
    ),
    "a scan in no segments": (
        lambda s: list(s.scan(Hotels.every, segments=0)),
        ValueError,
        "segments must be at least 1, not 0",
    ),
    "a segment beyond the last": (
        lambda s: s.scan_page(Hotels.every, segment=2, segments=2),
        ValueError,
        "segment must be below segments, 2, not 2",
    ),
    "a page of a scan of none": (
        lambda s: s.scan_page(Hotels.every, limit=0),
        ValueError,
        "limit must be at least 1, not 0",
    ),
    # Transactions
    "a transaction of none": (lambda s: s.transact_write(), ValueError, "1 to 100 actions"),
    "a transaction of a list": (lambda s: s.transact_write([]), TypeError, "that to_put, to_upda"),
    "a transaction of a record": (lambda s: s.transact_write(ROOM), TypeError, "not a Room"),
    "a token that is too long": (
        lambda s: s.transact_write(s.to_put(Hotels.put_room, ROOM), token="x" * 37),
        ValueError,
        "a token has 1 to 36 characters, not 37",
    ),
    "a reading of a key": (lambda s: s.transact_get(KEY), TypeError, "a read that to_get made"),
}


@pytest.mark.parametrize("call", CALLS)
def test_wrong_call_is_refused_before_dynamodb_is_called(call: str) -> None:
    run, kind, says = CALLS[call]
    client = CountingClient()
    error = raised_by(lambda: run(store(client)))
    assert isinstance(error, kind), error
    assert says in str(error)
    assert (complaints(error), client.calls) == ([], 0)
