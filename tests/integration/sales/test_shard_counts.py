"""Sales whose shards are raised while the table is in use: every list is whole and in order."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

import pytest

from tablewright.catalog.sales.design import Sale, Sales, sales_table, shards_of
from tablewright.model import Query
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.sales.conftest import DRESS, TENANT, sale

MORE = sales_table(category_shards=20, embedding_shards=11)
LISTS = [(Sales.category_sales, DRESS), (Sales.embeddings, TENANT)]


def dated(number: int) -> Sale:
    """Sales of few days and one price: most of them are beside others of the same sort key."""
    price = {"sale_price": Decimal("9.99"), "product_id": f"prod_{number}"}
    return sale(number, sale_date=f"2026-03-{number % 6 + 1:02}", **price)


OLD, NEW = [dated(n) for n in range(60)], [dated(n) for n in range(60, 120)]


@pytest.fixture
def raised(sales_database: Database) -> Store:
    """A store with more shards, of a table whose first sales were stored with fewer."""
    sales_database.store(Sales).put_many(Sales.put_sales, OLD)
    store = sales_database.store(MORE, table="sales")
    store.put_many(Sales.put_sales, NEW)
    return store


def check(listed: Iterable[Sale], expected: Sequence[Sale]) -> None:
    """Each of them once, by date."""
    dates, products = zip(*((one.sale_date, one.product_id) for one in listed), strict=True)
    assert list(dates) == sorted(dates)
    assert sorted(products) == sorted(one.product_id for one in expected)


@pytest.mark.parametrize(("pattern", "where"), LISTS)
def test_old_and_new_sales_are_listed_once_each_in_order(
    pattern: Query[Sale], where: dict[str, str], raised: Store
) -> None:
    check(raised.each(pattern, where), [*OLD, *NEW])


def test_new_sales_are_in_the_new_shards_and_fewer_shards_do_not_find_them(
    raised: Store, sales_database: Database
) -> None:
    assert {shards_of(one, MORE)["category"] for one in NEW} > set(range(10))
    found = len(list(sales_database.store(Sales).each(Sales.category_sales, DRESS)))
    assert len(OLD) < found < len(OLD) + len(NEW)


@pytest.mark.parametrize(("pattern", "where"), LISTS)
def test_a_list_that_was_begun_before_goes_on(
    pattern: Query[Sale], where: dict[str, str], sales_database: Database
) -> None:
    before = sales_database.store(Sales)
    before.put_many(Sales.put_sales, OLD)
    page = before.query(pattern, where, limit=25)
    found = [*page.items]
    store = sales_database.store(MORE, table="sales")
    while page.cursor:
        page = store.query(pattern, where, limit=25, cursor=page.cursor)
        found += page.items
    check(found, OLD)


def test_an_old_sale_that_changes_has_one_entry_in_either_index(raised: Store) -> None:
    for one in OLD:
        raised.update(Sales.update_sale, one, {"sale_price": Decimal("7.77")})
    listed = list(raised.each(Sales.category_sales, DRESS))
    assert len(listed) == len(OLD) + len(NEW)
    assert sum(one.sale_price == Decimal("7.77") for one in listed) == len(OLD)
    assert len(list(raised.each(Sales.embeddings, TENANT))) == len(OLD) + len(NEW)
    raised.update(Sales.update_sale, OLD[0], {"season": "SUMMER"})
    raised.delete(Sales.delete_sale, OLD[1])
    assert len(list(raised.each(Sales.category_prices, DRESS))) == len(OLD) + len(NEW) - 1
