"""Updates and batches that meet others, repetitions and half-done work."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import Conflict, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import Orders, order

TENANT = "carousel-labs"
NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)
ONE = {"customer": "customer_0", "day": "2025-12-29", "order_id": "order_00000"}


def test_a_racing_update_does_not_leave_a_stale_index_key(dynamodb: Database) -> None:
    """Two updates of what one index key is made of: whoever writes last derives from both."""
    plain = dynamodb.store(Orders)
    plain.put(Orders.place, order(0, label=None))
    key = {"tenant": TENANT, **ONE}

    class Interrupting:
        done = False

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and not self.done:
                self.done = True
                plain.update(Orders.change, key, {"total": Decimal("7.77")})
            return dynamodb.caller.call(operation, params)

    dynamodb.store(Orders, Interrupting()).update(Orders.change, key, {"label": "Nike"})
    (item,) = dynamodb.items()
    assert item["LSK"] == {"S": "DAY#2025-12-29#TOTAL#0000000777"}
    assert item["LPK"] == {"S": "TENANT#carousel-labs#LABEL#Nike"}


class OnFirstUpdate:
    """Does something at the moment of the first update, before it is sent."""

    def __init__(
        self, database: Database, happens: Callable[[Caller, dict[str, Any]], Any]
    ) -> None:
        self._dynamo = Boto3Client(database.client())
        self._happens: Callable[[Caller, dict[str, Any]], Any] | None = happens

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and self._happens:
            happens, self._happens = self._happens, None
            happens(self._dynamo, params)
        return self._dynamo.call(operation, params)


@pytest.fixture
def stored(dynamodb: Database) -> Store:
    store = dynamodb.store(Orders)
    store.put(Orders.place, order(0))
    return store


KEY = {"tenant": TENANT, **ONE}
OPEN = {"state": "OPEN"}


def test_a_repeated_update_with_a_condition_is_a_conflict_with_the_current_record(
    dynamodb: Database, stored: Store
) -> None:
    """The condition decides alone: nobody is told that a change is in place already."""
    changes = {"state": "SENT", "total": Decimal("3.00")}
    sent = stored.update(Orders.change, KEY, changes, when=OPEN)
    with pytest.raises(Conflict) as refused:
        stored.update(Orders.change, KEY, changes, when=OPEN)
    assert refused.value.current == sent == {**order(0), **changes}
    assert not refused.value.maybe_applied


def test_an_expectation_that_fails_in_between_leaves_the_other_s_change(
    dynamodb: Database, stored: Store
) -> None:
    def another(*_: Any) -> None:
        stored.update(Orders.change, KEY, {"state": "PAID"})

    store = dynamodb.store(Orders, OnFirstUpdate(dynamodb, another))
    with pytest.raises(Conflict, match=r'did not satisfy Order\.state == "OPEN" \(it is "PAID"\)'):
        store.update(Orders.change, KEY, {"state": "SENT"}, when=OPEN)
    assert stored.get(Orders.get_order, KEY) == {**order(0), "state": "PAID"}


def test_a_change_of_something_else_in_between_is_kept_with_ours(
    dynamodb: Database, stored: Store
) -> None:
    def another(*_: Any) -> None:
        stored.update(Orders.change, KEY, {"total": Decimal("8.00")})

    store = dynamodb.store(Orders, OnFirstUpdate(dynamodb, another))
    store.update(Orders.change, KEY, {"kind": "shoe"}, when=OPEN)
    both = {**order(0), "total": Decimal("8.00"), "kind": "shoe"}
    assert stored.get(Orders.get_order, KEY) == both


def test_nothing_to_change_is_no_way_around_an_expectation(stored: Store) -> None:
    with pytest.raises(Conflict):
        stored.update(Orders.change, KEY, {}, when={"state": "SENT"})


@pytest.mark.parametrize("operation", ["BatchWriteItem", "BatchGetItem"])
def test_what_is_left_unprocessed_is_tried_again(operation: str, dynamodb: Database) -> None:
    dynamodb.table(Orders)

    class HalfDone:
        """Does the first half of each batch and hands the other half back, as DynamoDB may."""

        def __init__(self) -> None:
            self.caller = Boto3Client(dynamodb.client())
            self.calls = 0

        def call(self, called: str, params: dict[str, Any]) -> dict[str, Any]:
            if called != operation:
                return self.caller.call(called, params)
            self.calls += 1
            request = params["RequestItems"]["orders"]
            parts = request if called == "BatchWriteItem" else request["Keys"]
            now, later = parts[: len(parts) // 2 + 1], parts[len(parts) // 2 + 1 :]
            if called == "BatchWriteItem":
                answer = self.caller.call(called, {"RequestItems": {"orders": now}})
                return {**answer, "UnprocessedItems": {"orders": later} if later else {}}
            answer = self.caller.call(
                called, {"RequestItems": {"orders": {**request, "Keys": now}}}
            )
            unprocessed = {"orders": {**request, "Keys": later}} if later else {}
            return {**answer, "UnprocessedKeys": unprocessed}

    edge = HalfDone()
    store = dynamodb.store(Orders, edge)
    store.put_many(Orders.load, [order(n) for n in range(40)])
    assert len(dynamodb.items()) == 40
    where = {"tenant": TENANT, "kind": "dress"}
    assert len(store.query(Orders.of_kind, where, limit=40).items) == 40
    assert edge.calls > 3


def test_a_batch_that_is_never_done_is_reported(dynamodb: Database) -> None:
    class Never:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            return {"UnprocessedItems": params["RequestItems"]}

    waits: list[float] = []

    class Watched(Backoff):
        def sleep(self, seconds: float) -> None:
            waits.append(seconds)

    watched = Watched(attempts=6, first=0.1, longest=1.0)
    store = dynamodb.store(Orders, Transport(Never(), backoff=watched))
    with pytest.raises(Throttled, match="3 of 3 items were still unprocessed"):
        store.put_many(Orders.load, [order(n) for n in range(3)])
    assert len(waits) == 5
    assert all(0 <= wait <= 1.0 for wait in waits)
    assert len(set(waits)) == 5  # jittered
