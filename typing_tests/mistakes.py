"""Mistakes: each line that ends with `# wrong` must be reported, and no other."""

from datetime import datetime
from decimal import Decimal

from tablewright.runtime import Store
from typing_tests.shop import Customer, Order, Shop, State


def patterns(shop: Store, order: Order) -> None:
    shop.put(Shop.plcae, order)  # wrong
    shop.put(Shop.order, order)  # wrong
    shop.get(Shop.place, order_id="1")  # wrong
    shop.query(Shop.change)  # wrong
    shop.each(Shop.order, order_id="1")  # wrong
    shop.update(Shop.cancel, order)  # wrong
    shop.put(Shop.place, Customer(name="ann"))  # wrong
    shop.put(Shop.place, {"order_id": "1"})  # wrong


def records(now: datetime) -> None:
    Order(order_id="1", customer="a", placed_at=now, total=Decimal(1), priority="low")
    Order(ordr_id="1", customer="a", placed_at=now, total=Decimal(1), priority="low")  # wrong
    Order(order_id=1, customer="a", placed_at=now, total=Decimal(1), priority="low")  # wrong
    Order(order_id="1", customer="a", placed_at=now, total="x", priority="low")  # wrong
    Order(order_id="1", customer="a", placed_at=now, total=Decimal(1), priority="lowest")  # wrong
    Order(order_id="1", customer="a", total=Decimal(1), priority="low")  # wrong


def values(order: Order) -> None:
    print(order.totl)  # wrong
    print(order.total.year)  # wrong
    print(order.note.upper())  # wrong


def conditions(shop: Store) -> None:
    shop.each(Shop.of_customer, customer="ann", where=Order.totl > 3)  # wrong
    shop.each(Shop.of_customer, customer="ann", where=Order.total > "x")  # wrong
    shop.each(Shop.of_customer, customer="ann", where=Order.placed_at < "2026")  # wrong
    shop.each(Shop.of_customer, customer="ann", where=Order.total.begins_with("1"))  # wrong
    Order.total.set("3")  # wrong
    Order.state.set(State.PAID)
    Order.state.set("paid")  # wrong


def partitions(shop: Store) -> None:
    shop.query(Shop.of_customer, along=(Order.customer, ["ann", "bob"]))
    shop.query(Shop.of_customer, along=("customer", ["ann", "bob"]))
    shop.query(Shop.of_customer, along=(Order.customer, [1, 2]))  # wrong
    shop.query(Shop.of_customer, along=Order.customer)  # wrong
    shop.query(Shop.of_customer, customer="ann", on_malformed="skip")  # wrong
