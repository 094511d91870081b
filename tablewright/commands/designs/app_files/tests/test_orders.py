"""Orders are placed once, for what they should cost, and come back equal, on the real engine."""

import pytest
from hypothesis import HealthCheck, given, settings
from tablewright.model import key_of
from tablewright.testing import Database, costs_at_most, records, survives_every_fault

from NAME import function
from NAME.orders import Order, Orders

EVENT = {
    "tenant": "acme",
    "order_id": "o1",
    "customer": "ann",
    "placed_at": "2026-01-31T12:00:00+00:00",
    "total": "9.90",
}


@pytest.fixture
def orders(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The database, with a table that the function finds."""
    told = {**dynamodb.environment, "ORDERS_TABLE": dynamodb.table(Orders)}
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    function.store.cache_clear()
    return dynamodb


def test_an_order_is_found_by_its_customer(orders: Database) -> None:
    assert function.handler(EVENT, None) == {"placed": True}
    (order,) = orders.store(Orders).each(Orders.of_customer, tenant="acme", customer="ann")
    assert order.order_id == "o1"


def test_an_order_is_placed_once_whatever_fails(orders: Database) -> None:
    calls = survives_every_fault(
        lambda: function.handler(EVENT, None),
        lambda: orders.items(Orders),
        fresh=lambda: orders.empty(Orders),
    )
    assert [call.operation for call in calls] == ["PutItem"]


def test_an_order_costs_a_write_to_the_table_and_one_to_its_index(orders: Database) -> None:
    with costs_at_most(write=2, read=0, calls=1):
        function.handler(EVENT, None)


@given(records(Order))
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_is_placed_comes_back(orders: Database, order: Order) -> None:
    orders.empty(Orders)
    store = orders.store(Orders)
    store.put(Orders.place, order)
    assert store.get(Orders.order, key_of(order)) == order
