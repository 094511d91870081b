"""Exports, on a schedule, closed days of events that have not been exported."""

import os
import time
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.metrics import count
from lambdas.portal.events.exporting import EventExport, Progress
from lambdas.portal.events.log import design_here
from lambdas.portal.events.rules import closed_days
from lambdas.portal.resources import Resources
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# How far back is looked for days without a manifest.
DAYS_BACK = 14
# What a part may need, with all retries, when time is nearly up.
RESERVED_MS = 120_000


@cache
def resources() -> Resources:
    return Resources.from_environment()


@cache
def export() -> EventExport:
    made = resources()
    store = made.store(design_here(), "EVENTS_TABLE")
    return EventExport(store, made.s3, os.environ["EXPORT_BUCKET"])


def functions() -> Caller:
    return resources().functions()


if "EXPORT_BUCKET" in os.environ:
    export()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Export the day that an event names; one that names none calls a run for each missing day.

    A run that is out of time calls the next, which goes on where it got to. Should a call fail, so
    does the run: it is repeated, and writes again what it wrote.
    """
    now = datetime.now(UTC)
    if "day" in event:
        return _export(event, now, context)
    missing = export().missing(closed_days(now, DAYS_BACK))
    logger.info("days to be exported", days=missing)
    count({"EventDaysMissing": len(missing)})
    for day in missing:
        call_next(functions(), context, {"day": day})
    return {"days": missing}


def _export(event: dict[str, Any], now: datetime, context: Any) -> dict[str, Any]:
    began = time.monotonic()
    before = Progress.of(event)
    progress = export().run(
        event["day"],
        now,
        before,
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    if progress is None:
        logger.info("the day was exported before", day=event["day"])
        return {"day": event["day"], "whole": True}
    counts = {"events": progress.events, "parts": len(progress.parts)}
    outcome = {"day": event["day"], "whole": progress.whole, **counts}
    took = round((time.monotonic() - began) * 1000, 2)
    logger.info("events exported", extra={"extra": {**outcome, "execution_time_ms": took}})
    exported = progress.events - before.events
    count({"EventsExported": exported, "EventDaysExported": int(progress.whole)})
    if not progress.whole:
        call_next(functions(), context, {"day": event["day"], **progress.told()})
    return outcome
