"""Items of the form before: found by their keys, and brought over by every write."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import replaced
from tablewright.model.validation.design import validate
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound, TransactionRefused
from tablewright.runtime.rederivation import NotRederivable
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, survives_every_fault
from tests.integration.runtime.store.two_forms import (
    Before,
    Customer,
    Line,
    OldOrder,
    Order,
    Orders,
    Plain,
    a_customer,
    an_order,
    new_item,
    old_item,
)

ORDER, CUSTOMER = an_order(), a_customer()
LINE = Line(order_id="o1", number=1, thing="tea")
KEY, NAME = {"order_id": "o1"}, {"name": "ann"}
LINE_KEY = {"order_id": "o1", "number": 1}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    """A store with an order, a line and a customer, all of the form before."""
    found = dynamodb.store(Orders)
    dynamodb.write([old_item(ORDER), old_item(LINE), old_item(CUSTOMER)])
    return found


def by_key(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))


def test_the_designs_are_sound() -> None:
    assert validate(Orders) == []


def test_items_are_found_in_either_form(store: Store, dynamodb: Database) -> None:
    assert store.get(Orders.order, KEY) == ORDER
    assert store.get(Orders.line, LINE_KEY) == LINE
    assert store.get(Orders.customer, NAME) == CUSTOMER
    dynamodb.write([new_item(an_order("o2"))])
    found = store.get_many(Orders.orders, [KEY, {"order_id": "o2"}, {"order_id": "none"}])
    assert sorted(found, key=lambda one: one.order_id) == [ORDER, an_order("o2")]
    assert store.get_many(Orders.customers, [NAME]) == [CUSTOMER]
    assert store.get(Orders.order, order_id="none") is None
    assert store.get_many(Orders.orders, []) == []


def test_items_are_found_at_one_moment(store: Store) -> None:
    reads = (
        store.to_get(Orders.order, KEY),
        store.to_get(Orders.customer, NAME),
        store.to_get(Orders.order, order_id="none"),
    )
    assert store.transact_get(*reads) == (ORDER, CUSTOMER, None)


def test_of_both_forms_the_new_one_counts(store: Store, dynamodb: Database) -> None:
    newer = replaced(ORDER, state="PAID")
    dynamodb.write([new_item(newer)])
    assert store.get(Orders.order, KEY) == newer
    assert store.get_many(Orders.orders, [KEY]) == [newer]
    one = store.to_get(Orders.order, KEY)
    assert store.transact_get(one) == (newer,)
    assert store.update(Orders.change, KEY, Order.state.set("SENT")).state == "SENT"
    assert old_item(ORDER) not in dynamodb.items(), "so that it cannot come back"


def is_left(dynamodb: Database, record: Order | None) -> bool:
    """Whether of the order there is this, in the new form, and nothing else has changed."""
    there = [new_item(record)] if record else []
    return by_key(dynamodb.items()) == by_key([*there, old_item(LINE), old_item(CUSTOMER)])


PAID, CHEAP = replaced(ORDER, state="PAID"), replaced(ORDER, total=Decimal("1.25"), note=None)
WRITES: dict[str, tuple[Callable[[Store], Any], Any, Order | None]] = {
    "put": (lambda s: s.put(Orders.store, CHEAP), CHEAP, CHEAP),
    "replace": (lambda s: s.replace(Orders.store, CHEAP), ORDER, CHEAP),
    "update of a key": (lambda s: s.update(Orders.change, KEY, {"state": "PAID"}), PAID, PAID),
    "update of a field": (
        lambda s: s.update(Orders.change, KEY, Order.note.remove(), {"total": Decimal("1.25")}),
        CHEAP,
        CHEAP,
    ),
    "update when": (
        lambda s: s.update(
            Orders.change, KEY, {"state": "PAID"}, when=Order.total == Decimal("9.95")
        ),
        PAID,
        PAID,
    ),
    "delete": (lambda s: s.delete(Orders.remove, KEY), ORDER, None),
    "put_many": (lambda s: s.put_many(Orders.store_all, [CHEAP]), 1, CHEAP),
    "create_many": (lambda s: s.create_many(Orders.create, [CHEAP]), [False], ORDER),
    "delete_many": (lambda s: s.delete_many(Orders.remove_all, [KEY]), None, None),
    "write_many": (lambda s: s.write_many(Orders.move, delete=[ORDER]), None, None),
    "to_put": (lambda s: s.transact_write(s.to_put(Orders.store, CHEAP)), None, CHEAP),
    "to_update": (
        lambda s: s.transact_write(s.to_update(Orders.change, KEY, {"state": "PAID"})),
        None,
        PAID,
    ),
    "to_delete": (
        lambda s: s.transact_write(s.to_delete(Orders.remove, KEY, missing_ok=False)),
        None,
        None,
    ),
    "to_check": (
        lambda s: s.transact_write(s.to_check(Orders.known, KEY, when=Order.total > 9)),
        None,
        ORDER,
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_brings_the_item_over(name: str, store: Store, dynamodb: Database) -> None:
    work, answer, record = WRITES[name]
    assert work(store) == answer
    assert is_left(dynamodb, record)


def test_an_order_that_is_there_in_the_form_before_exists_already(store: Store) -> None:
    with pytest.raises(AlreadyExists):
        store.put(Orders.place, CHEAP)
    with pytest.raises(Conflict):
        store.delete(Orders.remove, KEY, when=Order.total < 9)
    with pytest.raises(NotFound):
        store.update(Orders.change, {"order_id": "none"}, {"state": "PAID"})
    with pytest.raises(TransactionRefused):
        store.transact_write(store.to_put(Orders.place, CHEAP))
    assert store.get(Orders.order, KEY) == ORDER


CUSTOMERS: dict[str, tuple[Callable[[Store], Any], Any, Customer | None]] = {
    "put": (lambda s: s.put(Orders.enter, a_customer(city="Bari")), ..., a_customer(city="Bari")),
    "replace": (
        lambda s: s.replace(Orders.enter, a_customer(city="Bari")),
        CUSTOMER,
        a_customer(city="Bari"),
    ),
    "update": (
        lambda s: s.update(Orders.change_customer, NAME, {"city": "Bari"}),
        a_customer(city="Bari"),
        a_customer(city="Bari"),
    ),
    "update of a renamed field": (
        lambda s: s.update(Orders.change_customer, NAME, {"email": "x@y.z"}),
        ...,
        a_customer(email="x@y.z"),
    ),
    "removal of a renamed field": (
        lambda s: s.update(Orders.change_customer, NAME, {"email": None}, when={"email": "a@b.c"}),
        ...,
        a_customer(email=None),
    ),
    "upsert": (
        lambda s: s.upsert(Orders.visit, NAME, Customer.visits.add(1), {"city": "Rome"}),
        a_customer(visits=4),
        a_customer(visits=4),
    ),
    "delete": (lambda s: s.delete(Orders.leave, NAME), CUSTOMER, None),
    "conditional delete": (
        lambda s: s.delete(Orders.leave, NAME, when=Customer.email == "a@b.c"),
        CUSTOMER,
        None,
    ),
    "to_check": (
        lambda s: s.transact_write(s.to_check(Orders.is_customer, NAME, when={"email": "a@b.c"})),
        None,
        CUSTOMER,
    ),
}


@pytest.mark.parametrize("name", CUSTOMERS)
def test_an_item_that_stays_where_it_is_has_one_form(
    name: str, store: Store, dynamodb: Database
) -> None:
    work, answer, record = CUSTOMERS[name]
    found = work(store)
    assert answer is ... or found == answer
    there = [new_item(record)] if record else []
    assert by_key(dynamodb.items()) == by_key([*there, old_item(ORDER), old_item(LINE)])


def test_attributes_of_others_come_along(dynamodb: Database) -> None:
    store = dynamodb.store(Orders)
    dynamodb.write([{**old_item(ORDER), "seen_by": {"S": "audit"}}])
    store.update(Orders.change, KEY, {"state": "PAID"})
    assert dynamodb.items() == [{**new_item(PAID), "seen_by": {"S": "audit"}}]


def test_what_old_code_writes_is_read_by_new_code(dynamodb: Database) -> None:
    new, name = dynamodb.store(Orders), dynamodb.table(Orders)
    old = dynamodb.store(Before, table=name)
    was = OldOrder(order_id="o1", customer="ann", day=ORDER.day, state="OPEN", total="9.95")
    old.put(Before.place, was)
    old.update(Before.change, KEY, {"state": "PAID", "note": "ring twice"})
    assert new.get(Orders.order, KEY) == PAID
    new.update(Orders.change, KEY, {"gift": True})
    assert old.get(Before.order, KEY) is None, "it does not see what was brought over"
    old.put(Before.place, was)
    assert new.get(Orders.order, KEY) == replaced(PAID, gift=True)


def test_an_item_that_cannot_be_brought_over_is_named_and_kept(dynamodb: Database) -> None:
    store, item = dynamodb.store(Orders), old_item(ORDER)
    del item["customer"]
    dynamodb.write([item])
    with pytest.raises(NotRederivable, match=r"ORDER#o1.*customer"):
        store.get(Orders.order, KEY)
    with pytest.raises(NotRederivable, match=r"ORDER#o1.*customer"):
        store.put(Orders.store, ORDER)
    with pytest.raises(NotRederivable, match=r"ORDER#o1.*customer"):
        store.delete(Orders.remove, KEY)
    assert dynamodb.items() == [item]


@pytest.mark.parametrize(
    ("name", "both"),
    [
        ("put", True),
        ("update of a key", False),
        ("delete", True),
        ("delete_many", False),
        ("to_check", False),
    ],
)
def test_a_write_that_brings_over_survives_every_fault(
    name: str, both: bool, dynamodb: Database
) -> None:
    work, _, record = WRITES[name]
    store = dynamodb.store(Orders)

    def fresh() -> None:
        dynamodb.empty()
        dynamodb.write([old_item(ORDER), old_item(LINE), old_item(CUSTOMER)])
        dynamodb.write([new_item(ORDER)] if both else [])

    calls = survives_every_fault(lambda: work(store), dynamodb.items, fresh=fresh)
    assert len(calls) >= 3
    assert is_left(dynamodb, record)


def test_a_store_of_one_form_makes_not_one_call_more(dynamodb: Database) -> None:
    made: list[str] = []

    class Counting:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            made.append(operation)
            return dynamodb.caller.call(operation, params)

    store = dynamodb.store(Plain, Counting())
    store.put(Plain.store, ORDER)
    store.get(Plain.order, KEY)
    store.get(Plain.order, order_id="none")
    store.delete(Plain.remove, KEY)
    assert made == ["PutItem", "GetItem", "GetItem", "DeleteItem"]
