"""Rederivation: items of one design, as another one writes them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    IN_KEY,
    Entity,
    Expiry,
    Field,
    Index,
    Key,
    Money,
    Put,
    Table,
    Text,
    Timestamp,
)
from tablewright.runtime.rederivation import NotRederivable, Rederivation, Rederived
from tablewright.runtime.store.records import Item, Records

AT = datetime(2026, 1, 31, 9, tzinfo=UTC)


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()
    note: Field[str | None] = Text(default=None)


class Before(Table, pk="PK", sk="SK", ttl="ttl"):
    by_customer = Index(pk="C1", sk="C2", keys={Order: Key("C#{customer}", "AT#{placed_at}")})
    place = Put(Order, create=True)


class Indexed(Table, pk="PK", sk="SK", entity_type="type"):
    by_customer = Index(pk="D1", sk="D2", keys={Order: Key("CUST#{customer}", "{placed_at}")})
    place = Put(Order, create=True)


class Moved(Before, keys={Order: Key("O#{order_id}", "ORDER#{customer}")}):
    pass


class Expiring(Before, expires={Order: Expiry("placed_at", days=30)}):
    pass


ORDER = Order(order_id="o1", customer="ann", placed_at=AT)


def item_of(table: type[Table], record: Entity = ORDER, **others: Any) -> Item:
    design = table.__design__
    return Records(design, design.entities["Order"]).to_item(record) | others


def rederived(new: type[Table], item: Item, old: type[Table] | None = Before) -> Rederived:
    return Rederivation(new.__design__, old.__design__ if old else None).of(item)


@pytest.mark.parametrize("new", [Before, Indexed, Moved, Expiring])
@pytest.mark.parametrize("old", [Before, Indexed, Expiring])
def test_an_item_becomes_what_the_new_design_writes(old: type[Table], new: type[Table]) -> None:
    found = rederived(new, item_of(old), old)
    assert found.after == item_of(new)
    assert found.record == ORDER
    assert found.is_moved == (new is Moved)
    assert bool(found.changed) == (new is not old)


@pytest.mark.parametrize("old", [Before, Indexed, Moved])
@pytest.mark.parametrize("new", [Before, Indexed, Moved, Expiring])
def test_what_the_new_design_wrote_stays(old: type[Table], new: type[Table]) -> None:
    assert not rederived(new, item_of(new), old).changed


def test_attributes_that_no_design_knows_stay() -> None:
    found = rederived(Indexed, item_of(Before, colour={"S": "red"}))
    assert found.after == item_of(Indexed, colour={"S": "red"})


def test_values_of_fields_that_are_gone_stay() -> None:
    class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
        order_id: Field[str] = Text()

    class Fewer(Table, pk="PK", sk="SK"):
        place = Put(Order)

    after = rederived(Fewer, item_of(Before)).after
    assert after.keys() == {"PK", "SK", "order_id", "customer", "placed_at"}


def test_a_field_goes_to_its_new_attribute_and_type() -> None:
    class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
        order_id: Field[str] = Text()
        price: Field[str] = Text("p")

    class Texts(Table, pk="PK", sk="SK"):
        place = Put(Order)

    was = Order(order_id="o1", price="9.90")

    class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):  # type: ignore[no-redef]
        order_id: Field[str] = Text()
        price: Field[Decimal] = Money("price")

    class Numbers(Table, pk="PK", sk="SK"):
        place = Put(Order)

    found = rederived(Numbers, item_of(Texts, was), Texts)
    assert found.record["price"] == Decimal("9.90")
    assert found.changed == {"p", "price"}
    assert "p" not in found.after
    assert not rederived(Numbers, found.after, Texts).changed


class Thing(Entity, key=Key("THING#{thing_id}", "THING")):
    thing_id: Field[str] = Text(IN_KEY)
    name: Field[str] = Text()


class Typed(Table, pk="PK", sk="SK", entity_type="type"):
    put = Put(Thing)


class TypedMoved(Typed, keys={Thing: Key("T#{thing_id}", "THING")}):
    pass


def test_an_item_that_says_its_type_moves_and_stays_then() -> None:
    before, after = (
        Records(one.__design__, one.__design__.entities["Thing"]).to_item(
            Thing(thing_id="t1", name="one")
        )
        for one in (Typed, TypedMoved)
    )
    assert rederived(TypedMoved, before, Typed).after == after
    assert not rederived(TypedMoved, after, Typed).changed
    with pytest.raises(NotRederivable, match="thing_id"):
        rederived(TypedMoved, before, None)


def test_an_expiry_of_what_the_design_does_not_expire_stays() -> None:
    swept: dict[str, Any] = {"ttl": {"N": "1700000000"}}
    assert not rederived(Before, item_of(Before, **swept)).changed
    assert rederived(Moved, item_of(Before, **swept)).after == item_of(Moved, **swept)
    assert "ttl" not in rederived(Before, item_of(Expiring), Expiring).after


def test_an_update_names_what_it_was_computed_from() -> None:
    found = rederived(Indexed, item_of(Before))
    params = found.update("orders")
    named = set(params["ExpressionAttributeNames"].values())
    assert {"customer", "placed_at"} <= named, "sources"
    assert {"C1", "C2", "D1", "D2", "type"} <= named, "what is written"
    assert "note" not in named, "others may change it meanwhile"
    assert params["Key"] == {"PK": {"S": "ORDER#o1"}, "SK": {"S": "ORDER"}}


def test_a_move_names_everything_that_it_takes_along() -> None:
    put, delete = rederived(Moved, item_of(Before)).move("orders")["TransactItems"]
    assert put["Put"]["Item"] == item_of(Moved)
    assert "attribute_not_exists" in put["Put"]["ConditionExpression"]
    assert {"customer", "placed_at", "note", "order_id", "C1", "C2"} <= set(
        delete["Delete"]["ExpressionAttributeNames"].values()
    )


def test_items_of_no_entity_cannot_be_rederived() -> None:
    with pytest.raises(NotRederivable, match="no entity"):
        rederived(Indexed, {"PK": {"S": "X"}, "SK": {"S": "Y"}})


def test_what_is_required_and_missing_is_named() -> None:
    item = item_of(Before)
    del item["customer"]
    with pytest.raises(NotRederivable, match="customer"):
        rederived(Indexed, item)


def test_sets_and_numbers_are_compared_by_value() -> None:
    from tablewright.runtime.rederivation import same

    assert same({"SS": ["a", "b"]}, {"SS": ["b", "a"]})
    assert same({"N": "5.0"}, {"N": "5"})
    assert not same({"N": "1"}, {"BOOL": True})
    assert not same({"S": "1"}, {"N": "1"})
    assert not same(None, {"S": "1"})
