"""Sales: bills of 100,000 sales and a million reads a day."""

from decimal import Decimal

from docs.bills.system import (
    ANSWER_SECONDS,
    LIST_SECONDS,
    BillScale,
    Line,
    System,
    answers,
    logs,
    of_table,
)
from tablewright.catalog.sales.design import Sales
from tablewright.costs.bill import ServiceUse
from tablewright.costs.monthly_cost import DAYS_PER_MONTH, Usage, Workload, used_by
from tablewright.model.sizes import item_bytes

# By one sale that is stored; a test holds it to a run. STS is free.
WRITE_UNITS_OF_A_SALE = Decimal(4)
FIRST_CALLS = {"sts:AssumeRole": 1}
# Read units of one sale and of pages of a category, a product and a brand: as measured, which a
# test holds them to, and as published (in the middle, where it is a range).
READ_UNITS = (Decimal("0.5"), Decimal(15), Decimal("1.5"), Decimal("10.5"))
_PUBLISHED_READ_UNITS = (Decimal(1), Decimal(10), Decimal("5.5"), Decimal("25.5"))
_SALES_A_DAY = 100_000
_READS_A_DAY = 1_000_000
_BATCH = 25
_SALE_BYTES = 700
_SALES = Sales.__design__
(_SALE,) = _SALES.entity_list
_EXAMPLE = _SALE.check(_SALE.example)
# Requests that read the published million units, if a quarter of them is each of the four.
_LISTS_A_DAY = round(_READS_A_DAY * 4 / sum(_PUBLISHED_READ_UNITS, Decimal()))


def _table(read_units: Decimal) -> Usage:
    workload = Workload(items_per_day=_SALES_A_DAY, read_units_per_day=read_units, years=2)
    return used_by(_SALES, _SALE.name, _EXAMPLE, workload)


def _month(daily: int) -> int:
    return daily * int(DAYS_PER_MONTH)


def _scale(
    name: str, table: Usage, services: ServiceUse, reads_because: str, exception: str = ""
) -> BillScale:
    return BillScale(
        name,
        [table],
        services,
        archived=(_SALES_A_DAY, item_bytes(_SALES.attributes(_SALE, _EXAMPLE))),
        published="€26.25",
        lines=(
            Line(
                "storage",
                "€15.00",
                of_table(table, "storage"),
                "73 million sales of two years, not 100; the published figure has no indexes.",
            ),
            Line(
                "writes",
                "€3.75",
                of_table(table, "writes"),
                "4 write units a sale, not 1: the table and three indexes. The price was halved in "
                "November 2024.",
            ),
            Line("reads", "€7.50", of_table(table, "reads"), reads_because),
        ),
        exception=exception,
    )


def _services(requests: int, seconds: Decimal, bytes: Decimal) -> ServiceUse:
    return ServiceUse(
        requests=requests,
        invocations=requests,
        gb_seconds=requests * seconds,
        log_gb=logs(0, requests),
        guarded_users=10,
        out_gb=bytes,
    )


def _published_use() -> BillScale:
    """Batches of 25 sales, and lists: as the document's own clients write and read."""
    requests = _month(_SALES_A_DAY // _BATCH + _LISTS_A_DAY)
    return _scale(
        "100,000 a day",
        _table(_LISTS_A_DAY * sum(READ_UNITS, Decimal()) / len(READ_UNITS)),
        _services(requests, LIST_SECONDS, answers(requests)),
        "The price was halved, and lists are measured: fewer units than published for products and "
        "brands, more for categories.",
    )


def _one_by_one() -> BillScale:
    """Each sale by a request of its own, stored or read."""
    requests = _month(_SALES_A_DAY + _READS_A_DAY)
    sent = Decimal(requests * _SALE_BYTES) / 10**9
    return _scale(
        "one by one",
        _table(_READS_A_DAY * READ_UNITS[0]),
        _services(requests, ANSWER_SECONDS, sent),
        "The price was halved, and a sale of half a kilobyte is half a unit.",
        "33 million requests a month are an API and a function that cost more than the table",
    )


SALES = System(
    "sales",
    "100,000 sales and a million reads a day, by the API; two years of sales are kept, and ten "
    "programs sign in. First as the document uses the table: sales come in batches of 25, and a "
    "quarter of the requests reads one sale, a page of a category, of a product and of a brand "
    f"each, {_LISTS_A_DAY:,} a day. Then one by one: each of 100,000 sales is stored, and each of "
    "a million read, by a request of its own.",
    (_published_use(), _one_by_one()),
    "The published bill is of the table alone. A week of daily copies costs as much as the table "
    "itself, because AWS Backup copies it whole each time. Without them (`backup_days`), "
    "point-in-time recovery is left.",
    stack="sales",
)
