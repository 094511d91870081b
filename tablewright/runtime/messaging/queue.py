"""Messages to a queue, in batches within both of its limits, until every one has been taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff

# What SQS can hold a message back for.
LONGEST_DELAY = 900
_ENTRIES = 10
_BYTES = 256 * 1024


class Queue:
    """Sends to one queue.

    Example::

        Queue(Client(boto3.client("sqs")), url).send(["hello"], seconds=60)
    """

    def __init__(self, caller: Caller, url: str, *, backoff: Backoff | None = None) -> None:
        self._caller = caller
        self._url = url
        self._backoff = backoff or Backoff()

    def send(self, bodies: Sequence[str], seconds: float = 0, *, group: str | None = None) -> None:
        """When this returns, every message has been taken, to be seen after so many seconds.

        Some may have been taken twice. `group` tells whose they are: while those of one group
        take up the consumers, SQS hands out those of others first.
        """
        common: dict[str, Any] = {"DelaySeconds": max(0, min(ceil(seconds), LONGEST_DELAY))}
        if group is not None:
            common["MessageGroupId"] = group
        for batch in _batches(bodies):
            self._send(batch, common)

    def _send(self, batch: Sequence[str], common: dict[str, Any]) -> None:
        entries: list[dict[str, Any]] = [
            {"Id": str(number), "MessageBody": body, **common} for number, body in enumerate(batch)
        ]
        for _ in self._backoff:
            params = {"QueueUrl": self._url, "Entries": entries}
            answer = self._caller.call("SendMessageBatch", params)
            failed = {one["Id"] for one in answer.get("Failed", [])}
            entries = [entry for entry in entries if entry["Id"] in failed]
            if not entries:
                return
        raise Throttled(f"{len(entries)} of {len(batch)} messages were not taken")


def _batches(bodies: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for body in bodies:
        weight = len(body.encode())
        if batch and (len(batch) == _ENTRIES or size + weight > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(body)
        size += weight
    if batch:
        yield batch
