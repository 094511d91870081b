"""The fault injector finds what is not safe."""

from itertools import count
from typing import Any

import pytest

from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import OutOfTime
from tablewright.testing.faults import survives_every_fault
from tests.integration.conftest import Database
from tests.integration.runtime.store.conftest import Orders


def test_the_injector_finds_a_write_path_that_is_not_safe(database: Database) -> None:
    """A counter that is read and then written doubles when its answer is lost."""
    database.create(Orders)
    key = {"PK": {"S": "count"}, "SK": {"S": "count"}}

    def fresh() -> Caller:
        database.client().delete_item(TableName="table", Key=key)
        return Boto3Client(database.client())

    def unsafe(caller: Caller) -> None:
        add = {":one": {"N": "1"}}
        params = {"TableName": "table", "Key": key, "UpdateExpression": "ADD n :one"}
        caller.call("UpdateItem", {**params, "ExpressionAttributeValues": add})

    with pytest.raises(AssertionError, match="effect='after'"):
        survives_every_fault(fresh, unsafe, database.items)


class Nothing:
    """An edge behind which nothing is."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return {}


def test_work_that_is_out_of_time_before_the_fault_is_tried_anew() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        if next(runs) % 3 == 1:
            raise OutOfTime("the machine is busy")
        caller.call("PutItem", {})

    assert survives_every_fault(Nothing, work, list) == 2


def test_work_that_is_always_out_of_time_never_meets_its_fault() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        # Only without a fault, and in the retry, does it come further.
        if next(runs) and hasattr(caller, "struck"):
            raise OutOfTime("the machine is busy")
        caller.call("PutItem", {})

    with pytest.raises(AssertionError, match=r"Fault\(at=1.* did not strike"):
        survives_every_fault(Nothing, work, list)


def test_work_that_makes_fewer_calls_another_time_is_found_at_once() -> None:
    runs = count()

    def work(caller: Caller) -> None:
        caller.call("GetItem", {})
        if next(runs) == 0:
            caller.call("PutItem", {})

    with pytest.raises(AssertionError, match=r"Fault\(at=1.* did not strike"):
        survives_every_fault(Nothing, work, list)
