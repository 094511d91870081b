"""Tables of before and of now: a category is read whole, whichever function chose its shards."""

from tablewright.catalog.sales.design import Sales, sales_table
from tablewright.model import last_character
from tablewright.testing import Database
from tests.integration.sales.conftest import DRESS, sale


def test_reads_find_the_entries_of_either_shard_function(sales_database: Database) -> None:
    older = sales_table(function=last_character)
    sales_database.store(older, table="sales").put_many(
        older.put_sales, [sale(n) for n in range(30)]
    )
    store = sales_database.store(Sales)
    store.put_many(Sales.put_sales, [sale(n) for n in range(30, 60)])
    assert len(list(store.each(Sales.category_sales, DRESS))) == 60
