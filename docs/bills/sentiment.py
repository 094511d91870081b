"""Sentiment: bills of the published phases, with news."""

from decimal import Decimal

from docs.bills.system import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    GIGA,
    POLL_SECONDS,
    RUNS_A_MONTH,
    BillScale,
    System,
    answers,
    logs,
    used,
)
from docs.scenarios import financial_news
from docs.scenarios.sentiment_scales import (
    DAYS,
    REPLICAS,
    SIZES,
    Size,
    dashboard_scale,
    items_scale,
)
from tablewright.catalog.news.design import News
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.costs.bill import ServiceUse, sampled
from tablewright.costs.monthly_cost import Usage

# Of a hundred items or articles that are taken in and analysed; a test holds them to a run.
CALLS_OF_100 = {"sns:PublishBatch": 10, "Analyse": 10}
# The share of reads that DAX answers, assumed.
HIT_RATE = Decimal("0.9")
_MONTHS = 3
_ITEM_BYTES = 600
_NEWS = 30 * financial_news.PER_DAY
_LARGE_BATCH = 14
_METRICS = 4
_USERS = 10


def _tables(size: Size, *, accelerated: bool) -> list[Usage]:
    """At home, and the read tables of the regions that stand by, which nobody reads."""
    standby = dashboard_scale(size._replace(pages=0))
    shown = used(Dashboard, dashboard_scale(size))
    if accelerated:
        shown.read_units *= 1 - HIT_RATE
    return [
        used(Items, items_scale(size, _MONTHS)),
        shown,
        *(used(Dashboard, standby) for _ in range(REPLICAS)),
        used(News, financial_news.SCALES[0]),
    ]


def _services(size: Size) -> ServiceUse:
    taken = size.items + _NEWS
    batches = taken * CALLS_OF_100["Analyse"] // 100
    projected = size.items if size.counted == "one item" else size.items // _LARGE_BATCH
    project = (1 + REPLICAS) * projected
    requests = size.shown + size.summaries + financial_news.asked(financial_news.PAGES)
    invocations = requests + batches + project + 2 * RUNS_A_MONTH
    return ServiceUse(
        requests=requests,
        invocations=invocations,
        gb_seconds=requests * ANSWER_SECONDS
        + (batches + project + RUNS_A_MONTH) * BATCH_SECONDS
        + RUNS_A_MONTH * POLL_SECONDS,
        topic_requests=batches,
        queue_requests=taken + 2 * batches,
        metrics=_METRICS,
        log_gb=logs(invocations, requests),
        traces=sampled(requests) + sampled(invocations - requests),
        guarded_users=_USERS,
        out_gb=answers(requests),
        between_regions_gb=Decimal(REPLICAS * 2 * taken * _ITEM_BYTES) / GIGA,
    )


def _scale(name: str, size: Size, published: str, *, accelerated: bool = False) -> BillScale:
    return BillScale(
        name,
        _tables(size, accelerated=accelerated),
        _services(size),
        accelerated=accelerated,
        archived=(size.items // DAYS, _ITEM_BYTES),
        published=published,
    )


_DEMONSTRATION, _LARGE = SIZES
SENTIMENT = System(
    "sentiment",
    "Phase 1 takes in 500 items an hour and shows 2 pages a second, phase 2 has DAX before it, "
    "phase 3 takes in 10,000 an hour and shows 100 pages a second, without DAX. Each has three "
    f"replicas and {financial_news.PER_DAY:,} articles of financial news a day, with their "
    f"healing and {financial_news.PAGES} pages that wait for them; ten users sign in. Items are "
    "kept for 90 days, as they are in prod.",
    (
        _scale("phase 1", _DEMONSTRATION, "1.19"),
        _scale("phase 2", _DEMONSTRATION, "98.19", accelerated=True),
        _scale("phase 3", _LARGE, "538, 450 of it for DAX"),
    ),
    "The published sums have no API, no function but one, no logs, no alarms, no backups, no "
    "storage and no news, one write where there are several, and a page for one read unit. What a "
    "page reads is the least of it: its request, function, log and trace cost several times as "
    "much, and DAX saves none of these.",
    regions=True,
)
