"""Items that do not fit their entity: MalformedItem names the fault, on_malformed skips them."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Binary,
    Choice,
    Collection,
    Date,
    Delete,
    Document,
    Entity,
    EpochTimestamp,
    Field,
    Flag,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Number,
    Part,
    PartOf,
    Put,
    Query,
    Scan,
    SetOf,
    Table,
    Tally,
    Text,
    Timestamp,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Address(Part):
    city: Field[str] = Text()
    zip: Field[int | None] = Whole(default=None)


class Event(Entity, key=Key("LOG#{log}", "E#{number}")):
    log: Field[str] = Text("PK", max_length=5)
    number: Field[int] = Whole("SK", digits=3, lowest=1)
    text: Field[str] = Text(max_length=5, pattern="[a-z]+")
    amount: Field[Decimal] = Number()
    price: Field[Decimal] = Money()
    whole: Field[int] = Whole(lowest=1)
    flag: Field[bool] = Flag()
    binary: Field[bytes] = Binary()
    state: Field[Literal["ON", "OFF"]] = Choice(("ON", "OFF"))
    color: Field[Color] = Choice(Color)
    day: Field[date] = Date()
    at: Field[datetime] = Timestamp()
    epoch: Field[datetime] = EpochTimestamp()
    document: Field[Mapping[str, Any]] = Document()
    texts: Field[tuple[str, ...]] = ListOf(Text())
    wholes: Field[set[int]] = SetOf(Whole())
    address: Field[Address] = PartOf(Address)
    addresses: Field[tuple[Address, ...]] = ListOf(PartOf(Address))
    note: Field[str | None] = Text(default=None)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="count_", default=None)


class Comment(Entity, key=Key("LOG#{log}", "E#{number}#C#{author}")):
    log: Field[str] = Text("PK")
    number: Field[int] = Whole(digits=3)
    author: Field[str] = Text()


class Log(Table, pk="PK", sk="SK"):
    by_day = Index(
        pk="DPK", sk="DSK", keys={Event: Key("DAY#{day}", "{number}")}, projects=KEYS_ONLY
    )
    by_state = Index(
        pk="TPK", sk="TSK", keys={Event: Key("STATE#{state}", "DAY#{day}")}, projects=KEYS_ONLY
    )
    put = Put(Event)
    change = Update(Event)
    touch = Upsert(Event)
    remove = Delete(Event)
    comment = Put(Comment)
    event = Get(Event)
    events = BatchGet(Event)
    of_log = Query(Event)
    texts_of_log = Query(Event, select=(Event.text,))
    of_day = Query(Event, by_day)
    hydrated = Query(Event, by_day, hydrate=True)
    with_comments = Collection(Event, Comment)
    every = Scan(Event)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOME = Address(city="Rome")


def event(number: int) -> Event:
    return Event(
        log="a",
        number=number,
        text="tea",
        amount=Decimal(1),
        price=Decimal(2),
        whole=3,
        flag=True,
        binary=b"x",
        state="ON",
        color=Color.RED,
        day=date(2026, 1, 1),
        at=NOON,
        epoch=NOON,
        document={"a": 1},
        texts=("x",),
        wholes={1},
        address=HOME,
        addresses=(HOME,),
    )


TABLE = {"TableName": "log"}
KEY = {"PK": {"S": "LOG#a"}, "SK": {"S": "E#002"}}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    store = dynamodb.store(Log)
    for number in range(1, 6):
        store.put(Log.put, event(number))
    return store


@pytest.fixture
def spoil(dynamodb: Database, store: Store) -> Callable[..., Item]:
    """Writes event 2 as another program might, with these attributes, None for none."""

    def write(**attributes: Any) -> Item:
        stored = dynamodb.caller.call("GetItem", {**TABLE, "Key": KEY})["Item"]
        item = {
            name: record for name, record in (stored | attributes).items() if record is not None
        }
        dynamodb.write([item])
        return item

    return write


WRONG_TYPES: dict[str, dict[str, Any]] = {
    "text": {"N": "1"},
    "amount": {"S": "1"},
    "price": {"S": "abc"},
    "whole": {"S": "abc"},
    "flag": {"S": "true"},
    "binary": {"S": "eA=="},
    "state": {"BOOL": True},
    "color": {"N": "1"},
    "day": {"N": "20260101"},
    "at": {"N": "0"},
    "epoch": {"S": "2026-01-01T12:00:00Z"},
    "document": {"S": "{}"},
    "texts": {"SS": ["x"]},
    "wholes": {"L": [{"N": "1"}]},
    "address": {"L": []},
    "addresses": {"M": {}},
    "note": {"BOOL": False},
}
WRONG_VALUES: list[tuple[str, dict[str, Any], str]] = [
    ("whole", {"N": "-7.5"}, "must be a whole number"),
    ("state", {"S": "on"}, "must be one of ON, OFF"),
    ("color", {"S": "green"}, "must be one of red, blue"),
    ("day", {"S": "2025-13-45"}, "must be a day that exists"),
    ("at", {"S": "2026-01-01T12:00:00"}, "must be a time with its time zone"),
    ("at", {"S": "yesterday"}, "must be a UTC time"),
    ("epoch", {"N": "7.5"}, "must be a whole number"),
    ("epoch", {"N": "1" + 40 * "0"}, "must be"),
    ("texts", {"L": [{"S": "x"}, {"N": "1"}]}, "has an entry that must be"),
    ("texts", {"L": [{"NULL": True}]}, "has an entry that must be"),
    ("wholes", {"NS": ["1", "1.5"]}, "has an entry that must be a whole number"),
    ("address", {"M": {"zip": {"N": "1"}}}, "city is required"),
    ("address", {"M": {"city": {"N": "1"}}}, "city must be"),
    ("address", {"M": {"city": {"S": "Rome"}, "zip": {"S": "x"}}}, "zip must be"),
    ("addresses", {"L": [{"M": {}}]}, "city is required"),
    ("count_x", {"S": "1"}, "must be of type N"),
    *((name, {"NULL": True}, "is required") for name in WRONG_TYPES if name != "note"),
    *((name, record, "must be of type") for name, record in WRONG_TYPES.items()),
]


@pytest.mark.parametrize(("attribute", "value", "rule"), WRONG_VALUES)
def test_value_of_another_type_is_named(
    store: Store, spoil: Callable[..., Item], attribute: str, value: dict[str, Any], rule: str
) -> None:
    item = spoil(**{attribute: value})
    with pytest.raises(MalformedItem, match=rule) as raised:
        store.get(Log.event, log="a", number=2)
    error = raised.value
    assert (error.table, error.entity, error.key) == ("log", "Event", KEY)
    assert (error.attribute, error.value, error.item) == (attribute, value, item)
    assert all(text in str(error) for text in ("'LOG#a'", "'E#002'", "table log", attribute))
    assert rule in error.rule
    assert repr(error.value)[:90] in str(error)


@pytest.mark.parametrize("name", [name for name in WRONG_TYPES if name not in ("note", "wholes")])
def test_missing_required_attribute_is_named(
    store: Store, spoil: Callable[..., Item], name: str
) -> None:
    spoil(**{name: None})
    with pytest.raises(MalformedItem, match=f"attribute '{name}' is required"):
        store.get(Log.event, log="a", number=2)


SECOND = {"log": "a", "number": 2}
WRITES: dict[str, Callable[[Store], object]] = {
    "put": lambda store: store.replace(Log.put, event(2)),
    "change": lambda store: store.update(Log.change, SECOND, {"text": "gin"}),
    "touch": lambda store: store.upsert(
        Log.touch, SECOND, {name: v for name, v in event(2).items() if name not in SECOND}
    ),
    "remove": lambda store: store.delete(Log.remove, SECOND),
}


@pytest.mark.parametrize("name", WRITES)
def test_write_that_returns_a_malformed_item_says_that_it_was_applied(
    store: Store, spoil: Callable[..., Item], dynamodb: Database, name: str
) -> None:
    # An upsert sets every field but those of the tally.
    before = spoil(count_x={"S": "x"})
    with pytest.raises(MalformedItem) as raised:
        WRITES[name](store)
    error = raised.value
    assert (error.maybe_applied, error.pattern, error.table) == (True, name, "log")
    assert error.attribute == "count_x"
    stored = dynamodb.caller.call("GetItem", {**TABLE, "Key": KEY}).get("Item")
    assert name == "touch" or stored != before


def test_write_that_reads_a_malformed_item_first_is_not_applied(
    store: Store, spoil: Callable[..., Item], dynamodb: Database
) -> None:
    before = spoil(flag={"S": "x"})
    with pytest.raises(MalformedItem) as raised:
        store.update(Log.change, SECOND, {"day": date(2026, 1, 2)})
    assert (raised.value.maybe_applied, raised.value.pattern) == (False, "change")
    assert dynamodb.caller.call("GetItem", {**TABLE, "Key": KEY}).get("Item") == before


SOUND: list[tuple[str, dict[str, Any] | None, Any]] = [
    ("text", {"S": "Longer than the rule"}, "Longer than the rule"),
    ("whole", {"N": "-7"}, -7),
    ("whole", {"N": "70"}, 70),
    ("price", {"N": "-1.234"}, Decimal("-1.234")),
    ("price", {"N": "1"}, Decimal("1.00")),
    ("note", {"NULL": True}, None),
    ("note", None, None),
    ("wholes", None, set()),
    ("count_x", {"N": "2"}, None),
    ("address", {"M": {"city": {"S": "Rome"}, "zip": {"NULL": True}, "x": {"N": "1"}}}, HOME),
    ("undeclared", {"N": "1"}, None),
]


@pytest.mark.parametrize(("attribute", "value", "expected"), SOUND)
def test_rules_that_leave_the_type_alone_are_not_checked(
    store: Store,
    spoil: Callable[..., Item],
    attribute: str,
    value: dict[str, Any] | None,
    expected: Any,
) -> None:
    spoil(**{attribute: value})
    listed = store.get(Log.event, log="a", number=2)
    assert getattr(listed, attribute, None) == expected


KEYS = ["E#abc", "E#2", "E#0002", "E#1_0", "E# 02", "E#002 ", "E#\u0662\u0662\u0662"]


@pytest.mark.parametrize("text", KEYS)
@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_pages_are_whole_and_go_on_where_items_are_skipped(
    store: Store, dynamodb: Database, spoil: Callable[..., Item], text: str, limit: int
) -> None:
    item = spoil(SK={"S": text})
    with pytest.raises(MalformedItem, match=r"attribute 'SK' .* the form E#\{number\}"):
        list(store.each(Log.of_log, log="a"))
    skipped: list[Item] = []
    listed, cursor, sizes = [], None, []
    while True:
        page = store.query(
            Log.of_log,
            log="a",
            limit=limit,
            cursor=cursor,
            on_malformed=lambda raw, error: skipped.append(raw),
        )
        listed += [record.number for record in page.items]
        sizes.append(len(page.items))
        cursor = page.cursor
        assert page.has_more is (cursor is not None)
        if cursor is None:
            break
    assert listed == [1, 2, 3, 4, 5]
    assert skipped == [item]
    assert all(size == limit for size in sizes[:-1])


@pytest.mark.parametrize("name", ["of_log", "of_day", "hydrated", "with_comments", "every", "get"])
def test_every_list_skips_malformed_items(
    store: Store, spoil: Callable[..., Item], name: str
) -> None:
    store.put(Log.comment, Comment(log="a", number=3, author="ann"))
    if name == "of_day":  # whose entries have keys alone
        item = spoil(DSK={"S": "2"})
        item = {name: item[name] for name in ("PK", "SK", "DPK", "DSK")}
    else:
        item = spoil(flag={"N": "1"})
    skipped: list[tuple[Item, str]] = []

    def skip(raw: Item, error: MalformedItem) -> None:
        skipped.append((raw, error.attribute))

    lists: dict[str, Callable[..., Any]] = {
        "of_log": lambda **more: store.each(Log.of_log, log="a", **more),
        "of_day": lambda **more: store.each(Log.of_day, day=date(2026, 1, 1), **more),
        "hydrated": lambda **more: store.each(Log.hydrated, day=date(2026, 1, 1), **more),
        "with_comments": lambda **more: store.each(Log.with_comments, log="a", **more),
        "every": lambda **more: store.scan(Log.every, **more),
        "get": lambda **more: store.get_many(
            Log.events, [{"log": "a", "number": number} for number in range(1, 6)], **more
        ),
    }
    with pytest.raises(MalformedItem):
        list(lists[name]())
    listed = list(lists[name](on_malformed=skip))
    assert sorted(record.number for record in listed if isinstance(record, Event)) == [1, 3, 4, 5]
    assert skipped == [(item, "DSK" if name == "of_day" else "flag")]


def test_other_ways_to_read_skip_malformed_items(store: Store, spoil: Callable[..., Item]) -> None:
    spoil(SK={"S": "E#0"})
    skipped: list[Item] = []

    def skip(raw: Item, error: MalformedItem) -> None:
        skipped.append(raw)

    first = store.first(Log.of_log, log="a", on_malformed=skip)
    assert first is not None
    assert (first.number, len(skipped)) == (1, 1)
    condition = Event.number >= 1
    assert store.count(Log.of_log, log="a", where=condition, on_malformed=skip) == 5
    assert len(skipped) == 2
    batch, start = store.scan_page(Log.every, on_malformed=skip)
    assert (len(batch), start, len(skipped)) == (5, None, 3)
    with pytest.raises(MalformedItem):
        store.scan_page(Log.every)
    with pytest.raises(MalformedItem):
        store.count(Log.of_log, log="a", where=condition)


def test_malformed_item_beyond_the_page_does_not_stop_it(
    store: Store, spoil: Callable[..., Item]
) -> None:
    spoil(flag={"N": "1"})
    assert [record.number for record in store.query(Log.of_log, log="a", limit=1).items] == [1]
    first = next(store.each(Log.of_log, log="a"))
    assert first.number == 1


def test_fields_that_a_list_does_not_read_are_not_required(
    store: Store, spoil: Callable[..., Item]
) -> None:
    spoil(flag=None)
    assert len(list(store.each(Log.texts_of_log, log="a"))) == 5
    assert len(list(store.each(Log.of_day, day=date(2026, 1, 1)))) == 5


def test_items_of_other_kinds_are_passed_over(store: Store, dynamodb: Database) -> None:
    store.put(Log.comment, Comment(log="a", number=3, author="ann"))
    dynamodb.write([{"PK": {"S": "LOG#a"}, "SK": {"S": "E#003#LIKE"}}])
    assert len(list(store.each(Log.of_log, log="a"))) == 5
    assert len(list(store.each(Log.with_comments, log="a"))) == 6
    assert len(list(store.scan(Log.every))) == 5


def test_key_beyond_tightened_bounds_is_listed(store: Store, spoil: Callable[..., Item]) -> None:
    spoil(SK={"S": "E#000"})  # lowest=1
    assert [record.number for record in store.each(Log.of_log, log="a")] == [0, 1, 2, 3, 4, 5]
    assert [record.number for record in store.scan(Log.every) if record.number == 0] == [0]


class Visit(Entity, key=Key("ROOM#{room}", "V#{day}#{number}")):
    room: Field[str] = Text()
    day: Field[date] = Date()
    number: Field[int] = Whole(digits=2)
    at: Field[str] = Text(default="x")


class Guest(Entity, key=Key("ROOM#{room}", "G#{name}")):
    room: Field[str] = Text()
    name: Field[str] = Text()


class Visits(Table, pk="PK", sk="SK", entity_type="type", id="visits"):
    by_day = Index(pk="DPK", sk="DSK", keys={Visit: Key("DAY#{day}", "{number}")})
    put = Put(Visit)
    put_guest = Put(Guest)
    visit = Get(Visit)
    visits = BatchGet(Visit)
    change = Update(Visit)
    of_room = Query(Visit)
    of_day = Query(Visit, by_day)
    guests = Query(Guest)
    both = Collection(Visit, Guest)
    every = Scan(Visit)


# What another program wrote, and the attribute that the error names.
OTHER_KEYS = {
    "another text": ({"room": {"S": "2"}}, "PK"),
    "another day": ({"day": {"S": "2026-01-02"}}, "SK"),
    "another number": ({"number": {"N": "2"}}, "SK"),
    "a key of another form": ({"SK": {"S": "V#2026-01-01"}}, "SK"),
    "a key of no form": ({"SK": {"S": "V#?#?#?"}}, "SK"),
}
VISIT: dict[str, Any] = {"room": "1", "day": date(2026, 1, 1), "number": 1}


@pytest.mark.parametrize("name", OTHER_KEYS)
def test_item_whose_key_is_not_that_of_its_fields_is_malformed(
    dynamodb: Database, name: str
) -> None:
    store, (attributes, attribute) = dynamodb.store(Visits), OTHER_KEYS[name]
    store.put(Visits.put, Visit(**VISIT))
    store.put(Visits.put_guest, Guest(room="1", name="ann"))
    (stored,) = (item for item in dynamodb.items(Visits) if item["type"] == {"S": "Visit"})
    dynamodb.empty(Visits)
    dynamodb.write([stored | attributes], Visits)
    reads: dict[str, Callable[..., object]] = {
        "query": lambda **skip: store.query(Visits.of_room, room="1", **skip).items,
        "index": lambda **skip: list(store.each(Visits.of_day, day=VISIT["day"], **skip)),
        "collection": lambda **skip: list(store.each(Visits.both, room="1", **skip)),
        "scan": lambda **skip: list(store.scan(Visits.every, **skip)),
    }
    if "SK" not in attributes:
        reads["get"] = lambda: store.get(Visits.visit, VISIT)
        reads["get_many"] = lambda: store.get_many(Visits.visits, [VISIT])
        reads["update"] = lambda: store.update(Visits.change, VISIT, {"at": "y"})
    for read in reads.values():
        with pytest.raises(MalformedItem) as raised:
            read()
        assert (raised.value.attribute, raised.value.entity) == (attribute, "Visit")
    skipped: list[Any] = []
    for way in ("query", "index", "collection", "scan"):
        assert reads[way](on_malformed=lambda item, error: skipped.append(item)) == []
    assert len(skipped) == 4
