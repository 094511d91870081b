"""Healing: the bill of financial news that heal themselves."""

from docs.bills.sentiment import CALLS_OF_100, replicated_gb
from docs.bills.system import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    POLL_SECONDS,
    RUNS_A_MONTH,
    SMALL_GB,
    BillScale,
    System,
    answers,
    logs,
    used,
)
from docs.scenarios import financial_news
from tablewright.catalog.news.design import News
from tablewright.costs.bill import ServiceUse

_ARTICLES = 30 * financial_news.PER_DAY
# Metrics of the healing: articles that it found, and how long it took.
_METRICS = 2


def _scale() -> BillScale:
    requests = financial_news.asked(financial_news.PAGES)
    batches = _ARTICLES * CALLS_OF_100["Analyse"] // 100
    # Polls and runs of the healing.
    runs = batches + 2 * RUNS_A_MONTH
    return BillScale(
        f"{financial_news.PER_DAY:,} articles a day",
        [used(News, financial_news.SCALES[0])],
        ServiceUse(
            requests=requests,
            invocations=requests + runs,
            gb_seconds=runs * BATCH_SECONDS
            + SMALL_GB * (requests * ANSWER_SECONDS + RUNS_A_MONTH * POLL_SECONDS),
            topic_requests=batches,
            queue_requests=_ARTICLES + 2 * batches,
            metrics=_METRICS,
            log_gb=logs(runs, requests),
            # Pages that wait for news get an answer without entries.
            out_gb=answers(requests) / 10,
            between_regions_gb=replicated_gb(_ARTICLES),
        ),
        published="none",
    )


HEALING = System(
    "healing",
    f"{financial_news.PER_DAY:,} articles of financial news a day, with three replicas; one in a "
    f"hundred has to be healed. {financial_news.PAGES} pages wait for them all day. The system "
    "shares polls, analysis and API with the sentiment dashboard, and would need them alone too.",
    (_scale(),),
    "Nothing was published.",
    stack="sentiment",
    owns=lambda name: not name.startswith(("Projection", "Archive", "Accelerator")),
)
