"""Messages of a queue: each is worked on by itself, and delivered again when that fails."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.errors import log_text
from tablewright.model.errors import TablewrightError


def each_message(
    event: dict[str, Any], work: Callable[[str], Any], logger: Logger, failure: str
) -> dict[str, Any]:
    """Work on the body of every message; gives SQS those that failed, which it delivers again.

    A failure is logged under the name given here. It takes no other message with it.
    """
    failed = []
    for message in event["Records"]:
        try:
            work(message["body"])
        except Exception as error:
            # What an unknown error says could be anything, a part of the message too.
            reason = log_text(error) if isinstance(error, TablewrightError) else ""
            logger.error(
                failure,
                message_id=message["messageId"],
                kind=type(error).__name__,
                reason=reason,
            )
            failed.append({"itemIdentifier": message["messageId"]})
    return {"batchItemFailures": failed}
