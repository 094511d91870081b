"""Sales: the bill of 100,000 sales and a million reads a day."""

from decimal import Decimal

from docs.bills.system import ANSWER_SECONDS, BillScale, System, answers, logs
from tablewright.catalog.sales.design import Sales
from tablewright.costs.bill import ServiceUse, sampled
from tablewright.costs.monthly_cost import DAYS_PER_MONTH, Workload, used_by
from tablewright.model.sizes import item_bytes

# By one sale that is stored; a test holds it to a run. STS is free.
WRITE_UNITS_OF_A_SALE = Decimal(4)
FIRST_CALLS = {"sts:AssumeRole": 1}
WORKLOAD = Workload(items_per_day=100_000, read_units_per_day=Decimal(500_000), years=2)
_READS_A_DAY = 1_000_000
_SALES = Sales.__design__
(_SALE,) = _SALES.entity_list
_EXAMPLE = _SALE.check(_SALE.example)


def _scale() -> BillScale:
    requests = (WORKLOAD.items_per_day + _READS_A_DAY) * int(DAYS_PER_MONTH)
    size = item_bytes(_SALES.attributes(_SALE, _EXAMPLE))
    return BillScale(
        "100,000 a day",
        [used_by(_SALES, _SALE.name, _EXAMPLE, WORKLOAD)],
        ServiceUse(
            requests=requests,
            invocations=requests,
            gb_seconds=requests * ANSWER_SECONDS,
            log_gb=logs(requests, requests),
            traces=sampled(requests),
            guarded_users=10,
            out_gb=answers(requests),
        ),
        archived=(WORKLOAD.items_per_day, size),
        published="€26.25 for the table",
    )


SALES = System(
    "sales",
    "100,000 sales and a million reads of one sale a day, by the API, two years of sales kept; "
    "ten programs sign in.",
    (_scale(),),
    "The published sum is of the table alone, in which it has one write unit a sale where three "
    "indexes make it four, prices of before November 2024, and no index in the storage. All else "
    "is left out: each request goes through an API and a function, both of which cost more than "
    "what they read. More than half is copies of the table, each of 50 gigabytes.",
)
