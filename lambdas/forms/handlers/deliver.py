"""Delivery of submissions, as messages of the queue ask for it."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.forms.contract import DeliverEnvironment
from lambdas.forms.delivery.messages import Created, read_message
from lambdas.forms.delivery.resources import Resources
from lambdas.forms.delivery.submission_status import FAILED
from lambdas.metrics import count
from tablewright.model.errors import TablewrightError
from tablewright.runtime.deadline import in_time

logger = Logger()


@cache
def resources() -> Resources:
    return Resources.of(DeliverEnvironment.read())


if DeliverEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""
    failed = []
    for message in event["Records"]:
        try:
            carry_out(message["body"], datetime.now(UTC))
        except Exception as error:
            # Whatever it is: it must not take the other messages with it. What an unknown error
            # says could be anything, a part of the payload too.
            reason = str(error) if isinstance(error, TablewrightError) else ""
            logger.error(
                "not delivered",
                message_id=message["messageId"],
                kind=type(error).__name__,
                reason=reason,
            )
            failed.append({"itemIdentifier": message["messageId"]})
    return {"batchItemFailures": failed}


def carry_out(body: str, now: datetime) -> None:
    """Do what one message asks for."""
    asked = read_message(body, now)
    if isinstance(asked, Created):
        deliveries = resources().fan_out.begin(asked, now)
        logger.info("fanned out", **asked._asdict(), deliveries=deliveries)
        return
    outcome = resources().attempts.attempt(asked, now)
    logger.info("attempted", **asked._asdict(), outcome=outcome)
    if outcome == FAILED:
        # Its tenant sees it and mends it. No alarm is on this: who could ring it is not on duty.
        count({"DeliveriesFailed": 1})
