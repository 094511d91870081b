"""Old items are expired by the clock, once each, and nothing else is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright.model import Entity, Field, Get, Key, Put, Scan, Table, Text, Timestamp, Update
from tablewright.model.old_items import OlderThan, Sweep
from tablewright.runtime.archive.rows import PUT_BACK
from tablewright.runtime.archive.sweeping import Sweeping
from tablewright.runtime.aws import Caller
from tablewright.testing import Database, survives_every_fault

NOW = datetime(2026, 6, 1, 15, tzinfo=UTC)
MIDNIGHT = {"N": str(int(datetime(2026, 6, 1, tzinfo=UTC).timestamp()))}
LATER = {"N": "4102444800"}


class Order(Entity, key=Key("ORDER#{id}", "ORDER")):
    id: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()


class Cart(Entity, key=Key("CART#{cart}", "CART")):
    cart: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()


class Orders(Table, pk="PK", sk="SK", ttl="ttl", stream="NEW_AND_OLD_IMAGES"):
    """Orders, and carts that are to become some."""

    place = Put(Order)
    order = Get(Order)
    change = Update(Order)
    all_orders = Scan(Order)
    fill = Put(Cart)


OLD = OlderThan(90, Order.placed_at, scan=Orders.all_orders, update=Orders.change)
SWEEP = OLD.sweep(Orders.__design__)


def order(id: str, days: int, **more: Any) -> dict[str, Any]:
    at = f"{NOW - timedelta(days=days):%Y-%m-%dT%H:%M:%S.000Z}"
    key = {"PK": {"S": f"ORDER#{id}"}, "SK": {"S": "ORDER"}}
    return {**key, "id": {"S": id}, "placed_at": {"S": at}, **more}


ITEMS = [
    order("old", 91),
    order("older", 400, ttl=LATER),
    order("at the edge", 90),
    order("new", 1),
    order("gone already", 100, ttl={"N": "1700000000"}),
    order("put back", 100, ttl=LATER, restored_from={"S": f"{PUT_BACK}…"}),
    {
        "PK": {"S": "CART#1"},
        "SK": {"S": "CART"},
        "cart": {"S": "1"},
        "placed_at": {"S": "2020-01-01T00:00:00.000Z"},
    },
]


@pytest.fixture
def filled(dynamodb: Database) -> Database:
    dynamodb.table(Orders)
    dynamodb.write(ITEMS)
    return dynamodb


def expiries(database: Database) -> dict[str, Any]:
    return {item["PK"]["S"]: item.get("ttl") for item in database.items()}


def sweep(caller: Caller, after: Any = None) -> Any:
    return Sweeping(caller, "orders", SWEEP, NOW).run(after, lambda: True)


def test_what_is_old_expires_and_nothing_else(filled: Database) -> None:
    before = expiries(filled)
    assert sweep(filled.caller) == (2, None)
    swept = {"ORDER#old": MIDNIGHT, "ORDER#older": MIDNIGHT}
    assert expiries(filled) == {**before, **swept}
    assert sweep(filled.caller) == (0, None)


def test_what_is_deleted_or_changed_meanwhile_is_left_alone(filled: Database) -> None:
    class Meanwhile:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem":
                key = {name: ITEMS[0][name] for name in ("PK", "SK")}
                filled.caller.call("DeleteItem", {"TableName": "orders", "Key": key})
                filled.write([order("older", 1)])
            return filled.caller.call(operation, params)

    assert sweep(Meanwhile()) == (0, None)
    assert "ORDER#old" not in expiries(filled)
    assert expiries(filled)["ORDER#older"] is None


def test_every_fault_at_every_call_ends_the_same(filled: Database) -> None:
    def begin() -> Caller:
        filled.write(ITEMS)
        return filled.caller

    assert len(survives_every_fault(sweep, lambda: expiries(filled), fresh=begin)) == 3


def test_a_run_that_is_out_of_time_says_where_to_go_on(filled: Database) -> None:
    class OneByOne:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            limit = {"Limit": 1} if operation == "Scan" else {}
            return filled.caller.call(operation, {**params, **limit})

    work = Sweeping(OneByOne(), "orders", SWEEP, NOW)
    runs, after = [], None
    while True:
        swept = work.run(after, lambda: False)
        runs.append(swept.expired)
        after = swept.after
        if after is None:
            break
    assert sum(runs) == 2
    assert len(runs) > len(ITEMS) - 1


def test_a_sweep_is_told_in_a_variable() -> None:
    assert Sweep.from_json(SWEEP.to_json()) == SWEEP
    assert SWEEP.only == "id"


def test_what_cannot_be_old_is_refused() -> None:
    design = Orders.__design__
    with pytest.raises(ValueError, match="no day or moment"):
        OLD._replace(field=Order.id).sweep(design)
    with pytest.raises(ValueError, match="at least a day"):
        OLD._replace(days=0).sweep(design)
