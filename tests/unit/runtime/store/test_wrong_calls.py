"""Wrong calls of a store: each is refused by a clear error, before DynamoDB is called."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

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
from tablewright.runtime import Store
from tests.unit.refusals import CountingClient


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
    on_floor = Query(Room, range="floor")
    prices = Query(Room, by_price, range="price")
    every = Scan(Room)
    put_stay = Put(Stay)


class Others(Table, pk="PK", sk="SK"):
    room = Get(Stay)
    rooms = Query(Stay)


ROOM = Room(hotel="ritz", floor=1, number="12", price=Decimal(90))
STAY = Stay(hotel="ritz", arrival=date(2026, 1, 31))
KEY = {"hotel": "ritz", "floor": 1, "number": "12"}
PARTITION = {"hotel": "ritz"}


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
