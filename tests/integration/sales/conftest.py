"""A sales table and sales to put in it."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.sales.design import SALE, SALES
from tablewright.model import Pattern, Record
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database


def sale(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A sale like no other with another number."""
    return SALE.check(
        {
            **SALE.example,
            "sale_id": f"sale_{number:05}",
            "product_id": f"prod_{number % 7}",
            "sale_price": Decimal(number % 50).scaleb(0) + Decimal("0.99"),
            **changes,
        }
    )


TENANT = {"tenant": "carousel-labs"}
DRESS = {**TENANT, "category": "dress"}


def key_of(record: Record) -> Record:
    return {name: record[name] for name in SALE.key.fields}


def by_id(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: str(record["sale_id"]))


def pages(store: Store, pattern: Pattern, where: Record, limit: int, **asked: Any) -> list[Record]:
    """All records of a list, page by page, none of them over the limit."""
    found, cursor = [], None
    for _ in range(1000):
        page = store.query(pattern, where, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


@pytest.fixture
def sales_database(database: Database) -> Database:
    database.create(SALES)
    return database


@pytest.fixture
def store(sales_database: Database) -> Store:
    return sales_database.store(SALES)
