"""Work that consumes more than its budget is told which calls did."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.testing import Costs, Database, costs_at_most
from tests.integration.runtime.store.conftest import Orders, order

KEY = {"PK": {"S": "TENANT#a"}, "SK": {"S": "1"}}


def test_work_within_its_budget_passes_and_says_what_it_took(client: Any, orders: Database) -> None:
    with costs_at_most(read=0.5, write=1, calls=2) as costs:
        client.put_item(TableName="orders", Item=KEY)
        assert "Item" in client.get_item(TableName="orders", Key=KEY)
    assert (costs.read_units, costs.write_units) == (Decimal("0.5"), Decimal(1))
    assert costs.calls == {"orders:PutItem": 1, "orders:GetItem": 1}


def test_what_is_over_the_budget_is_told_by_call_table_and_index(orders: Database) -> None:
    store = orders.store(Orders)
    with pytest.raises(AssertionError) as found, costs_at_most(write=1, calls=0):
        store.put(Orders.place, order(0))
    first, line = str(found.value).splitlines()
    assert first == "4 write units where 1 were allowed, and 1 calls where 0 were allowed:"
    here = "tests/integration/testing/test_budgets.py"
    assert line.startswith(f"1. dynamodb PutItem on orders, made at {here}:")
    assert "1 write (table)" in line
    assert "1 write (BY_LABEL)" in line


def test_resources_of_boto3_are_counted_and_transactions_as_they_are_billed(
    table: Any, orders: Database
) -> None:
    put = {"Put": {"TableName": "orders", "Item": {"PK": "TENANT#a", "SK": "1"}}}
    with costs_at_most(read=1, write=2) as costs:
        table.meta.client.transact_write_items(TransactItems=[put])
        table.get_item(Key={"PK": "TENANT#a", "SK": "1"}, ConsistentRead=True)
    assert (costs.write_units, costs.read_units) == (Decimal(2), Decimal(1))


def test_work_that_fails_fails_with_its_own_error(client: Any, orders: Database) -> None:
    with pytest.raises(client.exceptions.ResourceNotFoundException), costs_at_most(calls=0):
        client.put_item(TableName="another", Item=KEY)


def test_costs_are_counted_in_several_blocks_and_not_between_them(
    client: Any, orders: Database
) -> None:
    costs = Costs()
    with costs.counting():
        client.put_item(TableName="orders", Item=KEY)
    client.put_item(TableName="orders", Item=KEY)
    with costs.counting():
        client.describe_table(TableName="orders")
    assert (costs.written("orders"), costs.written("other")) == (Decimal(1), Decimal())
    assert [one.call.operation for one in costs.entries] == ["PutItem", "DescribeTable"]
