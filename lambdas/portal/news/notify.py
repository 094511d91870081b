"""Notifies users of content, as the queue asks for it."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.portal.news.messages import read
from lambdas.portal.news.telling import Telling
from lambdas.portal.resources import Resources
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.model.errors import TablewrightError
from tablewright.runtime.deadline import in_time
from tablewright.runtime.messaging.queue import Queue

logger = Logger()

# What a page of each message of a batch may need, with retries, when time is nearly up.
RESERVED_MS = 30_000


@cache
def telling() -> Telling:
    made = Resources.from_environment()
    return Telling(
        made.content(),
        made.store(SUBSCRIPTIONS, "SUBSCRIPTIONS_TABLE"),
        made.store(NOTIFICATIONS, "NOTIFICATIONS_TABLE"),
        Queue(made.sqs, os.environ["FANOUT_QUEUE_URL"]),
    )


if "FANOUT_QUEUE_URL" in os.environ:
    telling()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""

    def in_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > RESERVED_MS)

    failed = []
    for record in event["Records"]:
        try:
            message = read(record["body"])
            told = telling().tell(message, in_time)
        except Exception as error:
            # Whatever it is: it must not take the other messages with it. What an unknown error
            # says could be anything.
            reason = str(error) if isinstance(error, TablewrightError) else ""
            logger.error(
                "not told",
                message_id=record["messageId"],
                kind=type(error).__name__,
                reason=reason,
            )
            failed.append({"itemIdentifier": record["messageId"]})
        else:
            news = message.news
            logger.info(
                "told",
                content_id=news.content_id,
                version=news.version,
                kind=news.kind,
                topic=message.topic,
                told=told.told,
                before=told.before,
                after=told.after,
            )
    return {"batchItemFailures": failed}
