"""Announcement publisher: sends what changes of content announce from their stream to a queue."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.contract import PublishEnvironment
from lambdas.portal.notification_fan_out.announcements import announcements_of
from lambdas.portal.notification_fan_out.messages import Message, messages_of
from lambdas.stream import Failed, keep_failed
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.runtime.deadline import in_time
from tablewright.runtime.messaging.queue import Queue
from tablewright.runtime.store.records import Records
from tablewright.runtime.streams.changes import Change, consume

logger = Logger()
_CONTENT = Records(ContentRegistry.__design__, Content.__entity__)


class Resources(NamedTuple):
    """What records are sent to, kept for the life of the function's environment."""

    queue: Queue

    @classmethod
    def of(cls, environment: PublishEnvironment) -> "Resources":
        return cls(Queue(Clients().client("sqs"), environment.fanout_queue_url))


@cache
def resources() -> Resources:
    return Resources.of(PublishEnvironment.read())


if PublishEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive; notifications that were made stay as they are."""
    return publish(event["Records"], resources().queue, keep_failed(event, _report))


def publish(records: Sequence[dict[str, Any]], to: Queue, failed: Failed) -> dict[str, Any]:
    """Send all messages of a batch, in as few calls as can be."""

    def send(found: list[list[Message]]) -> None:
        bodies = [message.body for messages in found for message in messages]
        to.send(bodies)
        logger.info("published", records=len(found), messages=len(bodies))

    return consume(records, messages_for, send, failed=failed)


def messages_for(change: Change) -> list[Message]:
    """The messages that a change asks for."""
    old, new = (_CONTENT.to_record(image) if image else None for image in (change.old, change.new))
    if new is None:
        return []
    new = Content(**new)
    return [
        message
        for announcement in announcements_of(old, new)
        for message in messages_of(announcement, new.owner_user_id)
    ]


def _report(change: Change, reason: str) -> None:
    # The content's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a record cannot be published",
        sequence=change.sequence,
        content_id=change.key.get("content_id", {}).get("S"),
        reason=reason,
    )
