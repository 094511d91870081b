"""Change counter: from records of the stream to counts, and to payloads that nothing refers to."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lambdas.forms.metrics.events import (
    Events,
    corrected,
    counted,
    events,
    is_submission,
    outcome,
    sound,
    submitted,
)
from lambdas.forms.submission.payload_deletion import (
    OrphanedPayload,
    PayloadDeletion,
    orphaned_payload,
)
from tablewright.catalog.forms.design import Forms
from tablewright.model import InvalidRecord
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.records import Item
from tablewright.runtime.streams.changes import Change, consume
from tablewright.runtime.streams.counters import Counters

Failed = Callable[[Change, Exception], Any]


class ChangeWork(NamedTuple):
    """What is to be done about a change."""

    events: Events | None
    orphan: OrphanedPayload | None


class ChangeCounter:
    """Adds changes to the counts of their days and hours, each change once; with what is removed,
    `deletion` deletes its payload."""

    def __init__(self, caller: Caller, table_name: str, deletion: PayloadDeletion) -> None:
        self._caller = caller
        self._table_name = table_name
        self._deletion = deletion
        self._days = Counters(Forms, Forms.count_daily, table_name, caller)
        self._hours = Counters(Forms, Forms.count_hourly, table_name, caller)

    def count(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch as the stream delivers it."""
        return consume(records, _work, self._carry_out, failed=failed)

    def redrive(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch that was given up. Counts are sums, to which it does not matter when something
        is added; a record whose item was unsound is refused as long as the item still is."""
        return consume(records, self._late_work, self._carry_out, failed=failed)

    def _late_work(self, change: Change) -> ChangeWork:
        return ChangeWork(self._late(change), orphaned_payload(change))

    def _late(self, change: Change) -> Events | None:
        try:
            return counted(change)
        except InvalidRecord:
            today = self._current(change.key)
        if is_submission(change):
            return events(change, [submitted(today)] if today else [])
        outcome(today)  # raises while it is unsound
        # The correction counted what it came to, and took nothing back.
        return events(change, corrected(sound(change.old), None))

    def _carry_out(self, changes: list[ChangeWork]) -> None:
        found = [one.events for one in changes if one.events]
        self._days.add(one.day for one in found)
        self._hours.add(one.hour for one in found)
        failures = []
        for orphan in (one.orphan for one in changes if one.orphan):
            try:
                self._deletion.delete(orphan)
            except StoreError as error:  # the others go all the same
                failures.append(error)
        if failures:
            raise failures[0]

    def _current(self, key: Item) -> Item | None:
        params = {"TableName": self._table_name, "Key": key, "ConsistentRead": True}
        return self._caller.call("GetItem", params).get("Item")


def _work(change: Change) -> ChangeWork:
    return ChangeWork(counted(change), orphaned_payload(change))
