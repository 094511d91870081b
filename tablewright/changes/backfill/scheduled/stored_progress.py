"""Progress of a backfill by the clock, kept in the table of checkpoints after every page."""

from __future__ import annotations

import json
from collections import Counter

from tablewright.changes.backfill.scheduled.checkpoints import Checkpoint, Checkpoints
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.store.store import Store


class StoredProgress(Progress):
    """The progress that the last run kept, or a new beginning.

    Of items it keeps their number by outcome: reasons and examples are of one run.
    """

    def __init__(self, store: Store, backfill: str, segments: int) -> None:
        super().__init__(None, backfill, segments)
        self._store = store
        kept = store.get(Checkpoints.checkpoint, backfill=backfill)
        if kept is None:
            return
        state = json.loads(kept.state)
        self.counts.update(state["counts"])
        self._positions = {int(number): key for number, key in state["positions"].items()}
        self._finished = set(state["finished"])
        self.resumed = True

    @property
    def outcomes(self) -> Counter[str]:
        """How many items came to each outcome, over all runs."""
        found: Counter[str] = Counter()
        for kind, count in self.counts.items():
            found[kind.partition(": ")[0]] += count
        return found

    def _save(self) -> None:
        state = {
            "positions": self._positions,
            "finished": sorted(self._finished),
            "counts": self.outcomes,
        }
        record = Checkpoint(backfill=self._table, state=json.dumps(state))
        self._store.put(Checkpoints.keep, record)
