"""Every write path of the sales system, with every fault at every call, then the retry."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import Sales
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, survives_every_fault
from tests.integration.sales.conftest import sale

ONE = ("carousel-labs", "prod_0", "2025-12-29", "sale_00000")

Work = Callable[[SalesRepository], Any]

PATHS: dict[str, Work] = {
    "put_sale": lambda sales: sales.put_sale(sale(1)),
    "put_sale without a date": lambda sales: sales.put_sale(sale(1), is_dated=False),
    "put_sale around midnight": lambda sales: sales.put_sale(
        sale(1, created_at="2025-12-29T23:59:59.999Z"), is_dated=False
    ),
    "batch_write_sales": lambda sales: sales.batch_write_sales([sale(n) for n in range(60)]),
    "replacing batch_write_sales": lambda sales: sales.batch_write_sales(
        [sale(n, category="shoe") for n in range(4)], replace=True
    ),
    "update_sale": lambda sales: sales.update_sale(
        *ONE, {"category": "shoe", "sale_price": Decimal("1.00"), "brand": None}
    ),
    "delete_sale": lambda sales: sales.delete_sale(*ONE),
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
        PATHS[path](SalesRepository("sales", access=lambda _: caller))

    assert len(survives_every_fault(work, dynamodb.items, fresh=fresh)) >= 1
