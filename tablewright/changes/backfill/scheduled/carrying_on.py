"""Carrying on: one run of a backfill by the clock, from the checkpoint on, while there is time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tablewright.changes.backfill.backfill import UNSETTLED, Backfill
from tablewright.changes.backfill.scheduled.checkpoints import Checkpoint, Checkpoints
from tablewright.changes.backfill.scheduled.plan import BackfillPlan
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import OutOfTime, Throttled
from tablewright.runtime.store.store import Store

# As many as the command has by default. A checkpoint is of so many.
SEGMENTS = 4


class Carried(NamedTuple):
    """How far a backfill is after a run."""

    done: bool
    outcomes: Counter[str]

    @property
    def left(self) -> int:
        """How many items somebody must look at."""
        return sum(self.outcomes[outcome] for outcome in UNSETTLED)


class Bounded:
    """A caller that begins no further page when the time is nearly over."""

    def __init__(self, caller: Caller, in_time: Callable[[], bool]) -> None:
        self._caller = caller
        self._in_time = in_time

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises OutOfTime for a page that there is no time for."""
        if operation == "Scan" and not self._in_time():
            raise OutOfTime("there is no time for another page")
        return self._caller.call(operation, params)


def carry_on(
    plan: BackfillPlan,
    table_name: str,
    checkpoints: str,
    caller: Caller,
    in_time: Callable[[], bool],
) -> Carried:
    """Go on where the last run was. What is done already calls nothing but for its checkpoint."""
    progress = _progress(Store(Checkpoints, checkpoints, caller), plan.mark)
    if progress.unfinished():
        backfill = Backfill(
            *plan.tables(),
            table_name,
            Bounded(caller, in_time),
            rate=plan.rate,
            progress=progress,
        )
        try:
            backfill.run()
        except OutOfTime:
            pass  # a page that was begun is looked at again, which changes nothing
        except Throttled:
            # Near its end a run does not wait for long: then it is the next one that does.
            if in_time():
                raise
    return Carried(not progress.unfinished(), progress.outcomes)


def _progress(store: Store, mark: str) -> StateProgress:
    """The progress that the last run saved, or a new beginning.

    Of items it has their number by outcome alone: reasons and examples are of one run.
    """
    saved = store.get(Checkpoints.checkpoint, backfill=mark)

    def save(state: dict[str, Any]) -> None:
        store.put(Checkpoints.keep, Checkpoint(backfill=mark, state=json.dumps(state)))

    state = json.loads(saved.state) if saved else {}
    return StateProgress(state, SEGMENTS, save, examples=False, pause=0)
