"""Publishes what changes of content are news of, as their stream says."""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.portal.news.messages import Message, messages_of
from lambdas.portal.news.news import news_of
from lambdas.portal.resources import Resources
from lambdas.stream import Failed, kept_unless_redriven
from tablewright.catalog.portal.content import CONTENT, CONTENT_REGISTRY
from tablewright.runtime.deadline import in_time
from tablewright.runtime.messaging.queue import Queue
from tablewright.runtime.store.records import Records
from tablewright.runtime.streams.changes import Change, consume

logger = Logger()
_CONTENT = Records(CONTENT_REGISTRY, CONTENT)


@cache
def queue() -> Queue:
    return Queue(Resources.from_environment().sqs, os.environ["FANOUT_QUEUE_URL"])


if "FANOUT_QUEUE_URL" in os.environ:
    queue()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive: what was told before is not told again."""
    return publish(event["Records"], queue(), kept_unless_redriven(event, _tell))


def publish(records: Sequence[dict[str, Any]], to: Queue, failed: Failed) -> dict[str, Any]:
    """Send all messages of a batch, in as few calls as can be."""

    def send(found: list[list[Message]]) -> None:
        bodies = [message.body for messages in found for message in messages]
        to.send(bodies)
        logger.info("published", records=len(found), messages=len(bodies))

    return consume(records, prepare, send, failed=failed)


def prepare(change: Change) -> list[Message]:
    """The messages that a change asks for."""
    old, new = (_CONTENT.to_record(image) if image else None for image in (change.old, change.new))
    if new is None:
        return []
    new = CONTENT.check(new)
    return [one for news in news_of(old, new) for one in messages_of(news, new["owner_user_id"])]


def _tell(change: Change, reason: str) -> None:
    # The content's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a record cannot be published",
        sequence=change.sequence,
        content_id=change.key.get("content_id", {}).get("S"),
        reason=reason,
    )
