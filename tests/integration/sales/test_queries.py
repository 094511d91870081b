"""Queries of the sales repository: their calls, and sales that expire or are deleted meanwhile."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import Sale
from tablewright.runtime.aws import CONNECTIONS, Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.reader import Page
from tablewright.testing import Database
from tests.integration.conftest import CURSORS
from tests.integration.sales.conftest import sale

TENANT = "carousel-labs"
DATES = ("2025-12-01", "2025-12-31")
Queries = dict[str, Callable[[SalesRepository], Page[Sale]]]
QUERIES: Queries = {
    "product": lambda repo: repo.query_product_sales(TENANT, "prod_0", *DATES),
    "category": lambda repo: repo.query_category_season(TENANT, "dress", None, *DATES),
    "brand": lambda repo: repo.query_brand_pricing(TENANT, "Nike", *DATES),
    "product embeddings": lambda repo: repo.query_product_embeddings(TENANT, "prod_0", *DATES),
    "embeddings": lambda repo: repo.query_embeddings(TENANT, *DATES),
}


class Recording:
    """Keeps the calls that are made, and runs something before each."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.before: Callable[[str], Any] = lambda operation: None

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, params))
        self.before(operation)
        return self._caller.call(operation, params)

    def of(self, operation: str) -> list[dict[str, Any]]:
        return [params for name, params in self.calls if name == operation]


@pytest.fixture
def caller(sales_database: Database) -> Recording:
    return Recording(Boto3Client(sales_database.client()))


@pytest.fixture
def clock() -> list[datetime]:
    return [datetime(2025, 12, 29, tzinfo=UTC)]


@pytest.fixture
def repo(caller: Recording, clock: list[datetime]) -> SalesRepository:
    return SalesRepository("sales", access=lambda _: caller, cursors=CURSORS, now=lambda: clock[0])


@pytest.mark.parametrize("query", QUERIES)
def test_dates_are_bounded_by_dynamodb(
    repo: SalesRepository, caller: Recording, query: str
) -> None:
    days = ("2025-11-30", "2025-12-01", "2025-12-31", "2026-01-01")
    repo.batch_write_sales([sale(n, sale_date=d, product_id="prod_0") for n, d in enumerate(days)])
    caller.calls.clear()
    assert [one.sale_date for one in QUERIES[query](repo).items] == ["2025-12-01", "2025-12-31"]
    for params in caller.of("Query"):
        assert "BETWEEN" in params["KeyConditionExpression"]
        assert "FilterExpression" not in params


@pytest.mark.parametrize("query", QUERIES)
def test_an_expired_sale_is_not_shown_although_it_is_not_deleted_yet(
    repo: SalesRepository, clock: list[datetime], sales_database: Database, query: str
) -> None:
    repo.put_sale(sale(0))
    assert len(QUERIES[query](repo).items) == 1
    clock[0] = datetime(2027, 12, 29, 0, 0, 1, tzinfo=UTC)
    assert QUERIES[query](repo).items == []
    assert repo.get_sale(TENANT, "prod_0", "2025-12-29", "sale_00000") is None
    assert len(sales_database.items()) == 1


@pytest.mark.parametrize("query", ["category", "brand"])
def test_a_sale_that_is_deleted_while_it_is_listed_is_left_out(
    repo: SalesRepository, caller: Recording, sales_database: Database, query: str
) -> None:
    repo.batch_write_sales([sale(0), sale(1)])

    def delete(operation: str) -> None:
        if operation == "BatchGetItem":
            caller.before = lambda _: None
            repo.delete_sale(TENANT, "prod_0", "2025-12-29", "sale_00000")

    caller.before = delete
    assert [one.sale_id for one in QUERIES[query](repo).items] == ["sale_00001"]


def test_all_shards_of_a_category_are_asked_at_the_same_time(
    repo: SalesRepository, caller: Recording
) -> None:
    sales = [sale(n, sale_date=f"2025-12-{1 + n % 28:02}") for n in range(60)]
    repo.batch_write_sales(sales)
    caller.calls.clear()
    together = threading.Barrier(min(10, CONNECTIONS), timeout=20)
    caller.before = lambda operation: together.wait() if operation == "Query" else None
    found = QUERIES["category"](repo).items
    assert [one.sale_date for one in found] == sorted(one.sale_date for one in sales)
    shards = {str(p["ExpressionAttributeValues"]) for p in caller.of("Query")}
    assert len(shards) == len(caller.of("Query")) == 10


def test_embeddings_of_a_product_take_one_query(repo: SalesRepository, caller: Recording) -> None:
    repo.batch_write_sales([sale(n) for n in range(20)])
    caller.calls.clear()
    assert QUERIES["product embeddings"](repo).items
    assert [operation for operation, _ in caller.calls] == ["Query"]


def test_embeddings_of_all_products_are_answered_by_the_index_alone(
    repo: SalesRepository, caller: Recording
) -> None:
    repo.put_sale(sale(0))
    caller.calls.clear()
    (found,) = QUERIES["embeddings"](repo).items
    assert {name for name, _ in caller.calls} == {"Query"}
    fields = ("embedding_s3_key", "product_id", "category", "sale_price", "brand")
    assert all(found[name] == sale(0)[name] for name in fields)


def test_a_page_of_a_season_is_full_although_other_seasons_lie_between(
    repo: SalesRepository,
) -> None:
    seasons = ("WINTER", "FALL")
    repo.batch_write_sales([sale(n, season=seasons[n % 2]) for n in range(60)])
    page = repo.query_category_season(TENANT, "dress", "FALL", *DATES, limit=20)
    assert [one.season for one in page.items] == ["FALL"] * 20
    rest = repo.query_category_season(TENANT, "dress", "FALL", *DATES, limit=20, cursor=page.cursor)
    assert len({one.sale_id for one in [*page.items, *rest.items]}) == 30
    assert rest.cursor is None


def test_an_unknown_season_is_refused(repo: SalesRepository) -> None:
    for limit in (None, 20):
        with pytest.raises(ValueError, match="must be one of SPRING, SUMMER, FALL, WINTER"):
            repo.query_category_season(TENANT, "dress", "AUTUMN", limit=limit)


def test_a_sale_without_a_brand_is_in_no_list_of_brands(repo: SalesRepository) -> None:
    repo.put_sale(sale(0, brand=None))
    assert QUERIES["brand"](repo).items == []
    assert len(QUERIES["category"](repo).items) == 1
