"""Completes uploads as S3 tells of them; on a schedule, removes what was never completed."""

import json
import os
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

from aws_lambda_powertools import Logger

from lambdas.portal.completion import Completion
from lambdas.portal.files import Place
from lambdas.portal.resources import Resources
from tablewright.runtime.dynamo import Caller

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


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Uploads that S3 tells of, or, of any other event, one run of cleaning.

    What fails is repeated as a whole, and finds what was done in place.
    """
    if "Records" in event:
        return {"settled": [_settle(record) for record in event["Records"]]}
    cleaned = completion().clean(
        datetime.now(UTC),
        after=event.get("after"),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    logger.info("files cleaned", extra={"extra": cleaned._asdict()})
    if cleaned.after is not None:
        _go_on(context, {"after": cleaned.after})
    return cleaned._asdict()


def _settle(record: dict[str, Any]) -> str:
    key = unquote_plus(record["s3"]["object"]["key"])  # as S3 writes keys in events
    place = Place.of(key)
    if place is None:
        logger.warning("an object that is no upload", key=key)
        return "ignored"
    settled = completion().settle(place, datetime.now(UTC))
    logger.info("upload settled", key=key, outcome=settled)
    return settled


def _go_on(context: Any, event: dict[str, Any]) -> None:
    functions().call(
        "Invoke",
        {
            "FunctionName": context.invoked_function_arn,
            "InvocationType": "Event",
            "Payload": json.dumps(event).encode(),
        },
    )
