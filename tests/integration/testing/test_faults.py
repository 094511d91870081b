"""The fault injector finds what is not safe."""

import pytest

from tablewright.runtime.aws import Caller, Dynamo
from tablewright.testing.faults import survives_every_fault
from tests.integration.conftest import Database
from tests.integration.runtime.store.conftest import ORDERS


def test_the_injector_finds_a_write_path_that_is_not_safe(database: Database) -> None:
    """A counter that is read and then written doubles when its answer is lost."""
    database.create(ORDERS)
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
