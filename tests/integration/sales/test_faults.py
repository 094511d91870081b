"""Every write path of the sales system, with every fault at every call, then the retry."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sales.sales import Sales
from tablewright.catalog.sales.design import SALE, SALES
from tablewright.runtime.aws import Caller, Dynamo
from tablewright.runtime.errors import Conflict, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.testing.faults import Faulty, survives_every_fault
from tests.integration.conftest import Database
from tests.integration.sales.conftest import sale

TENANT = "carousel-labs"
NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)
ONE = {"product_id": "prod_0", "sale_date": "2025-12-29", "sale_id": "sale_00000"}

Work = Callable[[Sales], Any]


def body(number: int, **changes: Any) -> dict[str, Any]:
    ours = ("tenant", "created_at", "updated_at")
    return {
        SALE.by_name[name].stored: value
        for name, value in {**sale(number), **changes}.items()
        if name not in ours
    }


PATHS: dict[str, Work] = {
    "create": lambda sales: sales.create(body(1), NOW),
    "batch": lambda sales: sales.create_many({"sales": [body(n) for n in range(60)]}, NOW),
    "replacing batch": lambda sales: sales.create_many(
        {"sales": [body(n, category="shoe") for n in range(4)], "replace": True}, NOW
    ),
    "change": lambda sales: sales.change(
        {"category": "shoe", "salePrice": Decimal("1.00"), "brand": None}, NOW, **ONE
    ),
    "remove": lambda sales: sales.remove(**ONE),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_write_ends_the_same_whatever_fails_on_the_way(path: str, database: Database) -> None:
    database.create(SALES)
    client = database.client()
    before = Dynamo(client)

    def fresh() -> Caller:
        for item in database.items():
            client.delete_item(TableName="table", Key={n: item[n] for n in ("PK", "SK")})
        Store(SALES, "table", before).put(SALES.put_sale, sale(0))
        return before

    def work(caller: Caller) -> None:
        PATHS[path](Sales(Store(SALES, "table", caller), TENANT))

    assert survives_every_fault(fresh, work, database.items) >= 1


def test_the_injector_finds_a_write_path_that_is_not_safe(database: Database) -> None:
    """A counter that is read and then written doubles when its answer is lost."""
    database.create(SALES)
    key = {"PK": {"S": "count"}, "SK": {"S": "count"}}

    def fresh() -> Caller:
        database.client().delete_item(TableName="table", Key=key)
        return Dynamo(database.client())

    def unsafe(caller: Caller) -> None:
        add = {":one": {"N": "1"}}
        params = {"TableName": "table", "Key": key, "UpdateExpression": "ADD n :one"}
        caller.call("UpdateItem", {**params, "ExpressionAttributeValues": add})

    with pytest.raises(AssertionError, match="effect='after'"):
        survives_every_fault(fresh, unsafe, database.items)


def test_a_racing_update_does_not_leave_a_stale_index_key(database: Database) -> None:
    """Two updates of what one index key is made of: whoever writes last derives from both."""
    database.create(SALES)
    plain = database.store(SALES)
    unbranded = {name: value for name, value in sale(0).items() if name != "brand"}
    plain.put(SALES.put_sale, unbranded)
    key = {"tenant": TENANT, **ONE}

    class Interrupting(Faulty):
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and not self.struck:
                self.struck = True
                plain.update(SALES.update_sale, key, {"sale_price": Decimal("7.77")})
            return super().call(operation, params)

    racing = Interrupting(Dynamo(database.client()))
    database.store(SALES, racing).update(SALES.update_sale, key, {"brand": "Nike"})
    (item,) = database.items()
    assert item["GSI3SK"] == {"S": "DATE#2025-12-29#PRICE#0000000777"}
    assert item["GSI3PK"] == {"S": "TENANT#carousel-labs#BRAND#Nike"}


class OnFirstUpdate:
    """Does something at the moment of the first update, before it is sent."""

    def __init__(
        self, database: Database, happens: Callable[[Caller, dict[str, Any]], Any]
    ) -> None:
        self._dynamo = Dynamo(database.client())
        self._happens: Callable[[Caller, dict[str, Any]], Any] | None = happens

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and self._happens:
            happens, self._happens = self._happens, None
            happens(self._dynamo, params)
        return self._dynamo.call(operation, params)


@pytest.fixture
def stored(database: Database) -> Store:
    database.create(SALES)
    store = database.store(SALES)
    store.put(SALES.put_sale, sale(0))
    return store


KEY = {"tenant": TENANT, **ONE}
WINTER = {"season": "WINTER"}


def test_an_update_whose_first_copy_arrived_unnoticed_is_no_conflict(
    database: Database, stored: Store
) -> None:
    """botocore repeats a request whose answer was lost; the repetition meets its own effect."""
    edge = OnFirstUpdate(database, lambda dynamo, params: dynamo.call("UpdateItem", params))
    changes = {"season": "FALL", "sale_price": Decimal("3.00")}
    updated = database.store(SALES, edge).update(SALES.update_sale, KEY, changes, expect=WINTER)
    assert updated == {**sale(0), **changes}


def test_an_expectation_that_fails_in_between_leaves_the_other_s_change(
    database: Database, stored: Store
) -> None:
    def another(*_: Any) -> None:
        stored.update(SALES.update_sale, KEY, {"season": "SPRING"})

    store = database.store(SALES, OnFirstUpdate(database, another))
    with pytest.raises(Conflict, match="not as expected"):
        store.update(SALES.update_sale, KEY, {"season": "FALL"}, expect=WINTER)
    assert stored.get(SALES.get_sale, KEY) == {**sale(0), "season": "SPRING"}


def test_a_change_of_something_else_in_between_is_kept_with_ours(
    database: Database, stored: Store
) -> None:
    def another(*_: Any) -> None:
        stored.update(SALES.update_sale, KEY, {"sale_price": Decimal("8.00")})

    store = database.store(SALES, OnFirstUpdate(database, another))
    store.update(SALES.update_sale, KEY, {"category": "shoe"}, expect=WINTER)
    both = {**sale(0), "sale_price": Decimal("8.00"), "category": "shoe"}
    assert stored.get(SALES.get_sale, KEY) == both


def test_nothing_to_change_is_no_way_around_an_expectation(stored: Store) -> None:
    with pytest.raises(Conflict):
        stored.update(SALES.update_sale, KEY, {}, expect={"season": "FALL"})


@pytest.mark.parametrize("operation", ["BatchWriteItem", "BatchGetItem"])
def test_what_is_left_unprocessed_is_tried_again(operation: str, database: Database) -> None:
    database.create(SALES)

    class HalfDone:
        """Does the first half of each batch and hands the other half back, as DynamoDB may."""

        def __init__(self) -> None:
            self.caller = Dynamo(database.client())
            self.calls = 0

        def call(self, called: str, params: dict[str, Any]) -> dict[str, Any]:
            if called != operation:
                return self.caller.call(called, params)
            self.calls += 1
            request = params["RequestItems"]["table"]
            parts = request if called == "BatchWriteItem" else request["Keys"]
            now, later = parts[: len(parts) // 2 + 1], parts[len(parts) // 2 + 1 :]
            if called == "BatchWriteItem":
                answer = self.caller.call(called, {"RequestItems": {"table": now}})
                return {**answer, "UnprocessedItems": {"table": later} if later else {}}
            answer = self.caller.call(called, {"RequestItems": {"table": {**request, "Keys": now}}})
            unprocessed = {"table": {**request, "Keys": later}} if later else {}
            return {**answer, "UnprocessedKeys": unprocessed}

    edge = HalfDone()
    store = database.store(SALES, edge)
    store.put_many(SALES.put_sales, [sale(n) for n in range(40)])
    assert len(database.items()) == 40
    where = {"tenant": TENANT, "category": "dress"}
    assert len(store.query(SALES.category_sales, where, limit=40).items) == 40
    assert edge.calls > 3


def test_a_batch_that_is_never_done_is_reported(database: Database) -> None:
    class Never:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            return {"UnprocessedItems": params["RequestItems"]}

    waits: list[float] = []

    class Watched(Backoff):
        def sleep(self, seconds: float) -> None:
            waits.append(seconds)

    store = database.store(SALES, Never(), backoff=Watched(attempts=6, first=0.1, longest=1.0))
    with pytest.raises(Throttled, match="3 of 3 items were still unprocessed"):
        store.put_many(SALES.put_sales, [sale(n) for n in range(3)])
    assert len(waits) == 5
    assert all(0 <= wait <= 1.0 for wait in waits)
    assert len(set(waits)) == 5  # jittered
