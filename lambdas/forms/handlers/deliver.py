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
from lambdas.queue import each_message
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
    return each_message(
        event, lambda body: carry_out(body, datetime.now(UTC)), logger, "not delivered"
    )


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
