"""Calendar run: does, on a schedule, what is due by the dates of content."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.errors import log_text
from lambdas.metrics import count
from lambdas.portal.clients import Clients
from lambdas.portal.content.calendar import Calendar, CalendarRun, Position
from lambdas.portal.content.due_steps import DueStep
from lambdas.portal.contract import CALENDAR_FAILURES, ContentEnvironment
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# What a page may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


def log_step(content_id: str, step: DueStep) -> None:
    version = step.changes.get("version")
    logger.info("calendar step taken", content_id=content_id, kind=step.kind, version=version)


def log_failure(content_id: str, error: Exception) -> None:
    kind = type(error).__name__
    logger.error("calendar step failed", content_id=content_id, kind=kind, reason=log_text(error))


class Resources(NamedTuple):
    """What a run works with, kept for the life of the function's environment."""

    calendar: Calendar
    functions: Callable[[], Caller]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: ContentEnvironment) -> "Resources":
        clients = Clients()
        calendar = Calendar(
            clients.store(ContentRegistry, environment.content_table),
            clients.s3,
            environment.files_bucket,
            done=log_step,
            failed=log_failure,
        )
        return cls(calendar, lambda: clients.client("lambda"))


@cache
def resources() -> Resources:
    return Resources.of(ContentEnvironment.read())


if ContentEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over what is due, or over the rest of it; a run that is out of time calls the next.

    Should that call fail, so does the run: it is repeated, and finds what it did in place.
    """
    began = time.monotonic()
    run = resources().calendar.run(
        resources().now(),
        after=_position(event.get("after")),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    _report(run, (time.monotonic() - began) * 1000)
    if run.after is not None:
        call_next(resources().functions(), context, {"after": run.after._asdict()})
    return {**run._asdict(), "after": run.after and run.after._asdict()}


def _position(given: Any) -> Position | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != set(Position._fields):
        raise InvalidValue("after", f"must be an object of {' and '.join(Position._fields)}")
    return Position(**Content.__entity__.check(given, partial=True))


def _report(run: CalendarRun, milliseconds: float) -> None:
    took = round(milliseconds, 2)
    logger.info(
        "Calendar completed",
        extra={"extra": {**run._asdict(), "execution_time_ms": took}},
    )
    count(
        {
            "CalendarContents": run.looked_at,
            "CalendarSteps": run.steps,
            CALENDAR_FAILURES: run.failed,
        }
    )
