"""Messages to a topic, in batches within both of its limits; one that fails stops no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError, Throttled, Unavailable
from tablewright.runtime.retry import Backoff

_ENTRIES = 10
_BYTES = 256 * 1024
# What an attribute weighs beside its name and value: its type.
_ATTRIBUTE_BYTES = len("String")
# Calls in a row without an answer after which a topic is left alone: each takes half a minute.
_PATIENCE = 3


class Message:
    """A text and the attributes that subscribers can choose it by."""

    __slots__ = ("attributes", "text")

    def __init__(self, text: str, attributes: Mapping[str, str] | None = None) -> None:
        self.text = text
        self.attributes = dict(attributes or {})

    @property
    def bytes(self) -> int:
        """What the message weighs, as SNS counts it: its text and its attributes."""
        attributes = sum(
            len(name.encode()) + len(value.encode()) + _ATTRIBUTE_BYTES
            for name, value in self.attributes.items()
        )
        return len(self.text.encode()) + attributes


class TooLarge(StoreError):
    """A message is larger than the topic takes: it never will be."""


class Topic:
    """Publishes to one topic.

    Example::

        (failure,) = Topic(Client(boto3.client("sns")), arn).offer([Message("hello")])
    """

    def __init__(self, caller: Caller, arn: str, *, backoff: Backoff | None = None) -> None:
        self._caller = caller
        self._arn = arn
        self._backoff = backoff or Backoff()

    def offer(self, messages: Sequence[Message]) -> list[StoreError | None]:
        """Publish what can be; gives what each message failed with, None for one that was taken.

        Of those that failed with Unavailable nobody knows, all others were not taken.
        """
        failures = [_too_large(message) for message in messages]
        fit = [at for at, failure in enumerate(failures) if failure is None]
        silent = 0
        for batch in _batches(messages, fit):
            if silent < _PATIENCE:
                found = self._offer([messages[at] for at in batch])
                silent = silent + 1 if all(isinstance(one, Unavailable) for one in found) else 0
            else:
                found = [Throttled("not tried: the topic has not answered")] * len(batch)
            for at, failure in zip(batch, found, strict=True):
                failures[at] = failure
        return failures

    def _offer(self, batch: Sequence[Message]) -> list[StoreError | None]:
        failures: dict[int, StoreError] = dict.fromkeys(range(len(batch)), Throttled("not tried"))
        for _ in self._backoff:
            try:
                failures = self._publish(batch, list(failures))
            except Throttled as error:
                failures = dict.fromkeys(failures, error)
            except Unavailable as error:
                # It may have been taken: asking again might be once too often.
                failures = dict.fromkeys(failures, error)
                break
            except StoreError as error:
                failures = self._alone(batch, failures, error)
                break
            if not failures:
                break
        return [failures.get(at) for at in range(len(batch))]

    def _alone(
        self, batch: Sequence[Message], left: Iterable[int], error: StoreError
    ) -> dict[int, StoreError]:
        """The failures of messages that were refused together: each by itself shows its own."""
        if len(batch) == 1:
            return {0: error}
        alone = {at: self._offer([batch[at]])[0] for at in left}
        return {at: failure for at, failure in alone.items() if failure is not None}

    def _publish(self, batch: Sequence[Message], left: Sequence[int]) -> dict[int, StoreError]:
        entries = [_entry(str(at), batch[at]) for at in left]
        params = {"TopicArn": self._arn, "PublishBatchRequestEntries": entries}
        answer = self._caller.call("PublishBatch", params)
        return {int(one["Id"]): _failure(one) for one in answer.get("Failed", ())}


def _failure(entry: Mapping[str, Any]) -> StoreError:
    return Throttled(f"PublishBatch: {entry.get('Code', '')}: {entry.get('Message', '')}")


def _too_large(message: Message) -> StoreError | None:
    if message.bytes <= _BYTES:
        return None
    return TooLarge(f"a message may have {_BYTES} bytes with its attributes, not {message.bytes}")


def _batches(messages: Sequence[Message], fit: Sequence[int]) -> Iterator[list[int]]:
    """Positions of the messages that fit, in batches within both limits."""
    batch: list[int] = []
    size = 0
    for at in fit:
        weight = messages[at].bytes
        if batch and (len(batch) == _ENTRIES or size + weight > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(at)
        size += weight
    if batch:
        yield batch


def _entry(id: str, message: Message) -> dict[str, Any]:
    attributes = {
        name: {"DataType": "String", "StringValue": value}
        for name, value in message.attributes.items()
    }
    return {"Id": id, "Message": message.text, "MessageAttributes": attributes}
