"""Changes of parts are checked as changes of fields are: what they leave can be read and stored."""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Document,
    Entity,
    EpochTimestamp,
    Field,
    Get,
    InvalidRecord,
    InvalidValue,
    Key,
    ListOf,
    Part,
    PartOf,
    Put,
    SetOf,
    Table,
    Tally,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.model.changes import Change
from tablewright.runtime.errors import OutOfBounds
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Box(Part):
    size: Field[int] = Whole(digits=1)
    label: Field[str | None] = Text(default=None)
    tags: Field[set[str] | None] = SetOf(Text(), max_items=2, default=None)
    log: Field[tuple[str, ...]] = ListOf(Text(), max_items=2, default=())


class Other(Part):
    size: Field[int] = Whole(digits=1)


class Thing(Entity, key=Key("THING#{id}")):
    id: Field[str] = Text()
    box: Field[Box | None] = PartOf(Box, default=None)
    boxes: Field[tuple[Box, ...]] = ListOf(PartOf(Box), max_items=2, default=())
    digits: Field[tuple[int, ...]] = ListOf(Whole(digits=1), max_items=2, default=())
    extra: Field[Mapping[str, Any] | None] = Document(default=None, max_bytes=100)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="c_", default=None)
    until: Field[datetime | None] = EpochTimestamp(default=None)


class Things(Table, pk="PK", id="things"):
    put = Put(Thing)
    thing = Get(Thing, consistent=True)
    change = Update(Thing)
    touch = Upsert(Thing)


THING = Thing(
    id="1",
    box=Box(size=5, label="a", tags={"x"}, log=("a",)),
    boxes=(Box(size=5),),
    digits=(1,),
    extra={"a": 1, "list": [1]},
    counts={"a": Decimal(1)},
)
DEEP: Any = {}
for _ in range(8):
    DEEP = {"a": DEEP}
ANY: Any = "x"
# By change: the error, None for one that is carried out.
CHANGES: list[tuple[Callable[[], Change], type[Exception] | None]] = [
    (lambda: Thing.box.at(Box.size).set(9), None),
    (lambda: Thing.box.at(Box.size).set(10), InvalidRecord),
    (lambda: Thing.box.at(Box.size).set(ANY), InvalidRecord),
    (lambda: Thing.box.at(Box.size).set_if_missing(10), InvalidRecord),
    (lambda: Thing.box.at(Box.size).remove(), InvalidRecord),
    (lambda: Thing.box.at(Box.size).add(4), None),
    (lambda: Thing.box.at(Box.size).add(5), OutOfBounds),
    (lambda: Thing.box.at(Box.label).set(None), None),
    (lambda: Thing.box.at(Box.label).remove(), None),
    (lambda: Thing.box.at(Box.log).remove(), None),
    (lambda: Thing.box.at(Box.tags).set(set()), None),
    (lambda: Thing.box.at(Box.tags).add({"y", "z"}), OutOfBounds),
    (lambda: Thing.box.at(Box.log).append("b"), None),
    (lambda: Thing.box.at(Box.log).append("b", "c"), OutOfBounds),
    (lambda: Thing.box.at(Other.size).set(1), InvalidValue),
    (lambda: Thing.box.at("size").set(1), InvalidValue),
    (lambda: Thing.box.at(Box.size, "a").set(1), InvalidValue),
    (lambda: Thing.boxes.at(0).remove(), None),
    (lambda: Thing.boxes.at(1).set(Box(size=1)), None),
    (lambda: Thing.boxes.at(0).set(ANY), InvalidRecord),
    (lambda: Thing.boxes.at(0, Box.size).set(10), InvalidRecord),
    (lambda: Thing.boxes.at(2).set(Box(size=1)), InvalidValue),
    (lambda: Thing.boxes.at("a").set(ANY), InvalidValue),
    (lambda: Thing.digits.at(0).set(10), InvalidRecord),
    (lambda: Thing.digits.at(0).add(9), OutOfBounds),
    (lambda: Thing.digits.at(0).add(Decimal("0.5")), InvalidRecord),
    (lambda: Thing.extra.at("b").set({"c": [None, True, "d", 1]}), None),
    (lambda: Thing.extra.at("a").set(None), None),
    (lambda: Thing.extra.at("a").add(1), None),
    (lambda: Thing.extra.at("list").append(2, "x"), None),
    (lambda: Thing.extra.at("list", 0).set("x"), None),
    (lambda: Thing.extra.at("b").set({"a set"}), InvalidRecord),
    (lambda: Thing.extra.at("b").set(b"bytes"), InvalidRecord),
    (lambda: Thing.extra.at("b").set(1.5), InvalidRecord),
    (lambda: Thing.extra.at("b").set("x" * 99), InvalidRecord),
    (lambda: Thing.extra.at("b").set(DEEP), InvalidRecord),
    (lambda: Thing.extra.at("b").add({"a set"}), InvalidRecord),
    (lambda: Thing.extra.at("list").append(b"bytes"), InvalidRecord),
    (lambda: Thing.extra.at(0).set(1), InvalidValue),
    (lambda: Thing.counts.at("b").set(2), None),
    (lambda: Thing.counts.at("a").remove(), None),
    (lambda: Thing.counts.at("a").set(ANY), InvalidRecord),
    (lambda: Thing.counts.at("a").add({ANY}), InvalidRecord),
    (lambda: Thing.counts.at("a").append(1), InvalidValue),
    (lambda: Thing.counts.at("a", "b").set(1), InvalidValue),
    (lambda: Thing.counts.at("a" * 1025).add(1), InvalidValue),
    (lambda: Thing.until.add(1), InvalidRecord),
]


@pytest.fixture(scope="module")
def store(module_dynamodb: Database) -> Store:
    module_dynamodb.table(Things)
    return module_dynamodb.store(Things)


@pytest.mark.parametrize("number", range(len(CHANGES)))
@pytest.mark.parametrize("way", ["update", "upsert", "transaction"])
def test_change_leaves_a_record_that_can_be_stored_or_is_refused(
    store: Store, number: int, way: str
) -> None:
    make, error = CHANGES[number]
    store.put(Things.put, THING)

    def carry_out() -> None:
        change, key = make(), {"id": "1"}
        if way == "update":
            store.update(Things.change, key, change)
        elif way == "upsert":
            store.upsert(Things.touch, key, change)
        else:
            (action,) = [store.to_update(Things.change, key, change)]
            store.transact_write(action)

    if error is None:
        carry_out()
    else:
        with pytest.raises(Exception) as raised:  # noqa: PT011 - the class is compared below
            carry_out()
        problems = getattr(raised.value, "problems", {})
        refusals = list(problems.values()) if isinstance(problems, dict) else []
        assert type(next(iter(refusals), raised.value)) is error, raised.value
    found = store.get(Things.thing, id="1")
    assert found is not None
    assert store.put(Things.put, Thing(**found)) == found
    assert (found == THING) is (error is not None)
