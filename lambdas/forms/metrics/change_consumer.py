"""Change consumer: counts changes of the stream, deletes payloads that nothing refers to."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lambdas.forms.metrics.aggregation import MetricsAggregationManager
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
from tablewright.model import InvalidRecord
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change, consume

Failed = Callable[[Change, Exception], Any]


class ChangeWork(NamedTuple):
    """What is to be done about a change."""

    events: Events | None
    orphan: OrphanedPayload | None


class ChangeConsumer:
    """Counts each change of the form table once, and deletes the payloads of removed items."""

    def __init__(self, store: Store, deletion: PayloadDeletion) -> None:
        self._store = store
        self._deletion = deletion
        self._metrics = MetricsAggregationManager(store)

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
        self._metrics.update_submission_metrics([one.events for one in changes if one.events])
        failures = []
        for orphan in (one.orphan for one in changes if one.orphan):
            try:
                self._deletion.delete(orphan)
            except StoreError as error:  # the others go all the same
                failures.append(error)
        if failures:
            raise failures[0]

    def _current(self, key: Item) -> Item | None:
        params = {"TableName": self._store.table_name, "Key": key, "ConsistentRead": True}
        return self._store.caller.call("GetItem", params).get("Item")


def _work(change: Change) -> ChangeWork:
    return ChangeWork(counted(change), orphaned_payload(change))
