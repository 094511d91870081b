"""User notification: carries out the messages of the fan-out queue."""

from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.contract import NotifyEnvironment
from lambdas.portal.notification_fan_out.messages import message_from
from lambdas.portal.notification_fan_out.notifier import Notifier
from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.model.errors import TablewrightError
from tablewright.runtime.deadline import in_time
from tablewright.runtime.messaging.queue import Queue

logger = Logger()

# What a page of each message of a batch may need, with retries, when time is nearly up.
RESERVED_MS = 30_000


class Resources(NamedTuple):
    """What messages work with, kept for the life of the function's environment."""

    notifier: Notifier

    @classmethod
    def of(cls, environment: NotifyEnvironment) -> "Resources":
        clients = Clients()
        notifier = Notifier(
            clients.store(CONTENT_REGISTRY, environment.content_table),
            clients.store(SUBSCRIPTIONS, environment.subscriptions_table),
            clients.store(NOTIFICATIONS, environment.notifications_table),
            Queue(clients.client("sqs"), environment.fanout_queue_url),
        )
        return cls(notifier)


@cache
def resources() -> Resources:
    return Resources.of(NotifyEnvironment.read())


if NotifyEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""

    def in_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > RESERVED_MS)

    failed = []
    for record in event["Records"]:
        try:
            message = message_from(record["body"])
            notified = resources().notifier.notify(message, in_time)
        except Exception as error:
            # Whatever it is: it must not take the other messages with it. What an unknown error
            # says could be anything.
            reason = str(error) if isinstance(error, TablewrightError) else ""
            logger.error(
                "not notified",
                message_id=record["messageId"],
                kind=type(error).__name__,
                reason=reason,
            )
            failed.append({"itemIdentifier": record["messageId"]})
        else:
            announcement = message.announcement
            logger.info(
                "notified",
                content_id=announcement.content_id,
                version=announcement.version,
                kind=announcement.kind,
                topic=message.topic,
                new=notified.new,
                before=notified.before,
                after=notified.after,
            )
    return {"batchItemFailures": failed}
