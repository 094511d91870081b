"""Updates of items without attributes for fields that have defaults, at which these begin."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Part,
    PartOf,
    Put,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.errors import OutOfBounds
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Box(Part):
    weight: Field[int] = Whole(digits=2, default=5)


class Cup(Entity, key=Key("CUP#{id}")):
    id: Field[str] = Text()
    color: Field[str] = Text(default="red")
    visits: Field[int] = Whole(digits=1, default=3)
    price: Field[Decimal] = Money(digits=3, default=Decimal("1.50"))
    size: Field[int] = Whole(default=0)
    log: Field[tuple[str, ...]] = ListOf(Text(), max_items=3, default=("new",))
    box: Field[Box | None] = PartOf(Box, default=None)


class Cups(Table, pk="PK", id="cups"):
    by_color = Index(pk="color_key", sk="color_id", keys={Cup: Key("COLOR#{color}", "{visits}")})
    put = Put(Cup)
    cup = Get(Cup, consistent=True)
    change = Update(Cup)
    touch = Upsert(Cup)


class Plain(Table, pk="PK", id="plain"):
    """The same without an index: nothing is derived from what changes."""

    put = Put(Cup)
    cup = Get(Cup, consistent=True)
    change = Update(Cup)
    touch = Upsert(Cup)


KEY = {"id": "1"}
CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Cup], Mapping[str, Any] | None]]] = {
    **{
        f"visits {amount:+}": (
            lambda amount=amount: Cup.visits.add(amount),  # type: ignore[misc]
            lambda cup, amount=amount: (  # type: ignore[misc]
                {"visits": cup.visits + amount} if 0 <= cup.visits + amount <= 9 else None
            ),
        )
        for amount in (1, -3, -4, 6, 7)
    },
    "price": (
        lambda: Cup.price.add(Decimal("0.25")),
        lambda cup: {"price": cup.price + Decimal("0.25")},
    ),
    "size": (lambda: Cup.size.add(2), lambda cup: {"size": cup.size + 2}),
    **{
        f"log of {count} more": (
            lambda count=count: Cup.log.append(*"abc"[:count]),  # type: ignore[misc]
            lambda cup, count=count: (  # type: ignore[misc]
                {"log": (*cup.log, *"abc"[:count])} if len(cup.log) + count <= 3 else None
            ),
        )
        for count in (1, 2, 3)
    },
}


@pytest.mark.parametrize("design", [Cups, Plain])
@pytest.mark.parametrize("call", ["update", "upsert", "upsert of a new one"])
def test_additions_begin_at_the_value_that_is_read(
    dynamodb: Database, design: Any, call: str
) -> None:
    store: Store = dynamodb.store(design)
    for (name, (change, expected)), is_stored in product(CHANGES.items(), (True, False)):
        derives = call != "update" and design is Cups
        if derives and name.startswith("visits"):
            continue  # an upsert sets what something is derived from
        store.put(design.put, Cup(id="1"))
        if call == "upsert of a new one":
            dynamodb.empty(design)
        elif not is_stored:
            dynamodb.empty(design)
            dynamodb.write([{"PK": {"S": "CUP#1"}, "id": {"S": "1"}}], design)
        before = store.get(design.cup, KEY) or Cup(id="1")
        run = store.update if call == "update" else store.upsert
        pattern = design.change if call == "update" else design.touch
        changes = [change()]
        if derives:
            changes += [Cup.color.set("red"), Cup.visits.set(3)]
        values = expected(before)
        if values is None:
            with pytest.raises(OutOfBounds):
                run(pattern, KEY, *changes)
            assert (store.get(design.cup, KEY) or Cup(id="1")) == before
        else:
            after = run(pattern, KEY, *changes)
            for field, value in values.items():
                assert getattr(after, field) == value, (name, is_stored)
                assert getattr(store.get(design.cup, KEY), field) == value


def test_members_of_parts_begin_at_their_defaults(dynamodb: Database) -> None:
    store = dynamodb.store(Plain)
    item = {"PK": {"S": "CUP#1"}, "id": {"S": "1"}, "box": {"M": {}}}
    dynamodb.write([item], Plain)
    before = store.get(Plain.cup, KEY)
    assert before is not None
    assert before.box is not None
    assert before.box.weight == 5
    after = store.update(Plain.change, KEY, Cup.box.at(Box.weight).add(2))
    assert after.box is not None
    assert after.box.weight == 7
