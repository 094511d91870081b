"""A new record and a change of another one: both or neither, once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    Expiry,
    Field,
    Get,
    Key,
    Put,
    Table,
    Text,
    TimestampText,
    Update,
)
from tablewright.model.validation.design import check
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, Throttled, TransactionCanceled, TransactionRefused
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing import Database, survives_every_fault


class Order(Entity, key=Key("ORDER#{id}", "ORDER")):
    id: Field[str] = Text()
    what: Field[str] = Text()


class Basket(Entity, key=Key("BASKET#{owner}", "BASKET"), expires=Expiry("at", days=7)):
    owner: Field[str] = Text()
    at: Field[str] = TimestampText(resolution="ms")
    order: Field[str | None] = Text(default=None)


class Orders(Table, pk="PK", sk="SK", ttl="ttl"):
    put_order = Put(Order, create=True)
    get_order = Get(Order)
    put_basket = Put(Basket)
    get_basket = Get(Basket, consistent=True)
    close_basket = Update(Basket)


ADA = {"owner": "ada"}
OPEN = {**ADA, "at": "2099-01-26T12:00:00.000Z"}


@pytest.fixture
def dynamodb(dynamodb: Database) -> Database:
    dynamodb.table(Orders)
    Store(Orders, "orders", dynamodb.caller).put(Orders.put_basket, Basket(**OPEN))
    return dynamodb


def order(caller: Caller, id: str = "1", owner: str = "ada") -> None:
    store = Store(Orders, "orders", Transport(caller, backoff=Backoff(first=0.001)))
    is_open = Basket.order.is_missing()
    closed = Basket.order.set(id)
    store.transact_write(
        store.to_put(Orders.put_order, Order(id=id, what="tea")),
        store.to_update(Orders.close_basket, {"owner": owner}, closed, when=is_open),
    )


def stored(database: Database) -> list[str]:
    return sorted(i["PK"]["S"] + "=" + i.get("order", {}).get("S", "") for i in database.items())


def test_the_design_is_sound() -> None:
    check(Orders)


def test_both_happen_once(dynamodb: Database) -> None:
    dynamo = dynamodb.caller
    order(dynamo)
    assert stored(dynamodb) == ["BASKET#ada=1", "ORDER#1="]
    with pytest.raises(TransactionRefused) as refused:
        order(dynamo)
    assert {at: str(one) for at, one in refused.value.problems.items()} == {
        0: "ORDER#1/ORDER in orders exists already",
        1: 'BASKET#ada/BASKET in orders did not satisfy Basket.order.is_missing() (it is "1")',
    }
    with pytest.raises(TransactionRefused) as refused:
        order(dynamo, "2")
    assert list(refused.value.problems) == [1]
    assert stored(dynamodb) == ["BASKET#ada=1", "ORDER#1="]


def test_neither_happens_without_the_other(dynamodb: Database) -> None:
    dynamo = dynamodb.caller
    with pytest.raises(Conflict):
        order(dynamo, owner="grace")
    assert stored(dynamodb) == ["BASKET#ada="]


def test_a_fault_and_the_retry_leave_both(dynamodb: Database) -> None:
    dynamo = dynamodb.caller

    def fresh() -> Caller:
        for item in dynamodb.items():
            key = {name: item[name] for name in ("PK", "SK")}
            dynamo.call("DeleteItem", {"TableName": "orders", "Key": key})
        Store(Orders, "orders", dynamo).put(Orders.put_basket, Basket(**OPEN))
        return dynamo

    def work(caller: Caller) -> None:
        try:
            order(caller)
        except TransactionRefused as refused:
            if 0 not in refused.problems:
                raise

    assert len(survives_every_fault(work, lambda: stored(dynamodb), fresh=fresh)) == 1


def test_of_eight_who_close_one_basket_one_does(dynamodb: Database) -> None:
    def close(number: int) -> int:
        try:
            order(dynamodb.caller, str(number))
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(8) as buyers:
        assert sum(buyers.map(close, range(8))) == 1
    assert len(stored(dynamodb)) == 2


class Canceling:
    """Cancels transactions for these reasons, one after the other, then lets them through."""

    def __init__(self, caller: Caller, *reasons: list[str]) -> None:
        self._caller = caller
        self._reasons = list(reasons)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if self._reasons:
            raise TransactionCanceled(self._reasons.pop(0))
        return self._caller.call(operation, params)


def test_what_passes_is_waited_for_and_what_does_not_is_told(dynamodb: Database) -> None:
    dynamo = dynamodb.caller
    busy = (["TransactionConflict", "None"], ["None", "ThrottlingError"])
    order(Canceling(dynamo, *busy))
    assert stored(dynamodb) == ["BASKET#ada=1", "ORDER#1="]
    with pytest.raises(Throttled):
        order(Canceling(dynamo, *(busy * 4)), "2")
    with pytest.raises(TransactionCanceled, match="ItemCollectionSizeLimitExceeded"):
        order(Canceling(dynamo, ["None", "ItemCollectionSizeLimitExceeded"]), "2")
    assert len(stored(dynamodb)) == 2
