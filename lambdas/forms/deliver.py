"""Delivers submissions to the destinations of their forms, as the queue asks for it."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.forms.delivery import Deliveries
from lambdas.forms.destinations import Destination, Outcome, Shipment
from lambdas.forms.destinations.email import Email
from lambdas.forms.destinations.eventbridge import Bus
from lambdas.forms.destinations.s3 import Bucket
from lambdas.forms.destinations.settings import LOCAL_WEBHOOKS
from lambdas.forms.destinations.webhook import Webhook
from lambdas.forms.fan_out import FanOut
from lambdas.forms.kept_secrets import KeptSecrets
from lambdas.forms.messages import Created, Queue, read
from lambdas.forms.resources import Resources
from lambdas.forms.retries import Retries
from lambdas.forms.submission_status import FAILED
from lambdas.metrics import count
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller
from tablewright.runtime.deadline import in_time

logger = Logger()


class Work(NamedTuple):
    """The two things that messages ask for."""

    fan_out: FanOut
    deliveries: Deliveries


class _WhenNeeded:
    """A destination whose client is made for the first delivery to it."""

    def __init__(self, make: Any) -> None:
        self._make = cache(make)

    def deliver(self, shipment: Shipment, now: datetime) -> Outcome:
        made: Destination = self._make()
        return made.deliver(shipment, now)


def _mail(resources: Resources) -> Caller:
    # A mail that is answered late may have been sent: it is waited for, and sent once an attempt.
    once = {"mode": "standard", "total_max_attempts": 1}
    return resources.client("sesv2", read_timeout=10, retries=once)


@cache
def work() -> Work:
    resources, given = Resources.from_environment(), os.environ
    store = resources.store()
    queue = Queue(resources.sqs, given["DELIVERIES_QUEUE_URL"])
    secrets = KeptSecrets(resources.secrets, given["SECRETS_PREFIX"])
    destinations: dict[str, Destination] = {
        "webhook": Webhook(secrets, local=given.get(LOCAL_WEBHOOKS) == "true"),
        "email": _WhenNeeded(lambda: Email(_mail(resources), given.get("MAIL_FROM", ""))),
        "s3": Bucket(resources.s3),
        "eventbridge": _WhenNeeded(
            lambda: Bus(resources.client("events"), given["EVENT_BUS_NAME"])
        ),
    }
    retries = Retries(first=float(given.get("RETRY_FIRST_SECONDS", Retries().first)))
    deliveries = Deliveries(store, queue, resources.payloads(), destinations, retries=retries)
    return Work(FanOut(store, queue), deliveries)


if "DELIVERIES_QUEUE_URL" in os.environ:
    work()  # while the function starts, when Lambda gives it the most CPU


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
    asked = read(body, now)
    if isinstance(asked, Created):
        deliveries = work().fan_out.begin(asked, now)
        logger.info("fanned out", **asked._asdict(), deliveries=deliveries)
        return
    outcome = work().deliveries.attempt(asked, now)
    logger.info("attempted", **asked._asdict(), outcome=outcome)
    if outcome == FAILED:
        # Its tenant sees it and mends it. No alarm is on this: who could ring it is not on duty.
        count({"DeliveriesFailed": 1})
