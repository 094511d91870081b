"""A description has the whole meaning of a design, and nothing else."""

import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import model
from tablewright.designs import FORMAT, Indescribable, describe
from tablewright.designs.description.fields import KINDS
from tablewright.model import (
    Computed,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Part,
    PartOf,
    Put,
    Query,
    Shards,
    Table,
    Text,
    Timestamp,
    last_character,
)
from tests.every_design import EVERY_DESIGN
from tests.unit.designs.everything import Everything


def upper(text: str) -> str:
    return text.upper()


def lower(text: str) -> str:
    return text.lower()


def shop(
    *,
    kind: Callable[..., Field[Any]] = Text,
    key: Key | None = None,
    indexed: Key | None = None,
    expires: Expiry | None = None,
    function: Callable[..., str] = upper,
    index: dict[str, Any] | None = None,
    query: dict[str, Any] | None = None,
    table: dict[str, Any] | None = None,
    **field: Any,
) -> type[Table]:
    """A design that differs from others in what is given."""

    class Order(Entity, key=key or Key("ORDER#{order_id}", "ORDER"), expires=expires):
        """An order."""

        order_id: Field[str] = Text()
        placed_at: Field[Any] = Timestamp()
        note: Field[Any] = kind(**field)
        shouted = Computed(function, order_id)

    class Shop(Table, **{"pk": "PK", "sk": "SK", "ttl": "ttl", "id": "shop", **(table or {})}):
        """Orders."""

        by_note = Index(
            **{
                "name": "NOTES",
                "pk": "NPK",
                "sk": "NSK",
                "keys": {Order: indexed or Key("NOTE#{note}", "{shouted}")},
                **(index or {}),
            }
        )
        place = Put(Order, create=True)
        noted = Query(Order, by_note, **(query or {}))

    return Shop


SHARDED = Key("NOTE#{note}#{shard}", "{shouted}", shards=Shards(4, by="order_id"))
MORE_SHARDS = Key("NOTE#{note}#{shard}", "{shouted}", shards=Shards(5, by="order_id"))
OTHER_SHARDS = Key(
    "NOTE#{note}#{shard}", "{shouted}", shards=Shards(4, by="order_id", function=last_character)
)


def test_every_kind_of_field_has_a_name() -> None:
    specifiers = {
        name
        for name in model.__all__
        if inspect.isfunction(getattr(model, name))
        and "Field" in str(inspect.signature(getattr(model, name)).return_annotation)
    }
    assert specifiers | {"Choice"} == set(KINDS.values())


@pytest.mark.parametrize("design", [Everything, *EVERY_DESIGN], ids=lambda one: one.__name__)
def test_a_description_is_plain_json(design: type[Table]) -> None:
    told = describe(design)
    assert json.loads(json.dumps(told)) == told
    assert told["format"] == FORMAT


def test_designs_that_say_the_same_are_described_the_same() -> None:
    assert describe(shop()) == describe(shop())
    assert json.dumps(describe(shop())) == json.dumps(describe(shop()))


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": model.Prose},
        {"max_length": 99},
        {"pattern": "a+"},
        {"default": None},
        {"default": "none"},
        {"secret": True},
        {"stored": "n"},
        {"key": Key("ORDER#{order_id}", "ORDERS")},
        {"key": Key("ORDER|{order_id}", "ORDER", delimiter="|")},
        {"indexed": SHARDED},
        {"indexed": MORE_SHARDS},
        {"indexed": OTHER_SHARDS},
        {"indexed": Key("NOTE#{note}", "{shouted}", shared=True)},
        {"expires": Expiry("placed_at", days=1)},
        {"expires": Expiry("placed_at", years=1)},
        {"function": lower},
        {"index": {"name": "OTHER"}},
        {"index": {"projects": "KEYS_ONLY"}},
        {"index": {"projects": ("note",)}},
        {"index": {"sparse": True}},
        {"index": {"pk": "XPK"}},
        {"query": {"descending": True}},
        {"query": {"hydrate": True}},
        {"query": {"select": ()}},
        {"query": {"filters": ("note",)}},
        {"query": {"describes": "Orders of a note."}},
        {"table": {"stream": "NEW_IMAGE"}},
        {"table": {"tenant": "order_id"}},
        {"table": {"entity_type": "type"}},
        {"table": {"ttl": "expires"}},
        {"table": {"pk": "K"}},
        {"table": {"id": "shops"}},
    ],
    ids=" ".join,
)
def test_every_difference_in_meaning_is_one_of_the_description(changes: dict[str, Any]) -> None:
    assert describe(shop(**changes)) != describe(shop())


def test_sharded_keys_differ_by_count_and_by_function() -> None:
    told = [json.dumps(describe(shop(indexed=key))) for key in (SHARDED, MORE_SHARDS, OTHER_SHARDS)]
    assert len(set(told)) == 3


def test_names_in_python_are_no_part_of_the_meaning() -> None:
    class Order(Entity, key=Key("{order_id}"), example={"order_id": "o1"}):
        order_id: Field[str] = Text()

    class Plain(Entity, key=Key("{order_id}"), name="Order"):
        order_id: Field[str] = Text()

    class One(Table, pk="order_id", id="orders"):
        by_id = Index("IDS", pk="order_id", keys={Order: Key("{order_id}")})
        order = Get(Order)

    class Two(Table, pk="order_id", id="orders"):
        ids = Index("IDS", pk="order_id", keys={Plain: Key("{order_id}")})
        order = Get(Plain)

    assert describe(One) == describe(Two)


def within() -> Callable[[str], str]:
    def inner(text: str) -> str:
        return text

    return inner


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (lambda text: text, "a lambda"),
        (str.upper, "'str.upper'"),
        (within(), "'within.<locals>.inner'"),
    ],
)
def test_a_function_that_cannot_be_imported_is_refused_with_what_to_do(
    function: Callable[..., str], shown: str
) -> None:
    with pytest.raises(Indescribable) as refused:
        describe(shop(function=function))
    assert str(refused.value).startswith(
        f"the function of Order.shouted is {shown}, which no other"
    )
    assert "declare it at the top level of a module" in str(refused.value)


def test_two_parts_of_one_name_are_refused() -> None:
    def address(street: str) -> type[Part]:
        return type("Address", (Part,), {street: Text()})

    class Order(Entity, key=Key("{order_id}")):
        order_id: Field[str] = Text()
        ship_to: Field[Any] = PartOf(address("street"))
        bill_to: Field[Any] = PartOf(address("road"))

    class Orders(Table, pk="order_id"):
        order = Get(Order)

    with pytest.raises(Indescribable, match=r"Order\.bill_to is of a class Address, and so is"):
        describe(Orders)
