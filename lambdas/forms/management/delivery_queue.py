"""Asking for deliveries: messages to the queue that the Deliver function works off."""

import json
from collections.abc import Mapping
from typing import Any

from tablewright.runtime.aws import Caller


class Deliveries:
    """The queue of deliveries.

    Example::

        Deliveries(Client(session.client("sqs")), url).enqueue(attempt("acme", id, "crm", 3))
    """

    def __init__(self, sqs: Caller, queue_url: str) -> None:
        self._sqs = sqs
        self._queue_url = queue_url

    def enqueue(self, message: Mapping[str, Any]) -> None:
        """When this returns, the message has been taken; it may be delivered more than once."""
        body = json.dumps(message, separators=(",", ":"))
        self._sqs.call("SendMessage", {"QueueUrl": self._queue_url, "MessageBody": body})


def attempt(
    tenant_id: str, submission_id: str, destination_id: str, number: int
) -> dict[str, dict[str, Any]]:
    """The message that asks for one attempt. Twice the same number is one attempt."""
    return {
        "deliver": {
            "tenant_id": tenant_id,
            "submission_id": submission_id,
            "destination_id": destination_id,
            "attempt": number,
        }
    }
