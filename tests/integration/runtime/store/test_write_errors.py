"""Writes of items that are absent, live, expired or another entity's, and the errors they raise."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    Binary,
    Check,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
    Key,
    Number,
    Put,
    Table,
    Text,
    Timestamp,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    NotFound,
    ResourceMissing,
    StoreError,
    TransactionRefused,
)
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

NOW = datetime.now(UTC).replace(microsecond=0)
# DynamoDB Local removes expired items, so the clock of the store is ahead.
SOON, LATER = NOW + timedelta(hours=1), NOW + timedelta(days=9)


class Room(Entity, key=Key("HOTEL#{hotel}", "ROOM#{number}"), expires=Expiry("until")):
    hotel: Field[str] = Text()
    number: Field[str] = Text()
    state: Field[str] = Text()
    until: Field[datetime] = Timestamp()
    nights: Field[int] = Whole(default=0)
    photo: Field[bytes] = Binary(default=b"\x00\xff")
    code: Field[str | None] = Text(default=None, secret=True)


class Suite(Entity, key=Key("HOTEL#{hotel}", "ROOM#{number}")):
    hotel: Field[str] = Text()
    number: Field[str] = Text()


class Hotels(Table, pk="PK", sk="SK", ttl="ttl", entity_type="type", id="hotels"):
    get = Get(Room, consistent=True)
    put = Put(Room)
    create = Put(Room, create=True)
    put_many = BatchPut(Room)
    create_many = BatchCreate(Room)
    change = Update(Room)
    touch = Upsert(Room)
    remove = Delete(Room)
    check = Check(Room)
    put_suite = Put(Suite)


SECRETS = Secrets(Ring("hotels", {b"key1": b"k" * 32}, b"key1", digest=b"d" * 32))
KEY = {"hotel": "1", "number": "12"}
ATTRIBUTES = {"PK": "HOTEL#1", "SK": "ROOM#12"}
PLACE = "HOTEL#1/ROOM#12 in hotels"


def room(state: str, until: datetime = LATER) -> Room:
    return Room(hotel="1", number="12", state=state, until=until, code="1234")


FREE, NEW = Room.state == "free", room("new")
CHANGES = {"state": "new", "until": LATER, "code": "1234"}


def transacted(store: Store, action: Any) -> Any:
    try:
        store.transact_write(action)
    except TransactionRefused as refused:
        (problem,) = refused.problems.values()
        raise problem from None
    return None


Write = Callable[[Store], Any]
# What a write does to an item that is absent, live with another state, expired, another entity's.
WRITES: dict[str, tuple[Write, str]] = {
    "put": (lambda s: s.put(Hotels.put, NEW), "new new new AlreadyExists"),
    "replace": (lambda s: s.replace(Hotels.put, NEW), "new new new AlreadyExists"),
    "create": (lambda s: s.put(Hotels.create, NEW), "new AlreadyExists new AlreadyExists"),
    "create_many": (lambda s: s.create_many(Hotels.create_many, [NEW]), "new same new same"),
    "update": (
        lambda s: s.update(Hotels.change, KEY, CHANGES, when=FREE),
        "NotFound Conflict NotFound NotFound",
    ),
    "derived update": (
        lambda s: s.update(Hotels.change, KEY, {"until": LATER}, when=FREE),
        "NotFound Conflict NotFound NotFound",
    ),
    "empty update": (
        lambda s: s.update(Hotels.change, KEY, when=FREE),
        "NotFound Conflict NotFound NotFound",
    ),
    "upsert": (
        lambda s: s.upsert(Hotels.touch, KEY, CHANGES, when=FREE),
        "new Conflict new AlreadyExists",
    ),
    "delete": (lambda s: s.delete(Hotels.remove, KEY), "gone gone gone same"),
    "delete when": (
        lambda s: s.delete(Hotels.remove, KEY, when=FREE),
        "gone Conflict gone same",
    ),
    "to_put": (
        lambda s: transacted(s, s.to_put(Hotels.create, NEW)),
        "new AlreadyExists new AlreadyExists",
    ),
    "to_update": (
        lambda s: transacted(s, s.to_update(Hotels.change, KEY, {"state": "new"}, when=FREE)),
        "NotFound Conflict NotFound NotFound",
    ),
    "to_update of an upsert": (
        lambda s: transacted(s, s.to_update(Hotels.touch, KEY, CHANGES, when=FREE)),
        "new Conflict new AlreadyExists",
    ),
    "to_delete": (
        lambda s: transacted(s, s.to_delete(Hotels.remove, KEY, when=FREE)),
        "gone Conflict gone NotFound",
    ),
    "to_delete of what must exist": (
        lambda s: transacted(s, s.to_delete(Hotels.remove, KEY, missing_ok=False, when=FREE)),
        "NotFound Conflict NotFound NotFound",
    ),
    "to_check": (
        lambda s: transacted(s, s.to_check(Hotels.check, KEY, when=FREE)),
        "NotFound Conflict NotFound NotFound",
    ),
}  # fmt: skip
STATES = ("absent", "live", "expired", "another entity's")


@pytest.mark.parametrize("client", ["wire", "boto3"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", WRITES)
def test_every_write_of_every_item(dynamodb: Database, name: str, state: str, client: str) -> None:
    caller = dynamodb.caller if client == "wire" else Boto3Client(dynamodb.client())
    settings: Any = {"secrets": SECRETS, "now": lambda: NOW + timedelta(days=1)}
    store = dynamodb.store(Hotels, caller, **settings)
    if state == "another entity's":
        store.put(Hotels.put_suite, Suite(**KEY))
    elif state != "absent":
        store.put(Hotels.put, room("taken", LATER if state == "live" else SOON))
    before = dynamodb.items()
    write, outcomes = WRITES[name]
    outcome = outcomes.split()[STATES.index(state)]
    if outcome[0].isupper():
        with pytest.raises(StoreError) as refused:
            write(store)
        error = refused.value
        assert type(error).__name__ == outcome
        assert (error.table, error.key) == ("hotels", ATTRIBUTES)
        assert error.pattern in Hotels.__design__.patterns
        assert error.current == (room("taken") if state == "live" else None)
        assert not error.maybe_applied
        assert PLACE in str(error)
        assert "1234" not in f"{error} {error!r} {error.current!r}"
        assert "HOTEL" not in error.log_text
        assert dynamodb.items() == before
    else:
        write(store)
        found = store.get(Hotels.get, KEY)
        assert found == (
            NEW
            if outcome == "new"
            else room("taken")
            if before and state == "live" and outcome == "same"
            else None
        )
        if outcome == "same":
            assert dynamodb.items() == before


def test_a_conflict_says_what_was_expected_and_what_there_is(dynamodb: Database) -> None:
    store = dynamodb.store(Hotels, secrets=SECRETS)
    store.put(Hotels.put, room("taken"))
    many = FREE & (Room.nights > 2)
    either = Room.state.is_in("taken", "new") | Room.code.exists()
    conditions = [
        (FREE, 'did not satisfy Room.state == "free" (it is "taken")'),
        (
            many,
            'Room.state == "free" and Room.nights > 2 (Room.state is "taken", Room.nights is 0)',
        ),
        (~either, 'not (Room.state.is_in("taken", "new") or Room.code.exists())'),
        (~either, '(Room.state is "taken", Room.code is secret)'),
        (Room.nights.between(1, 3), "Room.nights.between(1, 3) (it is 0)"),
        (Room.code.is_missing(), "Room.code.is_missing() (it is secret)"),
    ]
    for condition, text in conditions:
        with pytest.raises(Conflict) as refused:
            store.update(Hotels.change, KEY, {"state": "new"}, when=condition)
        assert str(refused.value).startswith(PLACE)
        assert text in str(refused.value)


def test_a_transaction_names_each_item_once(dynamodb: Database) -> None:
    store = dynamodb.store(Hotels, secrets=SECRETS)
    other = Room(**{**room("new"), "number": "13"})
    put, check = store.to_put(Hotels.create, NEW), store.to_check(Hotels.check, KEY)
    with pytest.raises(DuplicateKeys) as refused:
        store.transact_write(put, store.to_put(Hotels.create, other), check)
    assert refused.value.positions == [2]
    assert (refused.value.table, refused.value.key) == ("hotels", ATTRIBUTES)
    assert dynamodb.items() == []
    store.put(Hotels.put, NEW)
    with pytest.raises(TransactionRefused) as problems:
        store.transact_write(store.to_put(Hotels.create, other), put)
    (problem,) = problems.value.problems.items()
    assert (problem[0], problem[1].operation) == (1, "Put")
    assert problem[1].current == NEW
    assert str(problems.value) == f"action 1 (Put): {PLACE} exists already"


def test_errors_of_calls_name_the_write_too(dynamodb: Database) -> None:
    secrets = Secrets(Ring("nowhere", {b"key1": b"k" * 32}, b"key1", digest=b"d" * 32))
    store = Store(Hotels, "nowhere", dynamodb.caller, secrets=secrets)
    writes: list[Write] = [write for write, _ in WRITES.values()]
    writes += [lambda s: s.put_many(Hotels.put_many, [NEW])]
    for write in writes:
        with pytest.raises((ResourceMissing, AlreadyExists, NotFound)) as refused:
            write(store)
        assert isinstance(refused.value, ResourceMissing)
        assert refused.value.table == "nowhere"
        assert refused.value.pattern in Hotels.__design__.patterns


class Level(Entity, key=Key("{height}")):
    height: Field[Decimal] = Number()


class Levels(Table, pk="height"):
    put = Put(Level)
    create_many = BatchCreate(Level)
    put_many = BatchPut(Level)
    get_many = BatchGet(Level, consistent=True)
    remove_many = BatchDelete(Level)


def test_equal_numbers_are_one_key(dynamodb: Database) -> None:
    store = dynamodb.store(Levels)
    five, other = Level(height=Decimal("5.0")), Level(height=Decimal("5"))
    for write in (
        lambda: store.put_many(Levels.put_many, [five, other]),
        lambda: store.create_many(Levels.create_many, [five, other]),
        lambda: store.transact_write(
            store.to_put(Levels.put, five), store.to_put(Levels.put, other)
        ),
    ):
        with pytest.raises(DuplicateKeys, match=r"\[1\]"):
            write()
    assert store.create_many(Levels.create_many, [five]) == [True]
    assert store.create_many(Levels.create_many, [other]) == [False]
    assert len(store.get_many(Levels.get_many, [five, other])) == 1
    store.delete_many(Levels.remove_many, [five, other])
    assert dynamodb.items(Levels) == []
