"""Messages to a topic, in batches within both of its limits, until every one has been taken."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff

_ENTRIES = 10
_BYTES = 256 * 1024
# What an entry weighs beside its text: its id and its attributes, generously.
_ENTRY_BYTES = 512


class Message:
    """A text and the attributes that subscribers can choose it by."""

    __slots__ = ("attributes", "text")

    def __init__(self, text: str, attributes: Mapping[str, str] | None = None) -> None:
        self.text = text
        self.attributes = dict(attributes or {})

    @property
    def bytes(self) -> int:
        return len(self.text.encode()) + _ENTRY_BYTES


class Topic:
    """Publishes to one topic.

    Example::

        Topic(Client(boto3.client("sns")), arn).publish([Message("hello")])
    """

    def __init__(self, caller: Caller, arn: str, *, backoff: Backoff | None = None) -> None:
        self._caller = caller
        self._arn = arn
        self._backoff = backoff or Backoff()

    def publish(self, messages: Sequence[Message]) -> None:
        """When this returns, every message has been taken; some may have been taken twice."""
        left = self.offer(messages)
        if left:
            raise Throttled(f"{len(left)} of {len(messages)} messages were not taken")

    def offer(self, messages: Sequence[Message]) -> list[Message]:
        """Publish what can be; gives the messages that were not taken, after all attempts."""
        return [left for batch in _batches(messages) for left in self._offer(batch)]

    def _offer(self, batch: Sequence[Message]) -> list[Message]:
        entries = [_entry(str(number), message) for number, message in enumerate(batch)]
        for _ in self._backoff:
            params = {"TopicArn": self._arn, "PublishBatchRequestEntries": entries}
            failed = {one["Id"] for one in self._caller.call("PublishBatch", params)["Failed"]}
            entries = [entry for entry in entries if entry["Id"] in failed]
            if not entries:
                break
        return [batch[int(entry["Id"])] for entry in entries]


def _batches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    batch: list[Message] = []
    size = 0
    for message in messages:
        if batch and (len(batch) == _ENTRIES or size + message.bytes > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += message.bytes
    if batch:
        yield batch


def _entry(id: str, message: Message) -> dict[str, Any]:
    attributes = {
        name: {"DataType": "String", "StringValue": value}
        for name, value in message.attributes.items()
    }
    return {"Id": id, "Message": message.text, "MessageAttributes": attributes}
