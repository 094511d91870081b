"""Every write path of the sales system, with every fault at every call, then the retry."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sales.sales import TenantSales
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, survives_every_fault
from tests.integration.sales.conftest import sale

TENANT = "carousel-labs"
NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)
ONE = {"product_id": "prod_0", "sale_date": "2025-12-29", "sale_id": "sale_00000"}

Work = Callable[[TenantSales], Any]


def body(number: int, **changes: Any) -> dict[str, Any]:
    ours = ("tenant", "created_at", "updated_at")
    return {
        Sale.__entity__.by_name[name].stored: value
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
def test_a_write_ends_the_same_whatever_fails_on_the_way(path: str, dynamodb: Database) -> None:
    dynamodb.table(Sales)
    client = dynamodb.client()
    before = Boto3Client(client)

    def fresh() -> Caller:
        for item in dynamodb.items():
            client.delete_item(TableName="sales", Key={n: item[n] for n in ("PK", "SK")})
        Store(Sales, "sales", before).put(Sales.put_sale, sale(0))
        return before

    def work(caller: Caller) -> None:
        PATHS[path](TenantSales(Store(Sales, "sales", caller), TENANT))

    assert len(survives_every_fault(work, dynamodb.items, fresh=fresh)) >= 1
