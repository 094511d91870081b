"""Event export: writes, on a schedule, closed days that were not exported yet."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.metrics import count
from lambdas.portal.clients import Clients
from lambdas.portal.contract import EVENT_DAYS_MISSING, ExportEnvironment
from lambdas.portal.events.export import EventExport, Progress
from lambdas.portal.events.log import table_of
from lambdas.portal.events.rules import closed_days
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# How far back is looked for days without a manifest.
DAYS_BACK = 14
# What a part may need, with all retries, when time is nearly up.
RESERVED_MS = 120_000


class Resources(NamedTuple):
    """What a run works with, kept for the life of the function's environment."""

    export: EventExport
    functions: Callable[[], Caller]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: ExportEnvironment) -> "Resources":
        clients = Clients()
        store = clients.store(table_of(environment), environment.events_table)
        export = EventExport(store, clients.s3, environment.export_bucket)
        return cls(export, lambda: clients.client("lambda"))


@cache
def resources() -> Resources:
    return Resources.of(ExportEnvironment.read())


if ExportEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Export the day that an event names; one that names none calls a run for each missing day.

    A run that is out of time calls the next, which goes on where it got to. Should a call fail, so
    does the run: it is repeated, and writes again what it wrote.
    """
    now = resources().now()
    if "day" in event:
        return _export(event, now, context)
    missing = resources().export.missing(closed_days(now, DAYS_BACK))
    logger.info("days to be exported", days=missing)
    count({EVENT_DAYS_MISSING: len(missing)})
    for day in missing:
        call_next(resources().functions(), context, {"day": day})
    return {"days": missing}


def _export(event: dict[str, Any], now: datetime, context: Any) -> dict[str, Any]:
    began = time.monotonic()
    before = Progress.of(event)
    progress = resources().export.run(
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
        call_next(resources().functions(), context, {"day": event["day"], **progress.to_event()})
    return outcome
