"""What a month costs, from what was measured."""

from decimal import Decimal

from tablewright.catalog.sales.design import Sale, Sales
from tablewright.costs.measuring import Measurement
from tablewright.costs.monthly_cost import stored_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use, usage

MILLION = 10**6


def measured(read: str, write: str, *, many: int) -> list[Measurement]:
    return [{"pattern": "put_sales", "what": "sales", "many": many, "read": read, "write": write}]


def test_a_use_costs_its_share_of_what_was_measured() -> None:
    scale = Scale("small", uses=[Use("put_sales", "sales", MILLION)], kept=[])
    found = usage(Sales.__design__, measured("0", "100.0", many=25), scale)
    assert (found.read_units, found.write_units) == (Decimal(0), Decimal(4 * MILLION))


def test_what_is_kept_is_stored_in_the_table_and_its_indexes() -> None:
    record = Sale.__entity__.check(Sale.__entity__.example)
    found = usage(Sales.__design__, [], Scale("small", uses=[], kept=[Kept("Sale", record, 1000)]))
    assert found.stored_bytes == 1000 * stored_bytes(Sales.__design__, "Sale", record)
