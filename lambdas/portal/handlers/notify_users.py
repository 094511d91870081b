"""User notification: carries out the messages of the fan-out queue."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.contract import NotifyEnvironment
from lambdas.portal.notification_fan_out.messages import message_from
from lambdas.portal.notification_fan_out.notifier import Notifier
from lambdas.queue import each_message
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
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
            clients.store(ContentRegistry, environment.content_table),
            clients.store(Subscriptions, environment.subscriptions_table),
            clients.store(Notifications, environment.notifications_table),
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

    return each_message(event, lambda body: notify(body, in_time), logger, "not notified")


def notify(body: str, in_time: Callable[[], bool]) -> None:
    """Notify the users whom one message is for."""
    message = message_from(body)
    notified = resources().notifier.notify(message, in_time)
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
