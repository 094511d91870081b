"""What checkers know: types of fields, records, pages and conditions."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, assert_type

from tablewright.model import Change, Condition, Field
from tablewright.runtime import Page, Store
from typing_tests.shop import Customer, Order, Priority, Shop, State


def records(now: datetime) -> None:
    order = Order(order_id="1", customer="ann", placed_at=now, total=Decimal(1), priority="high")
    assert_type(order.order_id, str)
    assert_type(order.placed_at, datetime)
    assert_type(order.due, date | None)
    assert_type(order.total, Decimal)
    assert_type(order.visits, int)
    assert_type(order.state, State)
    assert_type(order.priority, Priority)
    assert_type(order.gift, bool)
    assert_type(order.tags, set[str] | None)
    assert_type(order.lines, tuple[str, ...])
    assert_type(order.address, Mapping[str, Any] | None)
    assert_type(order.receipt, bytes | None)
    assert_type(order.note, str | None)
    mapping: Mapping[str, Any] = order
    assert mapping


def fields() -> None:
    assert_type(Order.total > 3 * Decimal(1), Condition)
    assert_type(Order.state == State.OPEN, Condition)
    assert_type((Order.total < 5) & ~Order.note.exists(), Condition)
    assert_type(Order.customer.begins_with("a"), Condition)
    assert_type(Order.tags.size() > 1, Condition)
    assert_type(Order.address.at("city") == "Paris", Condition)
    assert_type(Order.total.between(Decimal(1), Decimal(2)), Condition)
    assert_type(Order.state.is_in(State.OPEN, State.PAID), Condition)
    assert_type(Order.note.is_of_type("S") | Order.tags.contains("new"), Condition)
    assert_type(Order.total.set(Decimal(3)), Change)
    assert_type(Order.note.set_if_missing("none"), Change)
    assert_type(Order.tags.subtract({"new"}), Change)
    assert_type(Order.visits.add(1), Change)
    assert_type(Order.lines.append("tea"), Change)
    one: Field[Decimal] = Order.total
    assert one.name == "total"


def store(shop: Store) -> None:
    order = shop.get(Shop.order, order_id="1")
    assert_type(order, Order | None)
    assert_type(shop.get(Shop.customer, name="ann"), Customer | None)
    assert_type(shop.get_many(Shop.orders, [{"order_id": "1"}]), list[Order])
    assert_type(shop.query(Shop.of_customer, customer="ann"), Page[Order])
    assert_type(shop.query(Shop.of_customer, customer="ann").items, list[Order])
    assert_type(shop.each(Shop.of_customer, customer="ann"), Iterator[Order])
    assert_type(shop.first(Shop.of_customer, customer="ann"), Order | None)
    if order:
        assert_type(shop.put(Shop.place, order), Order)
        assert_type(shop.update(Shop.change, order, Order.visits.add(1)), Order)
        assert_type(shop.create_many(Shop.place_many, [order]), list[bool])
        shop.delete_many(Shop.cancel_many, [order, {"order_id": "2"}])
        both: list[Order | Customer] = [order, Customer(name="ann")]
        shop.write_many(Shop.move, put=both, delete=[order])
    assert_type(shop.scan(Shop.every, where=Order.gift == True, segments=4), Iterator[Order])  # noqa: E712


def transactions(shop: Store, order: Order) -> None:
    shop.transact_write(
        shop.to_put(Shop.place, order),
        shop.to_update(Shop.change, {"order_id": "2"}, Order.visits.add(1)),
        shop.to_delete(Shop.cancel, order_id="3", when=Order.state == State.OPEN),
        shop.to_check(Shop.customer_is, name="ann"),
        token="once",  # noqa: S106
    )
    one, two = shop.transact_get(
        shop.to_get(Shop.order, order_id="1"), shop.to_get(Shop.customer, name="ann")
    )
    assert_type(one, Order | None)
    assert_type(two, Customer | None)
