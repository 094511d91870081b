"""Changes of a table, as its stream delivers them to a function: in order, at least once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from tablewright.runtime.errors import (
    AccessDenied,
    Conflict,
    ResourceMissing,
    Throttled,
    TransactionCanceled,
    Unavailable,
)
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.records import Item

Prepared = TypeVar("Prepared")

_PASSING = (AccessDenied, Conflict, ResourceMissing, Throttled, Unavailable)
_PASSING_REASONS = {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}
# A record that fails by itself is tried three times more.
_ATTEMPTS = Backoff(attempts=4, first=0.05, longest=0.2)


class Change:
    """One record of a stream: an item before and after a write."""

    __slots__ = ("_made", "id", "key", "new", "old", "record", "sequence")

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        change = record["dynamodb"]
        self.id: str = record["eventID"]
        self.sequence: str = change["SequenceNumber"]
        self.key: Item = change["Keys"]
        self.old: Item | None = change.get("OldImage")
        self.new: Item | None = change.get("NewImage")
        self._made: Any = change.get("ApproximateCreationDateTime")

    @property
    def made(self) -> datetime:
        """When the change was made, to the second: the same however often it is delivered."""
        if isinstance(self._made, datetime):  # as boto3 reads a stream; Lambda passes a number
            return self._made.astimezone(UTC)
        return datetime.fromtimestamp(int(self._made), UTC)


def consume(
    records: Sequence[dict[str, Any]],
    prepare: Callable[[Change], Prepared],
    apply: Callable[[list[Prepared]], Any],
    *,
    failed: Callable[[Change, Exception], Any],
) -> dict[str, Any]:
    """Carry out a batch and answer as an event source mapping with partial responses expects.

    Trouble that is no record's, such as a table that does not answer, fails the batch, and all of
    it is delivered again. Otherwise each record goes by itself, and one that fails four times is
    given to `failed`. Where that says that it is kept, the rest goes on; if not, it and those
    after it are reported for delivery again, so that changes of an item keep their order.
    """
    changes = [Change(record) for record in records]
    try:
        apply([prepare(change) for change in changes])
    except Exception as error:
        if passes(error):
            raise
        return _one_by_one(changes, prepare, apply, failed)
    return {"batchItemFailures": []}


def passes(error: Exception) -> bool:
    """Whether it is trouble of a service or of the deployment, which the same record survives."""
    if isinstance(error, TransactionCanceled):
        return bool(_PASSING_REASONS.intersection(error.reasons))
    return isinstance(error, _PASSING)


def _one_by_one(
    changes: Sequence[Change],
    prepare: Callable[[Change], Prepared],
    apply: Callable[[list[Prepared]], Any],
    failed: Callable[[Change, Exception], Any],
) -> dict[str, Any]:
    for change in changes:
        error = _failure(change, lambda one: apply([prepare(one)]))
        if error is not None and not failed(change, error):
            return {"batchItemFailures": [{"itemIdentifier": change.sequence}]}
    return {"batchItemFailures": []}


def _failure(change: Change, work: Callable[[Change], Any]) -> Exception | None:
    """What a record failed with, every time that it was tried."""
    failure: Exception | None = None
    for _ in _ATTEMPTS:
        try:
            work(change)
        except Exception as error:
            if passes(error):
                raise
            failure = error
        else:
            return None
    return failure
