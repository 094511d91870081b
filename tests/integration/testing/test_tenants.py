"""Work that shows one tenant what is another's is found, whichever way it does."""

from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr, Key

from tablewright.testing import Database, isolated
from tests.integration.runtime.store.conftest import Orders, order


def put(table: Any, tenant: str, **more: Any) -> None:
    table.put_item(Item={"PK": f"TENANT#{tenant}", "SK": "1", **more})


@pytest.fixture(autouse=True)
def emptied(orders: Database) -> None:
    """Nothing of another test is in the table."""


def test_a_handler_that_asks_by_its_tenant_passes(table: Any) -> None:
    def handler(tenant: str) -> Any:
        put(table, tenant)
        return table.query(KeyConditionExpression=Key("PK").eq(f"TENANT#{tenant}"))["Items"]

    isolated(handler, ["acme", "acme-2"])


def test_a_handler_that_leaves_out_the_tenant_is_found(table: Any) -> None:
    def leaky(tenant: str) -> int:
        table.put_item(Item={"PK": "ORDERS", "SK": tenant})
        found = table.query(KeyConditionExpression=Key("PK").eq("ORDERS"))["Items"]
        return len(found)

    with pytest.raises(AssertionError) as found:
        isolated(leaky, ["acme", "bolt"])
    first, second = str(found.value).splitlines()
    assert first == "'bolt' is not kept apart:"
    here = "tests/integration/testing/test_tenants.py"
    query = f"of 'acme': the answer to dynamodb Query on orders, made at {here}:"
    assert second.startswith(query)
    assert "'SK': 'acme'" in second


def test_a_scan_is_found_though_its_filter_hides_what_it_read(table: Any) -> None:
    def scans(tenant: str) -> Any:
        put(table, tenant, owner=tenant)
        return table.scan(FilterExpression=Attr("owner").eq(tenant))["Items"]

    with pytest.raises(AssertionError, match=r"Scan on orders.*: reads the items of all tenants"):
        isolated(scans)
    isolated(scans, shared=["orders"])


def test_an_answer_from_what_was_kept_in_memory_is_found(table: Any) -> None:
    kept: list[str] = []

    def keeps(tenant: str) -> str:
        put(table, tenant)
        kept.append(tenant)
        return kept[0]

    with pytest.raises(AssertionError, match="of 'acme': what the work gave 'bolt'"):
        isolated(keeps)


def test_keys_of_a_design_are_held_to_the_tenant_in_them(orders: Database) -> None:
    """Also where the tenant is known by another name at the door."""
    ids = {"door-1": "carousel", "door-2": "carousel"}
    store = orders.store(Orders)

    def work(tenant: str) -> None:
        store.put_many(Orders.load, [order(0, tenant=ids.get(tenant, tenant))])

    isolated(work, ["acme", "bolt"], tables={"orders": Orders})
    with pytest.raises(AssertionError, match=r"of 'carousel': .* key TENANT#carousel"):
        isolated(work, ["door-1", "door-2"], tables={"orders": Orders})


def test_what_is_whose_can_be_told(table: Any) -> None:
    def work(tenant: str) -> None:
        table.put_item(Item={"PK": "numbers", "SK": "1", "account": {"acme": 1, "bolt": 2}[tenant]})

    def belongs(item: Any) -> str | None:
        return {1: "acme", 2: "bolt"}.get(item.get("account"))

    isolated(work, belongs=belongs)
    with pytest.raises(AssertionError, match="nothing that was called or answered"):
        isolated(work)
    with pytest.raises(AssertionError, match="of 'bolt': dynamodb PutItem"):
        isolated(lambda _: work("bolt"), belongs=belongs)


def test_one_tenant_is_none_to_be_kept_apart() -> None:
    with pytest.raises(ValueError, match="two tenants or more"):
        isolated(lambda _: None, ["acme"])
