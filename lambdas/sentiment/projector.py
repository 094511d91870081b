"""From the stream of items to the dashboard's table."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, cast

from lambdas.sentiment.projection import analysed, counted, implied, sound
from tablewright.catalog.sentiment.dashboard import DASHBOARD
from tablewright.model.patterns import BatchWrite, Count
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Item
from tablewright.runtime.streams.changes import Change, consume
from tablewright.runtime.streams.counters import Counters, Event
from tablewright.runtime.streams.projection import Projection, Rows

Failed = Callable[[Change, Exception], Any]


class Step(NamedTuple):
    """What one change comes to: what is counted, and the rows to be written or looked after."""

    change: Change
    event: Event
    rows: Rows


class Projector:
    """Applies changes of items to the dashboard's table, as they come or long after."""

    def __init__(
        self,
        caller: Caller,
        *,
        dashboard_table: str,
        items_table: str,
        executor: Executor | None = None,
    ) -> None:
        self._caller = caller
        self._items_table = items_table
        self._projection = Projection(
            DASHBOARD,
            cast(BatchWrite, DASHBOARD.project_items),
            dashboard_table,
            caller,
            executor=executor,
        )
        self._counters = Counters(
            DASHBOARD, cast(Count, DASHBOARD.count_items), dashboard_table, caller
        )

    def project(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch as the stream delivers it: in order, and nothing that is newer applied yet."""
        return consume(records, self._step, self._apply, failed=failed)

    def redrive(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch that was given up: the stream has gone on, so rows follow the items of today.

        Counts are sums, to which it does not matter when something is added. A record is refused
        again as long as its item is unsound.
        """
        return consume(records, self._late_step, self._reconcile, failed=failed)

    def _step(self, change: Change) -> Step:
        # An old image that is unsound was never projected, so nothing is left of it.
        old, new = sound(change.old), analysed(change.new)
        rows = self._projection.difference(implied(old), implied(new))
        return Step(change, counted(change, old, new), rows)

    def _late_step(self, change: Change) -> Step:
        analysed(self._current(change.key))
        old, new = sound(change.old), sound(change.new)
        touched = self._projection.rows([*implied(old), *implied(new)])
        return Step(change, counted(change, old, new), touched)

    def _apply(self, steps: list[Step]) -> None:
        self._projection.apply(step.rows for step in steps)
        self._count(steps)

    def _reconcile(self, steps: list[Step]) -> None:
        for key, touched in _by_item(steps):
            self._projection.reconcile(
                touched,
                lambda key=key: implied(analysed(self._current(key))),  # type: ignore[misc]
            )
        self._count(steps)

    def _count(self, steps: list[Step]) -> None:
        self._counters.add(step.event for step in steps if step.event.sums)

    def _current(self, key: Item) -> Item | None:
        params = {"TableName": self._items_table, "Key": key, "ConsistentRead": True}
        return self._caller.call("GetItem", params).get("Item")


def _by_item(steps: list[Step]) -> Iterator[tuple[Item, list[Rows]]]:
    """Each item's key, with the rows that its changes may have left."""
    keys: dict[str, Item] = {}
    touched: dict[str, list[Rows]] = {}
    for step in steps:
        id = repr(sorted(step.change.key.items()))
        keys[id] = step.change.key
        touched.setdefault(id, []).append(step.rows)
    return ((keys[id], rows) for id, rows in touched.items())
