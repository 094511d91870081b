"""Removes, on a schedule, files that are nobody's and uploads that were never completed."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.portal.content.completion import Completion
from lambdas.portal.resources import Resources
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# What the objects being looked at may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


@cache
def resources() -> Resources:
    return Resources.from_environment()


@cache
def completion() -> Completion:
    return Completion(resources().content(), resources().files())


def functions() -> Caller:
    return resources().functions()


if "FILES_BUCKET" in os.environ:
    completion()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run of cleaning; one that is out of time calls the next."""
    cleaned = completion().clean(
        datetime.now(UTC),
        after=event.get("after"),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    logger.info("files cleaned", extra={"extra": cleaned._asdict()})
    if cleaned.after is not None:
        call_next(functions(), context, {"after": cleaned.after})
    return cleaned._asdict()
