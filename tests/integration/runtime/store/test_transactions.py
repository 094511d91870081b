"""Transactions: writes of several entities and tables that happen together or not at all."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Check,
    Delete,
    Entity,
    Expiry,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import (
    ItemBusy,
    NotFound,
    TokenUsed,
    TransactionRefused,
    from_response,
)
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing import Database, survives_every_fault
from tests.integration.conftest import TODAY


class Customer(Entity, key=Key("CUSTOMER#{name}", "CUSTOMER")):
    name: Field[str] = Text()
    blocked: Field[bool | None] = Flag(default=None)


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    total: Field[Decimal] = Money()
    state: Field[str] = Text(default="open")


class Stock(Entity, key=Key("{thing}")):
    thing: Field[str] = Text()
    left: Field[int] = Whole()


class Shop(Table, pk="PK", sk="SK"):
    by_state = Index(
        pk="SPK", sk="SSK", keys={Order: Key("STATE#{state}", "{customer}#{order_id}")}
    )

    place = Put(Order, create=True)
    order = Get(Order)
    change = Update(Order)
    cancel = Delete(Order)
    put_customer = Put(Customer)
    customer = Get(Customer)
    known_customer = Check(Customer)
    in_state = Query(Order, by_state)


class Stocks(Table, pk="thing"):
    put = Put(Stock)
    stock = Get(Stock)
    take = Update(Stock)


ORDER = Order(order_id="1", customer="ann", total=Decimal(9))


@pytest.fixture
def shops(dynamodb: Database) -> tuple[Store, Store]:
    """A shop, and its stock in another table."""
    dynamodb.table(Shop, "shop")
    dynamodb.table(Stocks, "stock")
    shop = Store(Shop, "shop", Transport(dynamodb.caller, backoff=Backoff(first=0.001)))
    stock = Store(Stocks, "stock", dynamodb.caller)
    shop.put(Shop.put_customer, Customer(name="ann"))
    shop.put(Shop.put_customer, Customer(name="bob", blocked=True))
    stock.put(Stocks.put, Stock(thing="tea", left=1))
    return shop, stock


def buy(shop: Store, stock: Store, order: Order = ORDER, token: str | None = None) -> None:
    shop.transact_write(
        shop.to_put(Shop.place, order),
        stock.to_update(Stocks.take, {"thing": "tea"}, Stock.left.add(-1), when=Stock.left > 0),
        shop.to_check(Shop.known_customer, name=order.customer, when=Customer.blocked.is_missing()),
        token=token,
    )


def test_all_of_it_happens(shops: tuple[Store, Store]) -> None:
    shop, stock = shops
    buy(shop, stock)
    assert shop.get(Shop.order, order_id="1") == ORDER
    left = stock.get(Stocks.stock, thing="tea")
    assert left == {"thing": "tea", "left": 0}


def test_none_of_it_happens_where_one_does_not_fit(shops: tuple[Store, Store]) -> None:
    shop, stock = shops
    blocked = Order(order_id="2", customer="bob", total=Decimal(1))
    with pytest.raises(TransactionRefused) as refused:
        buy(shop, stock, blocked)
    (problem,) = refused.value.problems.items()
    assert problem[0] == 2
    assert str(problem[1]).startswith("CUSTOMER#bob/CUSTOMER in shop did not satisfy")
    buy(shop, stock)
    with pytest.raises(TransactionRefused) as refused:
        buy(shop, stock)
    assert {at: str(one) for at, one in refused.value.problems.items()} == {
        0: "ORDER#1/ORDER in shop exists already",
        1: "tea in stock: Stock.left is 0, so adding -1 would pass its bound 0",
    }
    assert shop.get(Shop.order, order_id="2") is None


def test_a_repetition_with_its_token_changes_nothing(shops: tuple[Store, Store]) -> None:
    shop, stock = shops
    stock.put(Stocks.put, Stock(thing="tea", left=5))
    buy(shop, stock, token="once")
    buy(shop, stock, token="once")
    assert stock.get(Stocks.stock, thing="tea") == {"thing": "tea", "left": 4}


def test_a_removal_may_insist_on_what_it_removes(shops: tuple[Store, Store]) -> None:
    shop, stock = shops
    put_back = stock.to_update(Stocks.take, {"thing": "tea"}, Stock.left.add(1))
    with pytest.raises(TransactionRefused) as refused:
        shop.transact_write(shop.to_delete(Shop.cancel, ORDER, missing_ok=False), put_back)
    assert isinstance(refused.value.problems[0], NotFound)
    assert stock.get(Stocks.stock, thing="tea") == {"thing": "tea", "left": 1}
    shop.put(Shop.place, ORDER)
    paid = Order.state == "paid"
    with pytest.raises(TransactionRefused):
        shop.transact_write(shop.to_delete(Shop.cancel, ORDER, when=paid, missing_ok=False))
    shop.transact_write(shop.to_delete(Shop.cancel, ORDER, missing_ok=False), put_back)
    assert shop.get(Shop.order, order_id="1") is None
    assert stock.get(Stocks.stock, thing="tea") == {"thing": "tea", "left": 2}
    shop.transact_write(shop.to_delete(Shop.cancel, ORDER))


def test_what_is_derived_follows_in_a_transaction(shops: tuple[Store, Store]) -> None:
    shop, _ = shops
    shop.put(Shop.place, ORDER)
    shop.transact_write(shop.to_update(Shop.change, ORDER, Order.state.set("paid")))
    (paid,) = shop.each(Shop.in_state, state="paid")
    assert paid.order_id == "1"
    assert list(shop.each(Shop.in_state, state="open")) == []
    stale = shop.to_update(Shop.change, ORDER, Order.state.set("sent"))
    shop.update(Shop.change, ORDER, {"state": "lost"})
    with pytest.raises(TransactionRefused):
        shop.transact_write(stale)
    with pytest.raises(NotFound):
        shop.to_update(Shop.change, {"order_id": "9"}, Order.state.set("paid"))


def test_records_are_read_as_they_were_at_one_moment(shops: tuple[Store, Store]) -> None:
    shop, stock = shops
    buy(shop, stock)
    order, left = shop.transact_get(
        shop.to_get(Shop.order, order_id="1"), stock.to_get(Stocks.stock, thing="tea")
    )
    assert order == ORDER
    assert left is not None
    assert left.left == 0
    nothing, _ = shop.transact_get(
        shop.to_get(Shop.order, order_id="7"), stock.to_get(Stocks.stock, thing="tea")
    )
    assert nothing is None


def test_the_bounds_are_looked_at_before_the_call(shops: tuple[Store, Store]) -> None:
    shop, _ = shops
    many = [
        shop.to_put(Shop.place, Order(order_id=f"n{n}", customer="ann", total=Decimal(1)))
        for n in range(101)
    ]
    with pytest.raises(ValueError, match="1 to 100 actions, not 101"):
        shop.transact_write(*many)
    with pytest.raises(ValueError, match="1 to 100 actions, not 0"):
        shop.transact_write()
    shop.transact_write(*many[:100])
    assert shop.get(Shop.order, order_id="n99") is not None


def test_a_fault_at_any_call_and_the_retry_end_the_same(
    shops: tuple[Store, Store], dynamodb: Database
) -> None:
    rounds = 0

    def fresh() -> Caller:
        nonlocal rounds
        rounds += 1
        for table in ("shop", "stock"):
            dynamodb.empty(table)
        Store(Shop, "shop", dynamodb.caller).put(Shop.put_customer, Customer(name="ann"))
        Store(Stocks, "stock", dynamodb.caller).put(Stocks.put, Stock(thing="tea", left=5))
        return dynamodb.caller

    def work(caller: Caller) -> None:
        shop, stock = Store(Shop, "shop", caller), Store(Stocks, "stock", caller)
        buy(shop, stock, token=f"token {rounds}")

    def outcome() -> object:
        return dynamodb.items("shop"), dynamodb.items("stock")

    assert len(survives_every_fault(work, outcome, fresh=fresh)) == 1


class Seat(Entity, key=Key("SEAT#{number}", "SEAT"), expires=Expiry("until")):
    number: Field[str] = Text()
    by: Field[str] = Text()
    until: Field[datetime] = Timestamp()


class Seats(Table, pk="PK", sk="SK", ttl="ttl"):
    hold = Put(Seat, create=True)
    seat = Get(Seat)
    held = Query(Seat)


def test_a_repetition_of_what_expires_says_so_at_another_time_and_changes_nothing(
    dynamodb: Database,
) -> None:
    """What has expired is compared with the time, which is part of the request."""
    dynamodb.table(Seats)

    def hold(by: str, seconds: int) -> None:
        now = TODAY + timedelta(seconds=seconds)
        store = dynamodb.store(Seats, now=lambda: now)
        seat = Seat(number="1", by=by, until=TODAY + timedelta(days=1))
        store.transact_write(store.to_put(Seats.hold, seat), token="request-1")

    hold("ann", 0)
    hold("ann", 0)
    for by, seconds in (("ann", 90), ("bob", 0)):
        with pytest.raises(TokenUsed):
            hold(by, seconds)
    found = dynamodb.store(Seats).get(Seats.seat, number="1")
    assert found is not None
    assert found.by == "ann"


class Busy:
    """Has a transaction at every item for the first calls that write."""

    def __init__(self, caller: Caller, times: int) -> None:
        self._caller = caller
        self._times = times

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation in ("PutItem", "UpdateItem", "DeleteItem") and self._times:
            self._times -= 1
            error = {"Error": {"Code": "TransactionConflictException", "Message": "in progress"}}
            raise from_response(operation, error)
        return self._caller.call(operation, params)


def test_a_write_waits_while_a_transaction_is_at_its_item(dynamodb: Database) -> None:
    dynamodb.table(Shop)

    def store(times: int) -> Store:
        busy = Busy(dynamodb.caller, times)
        return dynamodb.store(Shop, Transport(busy, backoff=Backoff(first=0.001)))

    store(2).put(Shop.place, ORDER)
    assert store(2).update(Shop.change, ORDER, {"state": "paid"}).state == "paid"
    with pytest.raises(ItemBusy):
        store(99).put(Shop.place, Order(order_id="2", customer="ann", total=Decimal(1)))
    with pytest.raises(ItemBusy):
        store(99).delete(Shop.cancel, ORDER)
    removed = store(2).delete(Shop.cancel, ORDER)
    assert removed is not None
    assert removed.state == "paid"


def test_a_token_of_another_length_is_refused(dynamodb: Database) -> None:
    store = dynamodb.store(Seats)
    seat = Seat(number="1", by="ann", until=TODAY)
    for token in ("", "x" * 37):
        with pytest.raises(ValueError, match="a token has 1 to 36 characters"):
            store.transact_write(store.to_put(Seats.hold, seat), token=token)
