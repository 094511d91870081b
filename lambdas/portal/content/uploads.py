"""Completes uploads, as S3 tells of them by a queue."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

from aws_lambda_powertools import Logger

from lambdas.portal.content.completion import Completion
from lambdas.portal.content.files import Place
from lambdas.portal.resources import Resources
from tablewright.model.errors import TablewrightError
from tablewright.runtime import strict_json
from tablewright.runtime.deadline import in_time

logger = Logger()


@cache
def completion() -> Completion:
    resources = Resources.from_environment()
    return Completion(resources.content(), resources.files())


def now() -> datetime:
    return datetime.now(UTC)


if "FILES_BUCKET" in os.environ:
    completion()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""
    failed = []
    for message in event["Records"]:
        try:
            # S3 sends one without any when it is told of the queue.
            for record in strict_json.parse(message["body"]).get("Records", []):
                settle(record)
        except Exception as error:
            # Whatever it is: it must not take the other messages with it.
            reason = str(error) if isinstance(error, TablewrightError) else ""
            logger.error(
                "not settled",
                message_id=message["messageId"],
                kind=type(error).__name__,
                reason=reason,
            )
            failed.append({"itemIdentifier": message["messageId"]})
    return {"batchItemFailures": failed}


def settle(record: dict[str, Any]) -> str:
    """Record the file that S3 tells of; what is repeated finds what was done in place."""
    key = unquote_plus(record["s3"]["object"]["key"])  # as S3 writes keys in events
    place = Place.of(key)
    if place is None:
        logger.warning("an object that is no upload", key=key)
        return "ignored"
    settled = completion().settle(place, now())
    logger.info("upload settled", key=key, outcome=settled)
    return settled
