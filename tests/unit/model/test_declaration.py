"""Declarations: classes of entities and tables, and the records of them."""

import pickle
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum

import pytest

from tablewright.model import (
    Choice,
    Entity,
    Field,
    Get,
    Index,
    InvalidRecord,
    Key,
    Money,
    Part,
    PartOf,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    key_of,
    replaced,
    unchecked,
)
from tablewright.model.declaration import is_checked


class State(Enum):
    OPEN = "open"
    PAID = "paid"


class Address(Part):
    city: Field[str] = Text()


class Order(Entity, key=Key("SHOP#{shop}", "ORDER#{order_id}")):
    """An order
    of a shop.

    More about it.
    """

    shop: Field[str] = Text()
    order_id: Field[str] = Text("orderId")
    total: Field[Decimal] = Money()
    state: Field[State] = Choice(State, default=State.OPEN)
    note: Field[str | None] = Text(default=None)
    address: Field[Address | None] = PartOf(Address, default=None)


class Orders(Table, pk="PK", sk="SK"):
    """Orders of shops."""

    by_state = Index(pk="S", sk="T", keys={Order: Key("SHOP#{shop}#{state}", "{order_id}")})
    place = Put(Order, create=True)
    order = Get(Order)
    in_state = Query(Order, by_state)


def order(**changes: object) -> Order:
    values = {"shop": "tea", "order_id": "1", "total": Decimal(5), **changes}
    return Order(**values)  # type: ignore[arg-type]


def test_a_record_is_an_object_and_a_mapping() -> None:
    one = order()
    assert (one.total, one["total"], one.state, one.note) == (
        *(Decimal("5.00"), Decimal("5.00")),
        *(State.OPEN, None),
    )
    assert dict(one) == {
        "shop": "tea",
        "order_id": "1",
        "total": Decimal("5.00"),
        "state": State.OPEN,
    }
    assert "note" not in one
    assert (len(one), one.get("note"), list(one)[:2]) == (4, None, ["shop", "order_id"])
    assert repr(order(note="x")).endswith("note='x')")


def test_records_are_equal_to_records_of_their_class_and_to_mappings() -> None:
    class Other(Order, key=Order.__entity__.key):
        pass

    assert order() == order() == dict(order())
    assert order() != order(note="x")
    assert order() != Other(**order())
    assert order() != 5
    with pytest.raises(TypeError, match="unhashable"):
        hash(order())


def test_a_record_does_not_change() -> None:
    with pytest.raises(AttributeError, match="make another with total="):
        order().total = Decimal(6)
    assert replaced(order(), total=Decimal(6), state=State.PAID) == order(
        total=Decimal(6), state=State.PAID
    )
    assert replaced(order(note="x"), note=None) == order()


def test_everything_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidRecord) as refused:
        Order(shop="", total=Decimal(-1), stat="x")  # type: ignore[call-arg]
    told = {problem.field for problem in refused.value.problems}
    assert told == {"shop", "order_id", "total", "stat"}


def test_a_record_can_be_pickled() -> None:
    one = order(address=Address(city="Oslo"))
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301


def test_the_key_of_a_record_is_made_of_its_fields() -> None:
    assert key_of(order()) == {"shop": "tea", "order_id": "1"}


def test_a_record_of_sound_values_need_not_be_checked_again() -> None:
    assert is_checked(order())
    sound = unchecked(Order, order())
    assert sound == order()
    assert not is_checked(sound)


def test_a_table_is_described_by_its_classes() -> None:
    design = Orders.__design__
    assert (design.id, design.describes) == ("orders", "Orders of shops.")
    assert design.entities["Order"].describes == "An order of a shop."
    assert list(design.patterns) == ["place", "order", "in_state"]
    assert (Orders.by_state.name, Orders.in_state.index) == ("by_state", "by_state")


def test_a_table_s_name_is_in_words() -> None:
    class OpenOrderLines(Table, pk="PK", sk="SK"):
        get = Get(Order)

    class Named(Table, pk="PK", sk="SK", id="other"):
        get = Get(Order)

    assert OpenOrderLines.__design__.id == "open-order-lines"
    assert Named.__design__.id == "other"


def test_a_subclass_is_the_same_table_with_other_settings_and_keys() -> None:
    class Expiring(Orders, ttl="ttl", keys={Order: Key("S#{shop}", "{order_id}")}):
        pass

    design = Expiring.__design__
    assert (design.ttl, design.pk) == ("ttl", "PK")
    assert design.patterns.keys() == Orders.__design__.patterns.keys()
    assert design.entities["Order"].key.partition[0].text == "S#{shop}"
    assert Orders.__design__.entities["Order"].key.partition[0].text == "SHOP#{shop}"


def test_a_subclass_may_have_other_entities_in_the_place_of_its_own() -> None:
    class Dated(Order, key=Order.__entity__.key, name="Order"):
        placed_at: Field[datetime] = Timestamp()

    class DatedOrders(Orders, entities={Order: Dated}):
        pass

    assert "placed_at" in DatedOrders.__design__.entities["Order"].by_name
    now = datetime(2026, 11, 17, tzinfo=UTC)
    assert Dated(**order(), placed_at=now).placed_at == now


def test_fields_are_inherited() -> None:
    class Owned(Entity):
        owner: Field[str] = Text()

    class Note(Owned, key=Key("{owner}")):
        text: Field[str] = Text(min_length=0, default="")

    assert Note(owner="ann") == {"owner": "ann", "text": ""}
    assert not hasattr(Owned, "__entity__")


@pytest.mark.parametrize("name", ["items", "keys", "values", "get"])
def test_a_field_that_mappings_have_is_refused_with_the_way_out(name: str) -> None:
    with pytest.raises(TypeError, match=f"cannot have a field '{name}'.*as in Text"):
        type("Basket", (Part,), {name: Text()})
