"""The fault injector finds what is not safe, and says where."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import Conflict, OutOfTime, Throttled, Unavailable
from tablewright.testing import Database, Fault, survives_every_fault
from tablewright.testing.edges.calls import Watcher
from tablewright.testing.injector import Injector, Kind

KEY = {"PK": {"S": "count"}, "SK": {"S": "count"}}
ONE = {"TableName": "orders", "Key": KEY}


def counted(client: Any) -> None:
    """A counter, which doubles when its answer is lost."""
    one = {":one": {"N": "1"}}
    client.update_item(**ONE, UpdateExpression="ADD n :one", ExpressionAttributeValues=one)


def test_work_with_a_plain_client_of_boto3_survives(
    orders: Database, client: Any, fresh: Callable[[], None]
) -> None:
    def work() -> None:
        client.put_item(TableName="orders", Item={**KEY, "n": {"N": "1"}})
        client.get_item(**ONE)

    calls = survives_every_fault(work, orders.items, fresh=fresh)
    assert [(call.service, call.operation, call.target) for call in calls] == [
        ("dynamodb", "PutItem", "orders"),
        ("dynamodb", "GetItem", "orders"),
    ]
    here = "tests/integration/testing/test_faults.py:"
    assert str(calls).startswith(f"1. dynamodb PutItem on orders, made at {here}")


def test_what_is_not_safe_is_named_with_its_fault_its_call_and_its_line(
    orders: Database, client: Any, fresh: Callable[[], None]
) -> None:
    line = counted.__code__.co_firstlineno + 3
    with pytest.raises(AssertionError) as found:
        survives_every_fault(lambda: counted(client), lambda: numbers(orders), fresh=fresh)
    # Nothing failed: the event came twice.
    assert str(found.value).startswith("without faults, delivered twice, the work ends otherwise")
    done: list[bool] = []

    def work() -> None:
        if not done:
            client.get_item(**ONE)
            counted(client)
            done.append(True)

    def begin() -> None:
        fresh()
        done.clear()

    with pytest.raises(AssertionError) as found:
        survives_every_fault(work, lambda: numbers(orders), fresh=begin)
    assert str(found.value).splitlines() == [
        "answer lost at call 2 of 2, dynamodb UpdateItem on orders, made at "
        f"tests/integration/testing/test_faults.py:{line}: repeated, "
        "the work ends otherwise than without faults",
        "--- expected",
        "+++ found",
        "@@ -1 +1 @@",
        "-[1]",
        "+[2]",
    ]


def numbers(orders: Database) -> list[int]:
    return [int(item["n"]["N"]) for item in orders.items()]


def test_resources_and_stores_are_struck_too_and_no_call_twice(
    orders: Database, table: Any, fresh: Callable[[], None]
) -> None:
    ours = Boto3Client(orders.client())

    def work() -> None:
        table.put_item(Item={"PK": "a", "SK": "a"})
        ours.call("GetItem", ONE)
        orders.caller.call("GetItem", ONE)

    calls = survives_every_fault(work, orders.items, fresh=fresh)
    assert [(call.operation, call.edge) for call in calls] == [
        ("PutItem", "boto3"),
        ("GetItem", "boto3"),
        ("GetItem", "wire"),
    ]


@pytest.mark.parametrize(
    ("kind", "plain", "typed"),
    [
        ("throttled", ClientError, Throttled),
        ("refused", ClientError, Unavailable),
        ("answer lost", ReadTimeoutError, Unavailable),
    ],
)
def test_each_edge_raises_what_its_users_would_see(
    client: Any, orders: Database, kind: Kind, plain: type[Exception], typed: type[Exception]
) -> None:
    edges: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: client.get_item(**ONE), plain),
        (lambda: Boto3Client(client).call("GetItem", ONE), typed),
        (lambda: orders.caller.call("GetItem", ONE), typed),
    ]
    for call, expected in edges:
        with (
            Watcher(Injector(Fault(0, kind)).watch).everywhere(),
            pytest.raises(expected) as raised,
        ):
            call()
        assert type(raised.value) is expected or expected is ClientError


@pytest.mark.parametrize(
    ("operation", "faults"), [("PutItem", 5), ("GetItem", 3), ("Query", 3), ("UpdateItem", 5)]
)
def test_whether_a_read_happened_is_not_tried_both_ways(operation: str, faults: int) -> None:
    worlds: list[Nothing] = []

    def fresh() -> Nothing:
        worlds.append(Nothing())
        return worlds[-1]

    def work(caller: Caller) -> None:
        caller.call(operation, ONE)

    survives_every_fault(work, list, fresh=fresh)
    assert len(worlds) == 1 + faults


def test_an_answer_that_is_lost_may_be_a_refusal(
    orders: Database, client: Any, fresh: Callable[[], None]
) -> None:
    """The second call meets a condition that never holds."""
    once = {"TableName": "orders", "Item": KEY, "ConditionExpression": "attribute_not_exists(PK)"}

    def work() -> None:
        for _ in range(2):
            with suppress(client.exceptions.ConditionalCheckFailedException):
                client.put_item(**once)

    assert len(survives_every_fault(work, orders.items, fresh=fresh)) == 2


def test_calls_side_by_side_are_each_struck(
    orders: Database, client: Any, fresh: Callable[[], None]
) -> None:
    """Whichever of two comes first, the fault is at the one that it is for."""
    turns = count()

    def work() -> None:
        steps: list[Callable[[], object]] = [
            lambda: client.get_item(**ONE),
            lambda: client.put_item(TableName="orders", Item=KEY),
        ]
        with ThreadPoolExecutor(1) as pool:
            # In another order each time, as threads may be.
            steps = steps[:: -1 if next(turns) % 2 else 1]
            for future in [pool.submit(step) for step in steps]:
                future.result()

    calls = survives_every_fault(work, orders.items, fresh=fresh)
    assert sorted(call.operation for call in calls) == ["GetItem", "PutItem"]


def test_an_error_made_of_the_fault_is_repeated_and_a_final_one_of_ours_is_not(
    orders: Database, client: Any, fresh: Callable[[], None]
) -> None:
    def work(error: type[Exception]) -> None:
        try:
            client.put_item(TableName="orders", Item=KEY)
        except Exception as failed:
            raise error("not stored") from failed

    survives_every_fault(lambda: work(RuntimeError), orders.items, fresh=fresh)
    with pytest.raises(Conflict, match="not stored"):
        survives_every_fault(lambda: work(Conflict), orders.items, fresh=fresh)


class Nothing:
    """An edge behind which nothing is."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return {}


def test_work_that_is_out_of_time_before_the_fault_is_tried_anew() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        if next(runs) % 4 == 2:
            raise OutOfTime("the machine is busy")
        caller.call("PutItem", {})

    assert len(survives_every_fault(work, list, fresh=Nothing)) == 2


def test_work_that_is_always_out_of_time_never_meets_its_fault() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        # Only without a fault, and in the retry, does it come further.
        if next(runs) and not isinstance(caller, Nothing):
            raise OutOfTime("the machine is busy")
        caller.call("PutItem", {})

    with pytest.raises(AssertionError, match=r"throttled at call 2 of 2.* did not strike"):
        survives_every_fault(work, list, fresh=Nothing)


def test_work_that_makes_fewer_calls_another_time_is_found_at_once() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        if next(runs) == 0:
            caller.call("PutItem", {})

    with pytest.raises(AssertionError, match=r"throttled at call 2 of 2.* did not strike"):
        survives_every_fault(work, list, fresh=Nothing)


def test_work_that_calls_nothing_shows_nothing() -> None:
    with pytest.raises(AssertionError, match="makes no call that a fault could strike"):
        survives_every_fault(lambda: None, list)


def test_an_edge_that_is_not_of_aws_raises_its_own_error() -> None:
    class Web:
        def fetch(self) -> str:
            return "page"

    seen: list[str] = []

    def work() -> None:
        seen[:] = [Web().fetch()]

    failed = ConnectionResetError("injected")
    (call,) = survives_every_fault(work, lambda: list(seen), beside=[(Web, "fetch", failed)])
    assert (call.service, call.operation) == ("Web", "fetch")
