"""Does, on a schedule, what the dates of content ask for: effect, review, expiry."""

import os
import time
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.metrics import count
from lambdas.portal.content.agenda import Agenda, Position, Run
from lambdas.portal.content.due import Step
from lambdas.portal.resources import Resources
from tablewright.catalog.portal.content import CONTENT
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# What a page may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


def _done(content_id: str, step: Step) -> None:
    version = step.changes.get("version")
    logger.info("calendar step taken", content_id=content_id, kind=step.kind, version=version)


def _failed(content_id: str, error: Exception) -> None:
    kind = type(error).__name__
    logger.error("calendar step failed", content_id=content_id, kind=kind, reason=str(error))


@cache
def resources() -> Resources:
    return Resources.from_environment()


@cache
def agenda() -> Agenda:
    made = resources()
    return Agenda(made.content(), made.s3, os.environ["FILES_BUCKET"], done=_done, failed=_failed)


def functions() -> Caller:
    return resources().functions()


if "FILES_BUCKET" in os.environ:
    agenda()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over what is due, or over the rest of it; a run that is out of time calls the next.

    Should that call fail, so does the run: it is repeated, and finds what it did in place.
    """
    began = time.monotonic()
    run = agenda().run(
        datetime.now(UTC),
        after=_position(event.get("after")),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    _report(run, (time.monotonic() - began) * 1000)
    if run.after is not None:
        call_next(functions(), context, {"after": run.after._asdict()})
    return {**run._asdict(), "after": run.after and run.after._asdict()}


def _position(given: Any) -> Position | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != set(Position._fields):
        raise InvalidValue("after", f"must be an object of {' and '.join(Position._fields)}")
    return Position(**CONTENT.check(given, partial=True))


def _report(run: Run, milliseconds: float) -> None:
    took = round(milliseconds, 2)
    logger.info(
        "Calendar completed",
        extra={"extra": {**run._asdict(), "execution_time_ms": took}},
    )
    count(
        {
            "CalendarContents": run.looked_at,
            "CalendarSteps": run.steps,
            "CalendarFailures": run.failed,
        }
    )
