"""Upload completion: makes files that S3 reports through a queue the files of their content."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.content.files import Files, Place
from lambdas.portal.content.uploads import Uploads
from lambdas.portal.contract import ContentEnvironment
from lambdas.queue import each_message
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.runtime import strict_json
from tablewright.runtime.deadline import in_time

logger = Logger()


class Resources(NamedTuple):
    """What messages work with, kept for the life of the function's environment."""

    uploads: Uploads
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: ContentEnvironment) -> "Resources":
        clients = Clients()
        store = clients.store(ContentRegistry, environment.content_table)
        files = Files.of(clients.s3, environment.files_bucket)
        return cls(Uploads(store, files))


@cache
def resources() -> Resources:
    return Resources.of(ContentEnvironment.read())


if ContentEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""
    return each_message(event, settle_all, logger, "not settled")


def settle_all(body: str) -> None:
    """Record the files that a message of S3 reports; the queue's first one reports none."""
    for record in strict_json.parse(body).get("Records", []):
        settle(record)


def settle(record: dict[str, Any]) -> str:
    """Record the file that S3 reports; what is repeated finds what was done in place."""
    key = unquote_plus(record["s3"]["object"]["key"])  # as S3 writes keys in events
    place = Place.of(key)
    if place is None:
        logger.warning("an object that is no upload", key=key)
        return "ignored"
    settled = resources().uploads.settle(place, resources().now())
    logger.info("upload settled", key=key, outcome=settled)
    return settled
