"""News healer: asks again, on a schedule, for the analysis of news that were never analysed."""

import time
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from lambdas.metrics import count
from lambdas.sentiment.analysis import HEALING, news_request
from lambdas.sentiment.contract import HealEnvironment
from lambdas.sentiment.resources import Resources
from tablewright.catalog.news.design import NewsItem
from tablewright.model.healing import (
    EXECUTION_TIME,
    ITEMS_FAILED,
    ITEMS_FOUND,
    ITEMS_PARKED,
    ITEMS_REPUBLISHED,
)
from tablewright.runtime.deadline import in_time
from tablewright.runtime.healing.healing import Healed, Healing, Rules
from tablewright.runtime.healing.parked import Parked

logger = Logger()


@cache
def resources() -> Resources[HealEnvironment]:
    return Resources.of(HealEnvironment.read())


@cache
def rules() -> Rules:
    return Rules.from_environment()


@cache
def healing() -> Healing[NewsItem]:
    topic = resources().analysis_requests()
    return Healing(resources().news(), topic, HEALING, request=news_request, rules=rules())


@cache
def parked() -> Parked[NewsItem]:
    return Parked(resources().news(), HEALING)


if HealEnvironment.is_set():
    healing()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """One run, in the active region; what it could not do is left to the next."""
    if not resources().is_active():
        logger.info("another region heals")
        return {}
    began = time.monotonic()
    healed = healing().run(datetime.now(UTC))
    waiting = parked().count()
    _report(healed, waiting, (time.monotonic() - began) * 1000)
    return {
        "found": healed.found,
        "republished": healed.republished,
        "failed": healed.failed,
        "parked": healed.parked,
        "parked_in_all": waiting,
    }


def _report(healed: Healed, parked_in_all: int, milliseconds: float) -> None:
    took = round(milliseconds, 2)
    hours = rules().threshold.total_seconds() / 3600
    logger.info(
        "Self-healing completed",
        extra={
            "extra": {
                "stale_items_found": healed.found,
                "items_republished": healed.republished,
                "items_failed": healed.failed,
                "items_parked": healed.parked,
                "items_parked_in_all": parked_in_all,
                "threshold_hours": int(hours) if hours.is_integer() else round(hours, 4),
                "execution_time_ms": took,
            }
        },
    )
    if healed.reasons:
        logger.warning("not healed as planned", count=healed.failed, reasons=healed.reasons)
    # The published metrics are written by every run, also at zero: a gap means that no run ended.
    metrics = EphemeralMetrics()
    metrics.add_metric(ITEMS_FOUND, MetricUnit.Count, healed.found)
    metrics.add_metric(ITEMS_REPUBLISHED, MetricUnit.Count, healed.republished)
    metrics.add_metric(EXECUTION_TIME, MetricUnit.Milliseconds, took)
    metrics.flush_metrics()
    count({ITEMS_FAILED: healed.failed, ITEMS_PARKED: parked_in_all})
