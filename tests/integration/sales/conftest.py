"""A sales table and sales to put in it."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.sales.design import Sale, Sales
from tablewright.testing import Database


def sale(number: int = 0, **changes: Any) -> Sale:
    """A sale like no other with another number."""
    return Sale(
        **{
            **Sale.__entity__.example,
            "sale_id": f"sale_{number:05}",
            "product_id": f"prod_{number % 7}",
            "sale_price": Decimal(number % 50).scaleb(0) + Decimal("0.99"),
            **changes,
        }
    )


TENANT = {"tenant": "carousel-labs"}
DRESS = {**TENANT, "category": "dress"}


@pytest.fixture
def sales_database(dynamodb: Database) -> Database:
    dynamodb.table(Sales)
    return dynamodb
