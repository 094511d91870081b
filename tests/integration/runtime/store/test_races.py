"""Writers that meet on one item all get through, and nothing of theirs is lost."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tablewright.testing import Database
from tests.integration.runtime.store.conftest import Order, Orders, order

WRITERS = 20


def test_twenty_racing_changes_of_one_item_all_succeed(dynamodb: Database) -> None:
    """The price stands in index keys, so each change is conditional on the price it has read."""
    dynamodb.store(Orders).put(Orders.place, order(1))
    key = {name: order(1)[name] for name in Order.__entity__.key.fields}
    together = Barrier(WRITERS)

    def change(number: int) -> str:
        store = dynamodb.store(Orders)
        together.wait(30)
        changed = store.update(Orders.change, key, {"total": 100 + number})
        return str(changed["total"])

    with ThreadPoolExecutor(WRITERS) as executor:
        prices = list(executor.map(change, range(WRITERS)))
    (item,) = dynamodb.items()
    left = dynamodb.store(Orders).get(Orders.get_order, key)
    assert left is not None
    assert str(left["total"]) in prices
    # Every index entry is of the price that won.
    expected = (
        dynamodb.store(Orders)._requests["Order"].records.to_item(Order.__entity__.check(left))
    )
    assert {name: item[name] for name in expected} == expected
