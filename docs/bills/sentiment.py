"""Sentiment: bills of the published phases."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from docs.bills.system import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    GIGA,
    POLL_SECONDS,
    RUNS_A_MONTH,
    SMALL_GB,
    BillScale,
    Line,
    System,
    answers,
    logs,
    of_services,
    of_table,
    used,
)
from docs.scenarios.sentiment_scales import (
    DAYS,
    REPLICAS,
    SIZES,
    Size,
    dashboard_scale,
    items_scale,
)
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.costs.accelerator_cost import AcceleratorSize
from tablewright.costs.bill import ServiceUse
from tablewright.costs.monthly_cost import Usage
from tablewright.costs.prices import HOURS_PER_MONTH

# Of a hundred items or articles that are taken in and analysed; a test holds them to a run.
CALLS_OF_100 = {"sns:PublishBatch": 10, "Analyse": 10}
# The share of reads that DAX answers, assumed.
HIT_RATE = Decimal("0.9")
_MONTHS_KEPT = 1
_ITEM_BYTES = 600
_LARGE_BATCH = 14
_USERS = 10


def replicated_gb(items: int) -> Decimal:
    """Gigabytes that go to the replicas: an item when it is stored, and when it is analysed."""
    return Decimal(REPLICAS * 2 * items * _ITEM_BYTES) / GIGA


def _projection(size: Size) -> ServiceUse:
    """The processor of the stream."""
    runs = size.items if size.counted == "one item" else size.items // _LARGE_BATCH
    return ServiceUse(
        invocations=runs,
        gb_seconds=runs * BATCH_SECONDS,
        between_regions_gb=replicated_gb(size.items),
    )


def _services(size: Size) -> ServiceUse:
    batches = size.items * CALLS_OF_100["Analyse"] // 100
    projection = _projection(size)
    requests = size.shown + size.summaries
    runs = batches + projection.invocations + RUNS_A_MONTH
    return ServiceUse(
        requests=requests,
        invocations=requests + runs,
        gb_seconds=runs * BATCH_SECONDS
        + SMALL_GB * (requests * ANSWER_SECONDS + RUNS_A_MONTH * POLL_SECONDS),
        topic_requests=batches,
        queue_requests=size.items + 2 * batches,
        log_gb=logs(runs, requests),
        guarded_users=_USERS,
        out_gb=answers(requests),
        between_regions_gb=projection.between_regions_gb,
    )


def _scale(
    name: str,
    size: Size,
    published: str,
    lines: Callable[[Size, Usage, Usage, AcceleratorSize | None], list[Line]] | None,
    accelerator: AcceleratorSize | None = None,
) -> BillScale:
    items = used(Items, items_scale(size, _MONTHS_KEPT))
    shown = used(Dashboard, dashboard_scale(size))
    if accelerator:
        shown.read_units *= 1 - HIT_RATE
    return BillScale(
        name,
        [items, shown],
        _services(size),
        accelerator=accelerator,
        archived=(size.items // DAYS, _ITEM_BYTES),
        published=published,
        lines=lines(size, items, shown, accelerator) if lines else (),
    )


def _tables(figures: Sequence[str], size: Size, items: Usage, shown: Usage) -> list[Line]:
    writes, replicas, projected, reads, processor, transfer = figures
    each, rows = (table.write_units / size.items for table in (items, shown))
    projection = _projection(size)
    return [
        Line(
            "primary table, writes",
            writes,
            of_table(items, "writes"),
            f"{each:.0f} write units an item, not 1: the claim that makes it unique, the item, its "
            "settlement, its analysis. The price of a write was halved in November 2024.",
        ),
        Line(
            "primary table, reads",
            "0",
            of_table(items, "reads"),
            "Sources are looked up before they are claimed, which costs less than a refused write.",
        ),
        Line(
            "global replicas (3 regions)",
            replicas,
            of_table(items, "writes to replicas"),
            f"The same {each:.0f} units in each region.",
        ),
        Line(
            "dashboard table, writes",
            projected,
            of_table(shown, "writes"),
            f"{rows:.0f} units an item, not 6: each row is in an index too, and the counts by hour "
            "are kept here.",
        ),
        Line(
            "dashboard table, reads",
            reads,
            of_table(shown, "reads"),
            "A page of 20 rows is 1.5 units, and the summaries are read too. DAX, where it is, "
            "answers nine of ten.",
        ),
        Line(
            "stream and its Lambda",
            processor,
            of_services(projection, "functions"),
            "A run of 0.1 s with a gigabyte is assumed. Lambda reads the stream at no charge.",
        ),
        Line(
            "data transfer",
            transfer,
            of_services(projection, "transfer"),
            "An item crosses when it is stored and when it is analysed.",
        ),
    ]


def _phase_1(
    size: Size, items: Usage, shown: Usage, _: AcceleratorSize | None = None
) -> list[Line]:
    return _tables(("0.09", "0.27", "0.54", "0.26", "0.02", "0.01"), size, items, shown)


def _phase_2(
    size: Size, items: Usage, shown: Usage, accelerator: AcceleratorSize | None
) -> list[Line]:
    first = [line.dollars for line in _phase_1(size, items, shown)]
    return [
        Line(
            "phase 1",
            "1.19",
            lambda prices, fixed: sum((one(prices, fixed) for one in first), Decimal()),
            "As above, but for the reads that DAX answers, nine of ten.",
        ),
        *_dax("97", accelerator),
    ]


def _phase_3(
    size: Size, items: Usage, shown: Usage, accelerator: AcceleratorSize | None
) -> list[Line]:
    figures = ("7", "21", "35", "20", "5", "")
    return [*_tables(figures, size, items, shown), *_dax("450", accelerator)]


def _dax(published: str, size: AcceleratorSize | None) -> Iterator[Line]:
    if size:
        yield Line(
            f"DAX (3 x {size.node_type})",
            published,
            lambda prices, _: size.nodes * HOURS_PER_MONTH * prices.dax_node_hour[size.node_type],
            "Nodes at the prices of today.",
        )


_DEMONSTRATION, _LARGE = SIZES
SENTIMENT = System(
    "sentiment",
    "Phase 1 takes in 500 items an hour and shows 2 pages a second, phase 2 has DAX before it, "
    "phase 3 takes in 10,000 an hour and shows 100 pages a second through larger nodes of DAX. "
    "Each has three replicas; ten users sign in. Items are kept for 30 days. News are "
    "[another system](#healing).",
    (
        _scale("phase 1", _DEMONSTRATION, "1.19", _phase_1),
        _scale("phase 2", _DEMONSTRATION, "98.19", _phase_2, AcceleratorSize()),
        _scale(
            "phase 3",
            _LARGE,
            "538",
            _phase_3,
            AcceleratorSize("dax.r5.large"),
        ),
        _scale("phase 3 without DAX", _LARGE, "", None),
    ),
    "The published bills have tables, the processor of the stream, and DAX. What else there is: an "
    "API and its function, which cost more than what a page reads; the analysis; storage and "
    "backups; logs and users. Phase 3 does [without DAX](#when-dax-pays) for less.",
    stack="sentiment",
    owns=lambda name: not name.startswith("News"),
)
