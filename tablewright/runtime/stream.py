"""Changes of a table, as its stream delivers them to a function: in order, at least once."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from tablewright.designs.errors import TablewrightError
from tablewright.runtime.errors import StoreError
from tablewright.runtime.records import Item

Prepared = TypeVar("Prepared")


class Change:
    """One record of a stream: an item before and after a write."""

    __slots__ = ("_made", "id", "key", "new", "old", "sequence")

    def __init__(self, record: dict[str, Any]) -> None:
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
    poisoned: Callable[[Change, TablewrightError], Any],
) -> dict[str, Any]:
    """Carry out a batch and answer as an event source mapping with partial responses expects.

    A record that cannot be prepared stops the batch: those before it are applied, it and those
    after it are reported for delivery again, so that changes of an item keep their order. When
    applying fails, so does the batch; all of it is delivered again.
    """
    prepared: list[Prepared] = []
    failing: Change | None = None
    for record in records:
        change = Change(record)
        try:
            prepared.append(prepare(change))
        except StoreError:
            raise  # no fault of the record's
        except TablewrightError as error:
            failing = change
            poisoned(change, error)
            break
    if prepared:
        apply(prepared)
    failures = [{"itemIdentifier": failing.sequence}] if failing else []
    return {"batchItemFailures": failures}
