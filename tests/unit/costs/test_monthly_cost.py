"""The cost model: right counts, right prices."""

from decimal import Decimal

from tablewright.catalog.sales.design import Sale, Sales
from tablewright.costs.monthly_cost import Usage, Workload, bill, monthly, stored_bytes
from tablewright.costs.price_lists import US_EAST_1

EXAMPLE = Sale.__entity__.check(Sale.__entity__.example)
WORKLOAD = Workload(items_per_day=100_000, read_units_per_day=Decimal(500_000), years=2)


def test_a_hundred_thousand_sales_a_day_are_36_5_million_a_year() -> None:
    assert WORKLOAD.items_per_year == 36_500_000
    assert WORKLOAD.items_kept == 73_000_000


def test_writes_count_the_table_and_every_index() -> None:
    costs = monthly(Sales.__design__, "Sale", EXAMPLE, WORKLOAD, US_EAST_1)
    assert costs["writes"] == Decimal("7.50")  # 3 million puts of 4 units at $0.625 a million
    assert costs["reads"] == Decimal("1.88")
    assert costs["total"] == costs["storage"] + costs["writes"] + costs["reads"]


def month(replicas: int) -> dict[str, Decimal]:
    units = Decimal(8 * 10**6)
    used = Usage(write_units=units, read_units=units, stored_bytes=4 * 10**9, replicas=replicas)
    return bill(used, US_EAST_1)


def test_a_bill_has_units_at_their_price_and_gigabytes_at_theirs() -> None:
    assert month(0) == {"storage": 1, "writes": 5, "reads": 1, "total": 7}


def test_a_replica_costs_the_writes_and_the_storage_again_and_no_reads() -> None:
    again = {"storage of replicas": 3, "writes to replicas": 15, "total": 25}
    assert month(3) == {**month(0), **again}


def test_storage_counts_every_index_entry_with_its_overhead() -> None:
    unbranded = {name: value for name, value in EXAMPLE.items() if name != "brand"}
    more = stored_bytes(Sales.__design__, "Sale", EXAMPLE) - stored_bytes(
        Sales.__design__, "Sale", unbranded
    )
    assert more > 100
    assert stored_bytes(Sales.__design__, "Sale", EXAMPLE) > 4 * 100
