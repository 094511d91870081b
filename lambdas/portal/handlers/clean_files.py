"""File cleaning: removes, on a schedule, files of no content and uploads never completed."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.content.files import Files
from lambdas.portal.content.uploads import Uploads
from lambdas.portal.contract import ContentEnvironment
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# What the objects being looked at may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


class Resources(NamedTuple):
    """What a run works with, kept for the life of the function's environment."""

    uploads: Uploads
    functions: Callable[[], Caller]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: ContentEnvironment) -> "Resources":
        clients = Clients()
        store = clients.store(ContentRegistry, environment.content_table)
        files = Files.of(clients.s3, environment.files_bucket)
        return cls(Uploads(store, files), lambda: clients.client("lambda"))


@cache
def resources() -> Resources:
    return Resources.of(ContentEnvironment.read())


if ContentEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run of cleaning; one that is out of time calls the next."""
    cleaned = resources().uploads.clean(
        resources().now(),
        after=event.get("after"),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    logger.info("files cleaned", extra={"extra": cleaned._asdict()})
    if cleaned.after is not None:
        call_next(resources().functions(), context, {"after": cleaned.after})
    return cleaned._asdict()
