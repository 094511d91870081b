"""What updates add keeps fields within their bounds: compared with numbers and sets of Python."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    Field,
    Fraction,
    Get,
    Index,
    InvalidRecord,
    Key,
    ListOf,
    Money,
    Put,
    SetOf,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.errors import Conflict, OutOfBounds, TransactionRefused
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Cup(Entity, key=Key("CUP#{id}")):
    id: Field[str] = Text()
    color: Field[str] = Text()
    whole: Field[int | None] = Whole(digits=1, lowest=-3, default=None)
    high: Field[int | None] = Whole(digits=1, lowest=2, default=None)
    money: Field[Decimal | None] = Money(digits=3, default=None)
    part: Field[Decimal | None] = Fraction(default=None)
    tags: Field[set[str] | None] = SetOf(of=Text(), max_items=3, default=None)
    log: Field[tuple[str, ...] | None] = ListOf(of=Text(), max_items=3, default=None)


class Cups(Table, pk="PK", id="cups"):
    by_color = Index(pk="color_key", sk="color_id", keys={Cup: Key("COLOR#{color}", "{id}")})
    put = Put(Cup)
    cup = Get(Cup, consistent=True)
    change = Update(Cup)
    touch = Upsert(Cup)


BOUNDS = {
    "whole": (-3, 9),
    "high": (2, 9),
    "money": (0, Decimal("9.99")),
    "part": (0, 1),
}
KEY = {"id": "1"}


def update(store: Store, change: Any) -> Any:
    return store.update(Cups.change, KEY, change)


def derived(store: Store, change: Any) -> Any:
    return store.update(Cups.change, KEY, change, Cup.color.set(random.choice("rgb")))


def upsert(store: Store, change: Any) -> Any:
    return store.upsert(Cups.touch, KEY, change, Cup.color.set("red"))


def transaction(store: Store, change: Any) -> Any:
    try:
        store.transact_write(store.to_update(Cups.change, KEY, change))
    except TransactionRefused as refused:
        raise refused.problems[0] from None
    return store.get(Cups.cup, KEY)


def model(name: str, value: Any, change: Any) -> Any:
    """What Python makes of a change; None where it is out of bounds."""
    if name in BOUNDS:
        low, high = BOUNDS[name]
        total = Decimal(value or 0) + change
        return total if low <= total <= high else None
    after = {*(value or ()), *change} if name == "tags" else (*(value or ()), *change)
    return after if len(after) <= 3 else None


def changes(chance: random.Random, name: str) -> tuple[Any, Any]:
    """A random amount for a field, and the change that adds it."""
    field = getattr(Cup, name)
    if name in BOUNDS:
        scale = {"money": "0.01", "part": "0.1"}.get(name, "1")
        amount = chance.randint(-11, 11) * Decimal(scale) * (100 if name == "money" else 1)
        return amount, field.add(int(amount) if scale == "1" else amount)
    added = tuple(chance.choices("abcde", k=chance.randint(1, 3)))
    return added, field.add(set(added)) if name == "tags" else field.append(*added)


@pytest.mark.parametrize("write", [update, derived, upsert, transaction])
def test_additions_end_as_in_python_or_are_refused(
    dynamodb: Database, write: Callable[[Store, Any], Any]
) -> None:
    seed = random.randrange(10**9)
    chance, store = random.Random(seed), dynamodb.store(Cups)
    record = store.put(Cups.put, Cup(id="1", color="red"))
    for step in range(60):
        name = chance.choice([*BOUNDS, "tags", "log"])
        amount, change = changes(chance, name)
        before, expected = record.get(name), model(name, record.get(name), amount)
        note = f"seed {seed}, step {step}: {name} {before} + {amount}"
        if expected is None:
            with pytest.raises(OutOfBounds) as refused:
                write(store, change)
            assert refused.value.field == name, note
            size = before or 0 if name in BOUNDS else len(before or ())
            assert refused.value.value == size, note
            assert refused.value.bound in (*BOUNDS.get(name, ()), 3), note
            assert getattr(store.get(Cups.cup, KEY), name) == before, note
        else:
            record = write(store, change)
            assert record.get(name) == expected, note
            store.put(Cups.put, Cup(**record))
        if chance.random() < 0.2:
            record = store.put(Cups.put, Cup(id="1", color="red"))


@pytest.mark.parametrize("name", ["whole", "high", "money", "tags", "log"])
def test_an_upsert_of_a_new_record_keeps_bounds(dynamodb: Database, name: str) -> None:
    store = dynamodb.store(Cups)
    change = {"tags": Cup.tags.add(set("abc")), "log": Cup.log.append(*"abc")}.get(
        name, getattr(Cup, name).add(3)
    )
    store.upsert(Cups.touch, {"id": "new"}, change, Cup.color.set("red"))
    wrong = Cup.whole.add(-4) if name == "whole" else Cup.high.add(1)
    with pytest.raises(OutOfBounds) as refused:
        store.upsert(Cups.touch, {"id": "other"}, wrong, Cup.color.set("red"))
    assert refused.value.current is None
    assert store.get(Cups.cup, id="other") is None


@pytest.mark.parametrize(
    "change",
    [
        Cup.money.add(Decimal("0.001")),
        Cup.whole.add(Decimal("0.5")),
        Cup.tags.add([1]),
        Cup.tags.add(set()),
        Cup.tags.add(set("abcd")),
        Cup.log.append(*"abcd"),
        Cup.log.append(1),
    ],
    ids=lambda change: f"{change.operand!r}",
)
def test_amounts_that_never_fit_are_refused_before_the_call(change: Any) -> None:
    class NoCalls:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            raise AssertionError(operation)

    store = Store(Cups, "cups", NoCalls())
    for write in (update, upsert, transaction):
        with pytest.raises(InvalidRecord):
            write(store, change)


def test_a_failed_condition_is_told_from_a_bound_and_from_a_known_element(
    dynamodb: Database,
) -> None:
    store = dynamodb.store(Cups)
    store.put(Cups.put, Cup(id="1", color="red", tags=set("abc")))
    assert update(store, Cup.tags.add(set("ab"))).tags == set("abc")
    with pytest.raises(Conflict) as refused:
        store.update(Cups.change, KEY, Cup.tags.add(set("ab")), when=Cup.money.exists())
    assert not isinstance(refused.value, OutOfBounds)
    assert "Cup.money.exists() (it is missing)" in str(refused.value)
    with pytest.raises(
        OutOfBounds, match=r"CUP#1 in cups: Cup\.tags is 3, so adding 1 would pass its bound 3"
    ):
        update(store, Cup.tags.add({"d"}))


def test_transaction_names_every_action_whose_condition_fails(dynamodb: Database) -> None:
    store = dynamodb.store(Cups)
    store.put(Cups.put, Cup(id="1", color="red", tags={"a"}))
    store.put(Cups.put, Cup(id="2", color="red", tags={"a", "b"}))

    def problems(when: Any, added: set[str]) -> set[int]:
        change = store.to_update(Cups.change, {"id": "1"}, Cup.tags.add(added), when=when)
        part = Cup.part.set(Decimal(1))
        other = store.to_update(Cups.change, {"id": "2"}, part, when=Cup.color == "blue")
        with pytest.raises(TransactionRefused) as refused:
            store.transact_write(change, other)
        return {*refused.value.problems}

    assert problems(Cup.color == "blue", {"b", "c"}) == {0, 1}
    assert problems(Cup.color == "red", {"b", "c"}) == {1}
    # Element "a" is in the set already, which only the returned item tells.
    assert problems(Cup.color == "blue", {"a", "b", "c"}) == {0, 1}
    assert problems(Cup.color == "red", {"a", "b", "c"}) == {1}
