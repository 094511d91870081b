"""Writers that meet on one item all get through, and nothing of theirs is lost."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tablewright.catalog.sales.design import SALE, SALES
from tests.integration.conftest import Database
from tests.integration.sales.conftest import sale

WRITERS = 20


def test_twenty_racing_changes_of_one_sale_all_succeed(database: Database) -> None:
    """The price stands in index keys, so each change is conditional on the price it has read."""
    database.create(SALES)
    database.store(SALES).put(SALES.put_sale, sale(1))
    key = {name: sale(1)[name] for name in SALE.key.fields}
    together = Barrier(WRITERS)

    def change(number: int) -> str:
        store = database.store(SALES)
        together.wait(30)
        changed = store.update(SALES.update_sale, key, {"sale_price": 100 + number})
        return str(changed["sale_price"])

    with ThreadPoolExecutor(WRITERS) as executor:
        prices = list(executor.map(change, range(WRITERS)))
    (item,) = database.items()
    left = database.store(SALES).get(SALES.get_sale, key)
    assert left is not None
    assert str(left["sale_price"]) in prices
    # Every index entry is of the price that won.
    expected = database.store(SALES)._records["Sale"].to_item(SALE.check(left))
    assert {name: item[name] for name in expected} == expected
