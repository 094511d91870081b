"""Applying a plan to one table: step by step, with gates at releases and before removals.

How far a plan is applied is in the state of its migration, which belongs to one table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol

from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.plan.live_table import Drifted, difference
from tablewright.changes.plan.plan import Plan
from tablewright.changes.plan.steps import Kind, Step
from tablewright.changes.state import MigrationState
from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import TableForm

Say = Callable[[str], None]


class Unfinished(TablewrightError):
    """A step that is not done: items were left, or a verification found differences."""


class Work(Protocol):
    """The work on one table that steps consist of."""

    @property
    def form(self) -> TableForm:
        """The present form of the table."""

    def require_free_attributes(self) -> None:
        """Raise Unfinished if items have a new attribute with another meaning."""

    def update(self, goal: TableForm) -> None:
        """Bring the table to this form by one update."""

    def backfill(self, progress: StateProgress) -> None:
        """Complete all items; raises Unfinished if some are left."""

    def verify(self) -> None:
        """Raise Unfinished unless all items and indexes are as both designs need them."""

    def remove_attributes(self, progress: StateProgress, *, of_new: bool = False) -> None:
        """Remove the attributes that only the old design computed, or only the new one."""


class PlanProgress:
    """How far a plan is applied to one table."""

    def __init__(self, state: MigrationState, segments: int = 4) -> None:
        self._state = state
        self._segments = segments
        self._values = state.load()

    @property
    def done(self) -> int:
        """The number of steps that are done."""
        return int(self._values.get("done", 0))

    @property
    def is_verified(self) -> bool:
        """True if a verification of this table has passed."""
        return bool(self._values.get("verified"))

    def advance(self, *, verified: bool = False) -> None:
        """Save that one more step is done; a crash before this repeats the step."""
        self._values.pop("items", None)
        self._save(
            {
                **self._values,
                "done": self.done + 1,
                "verified": self.is_verified or verified,
            }
        )

    def retreat(self) -> None:
        """Save that the last step is undone."""
        self._values.pop("items", None)
        done = self.done - 1
        self._save({**self._values, "done": done, "verified": False} if done else {})

    def items(self) -> StateProgress:
        """The progress of the step that goes through all items."""

        def save(items: dict[str, Any]) -> None:
            self._save({**self._values, "items": items})

        return StateProgress(self._values.get("items", {}), self._segments, save)

    def _save(self, values: dict[str, Any]) -> None:
        self._state.save(values)
        self._values = values


def apply(
    plan: Plan,
    work: Work,
    progress: PlanProgress,
    *,
    released: Collection[str] = (),
    readers_moved: bool = False,
    say: Say = print,
) -> Step | None:
    """Apply a plan from where it is. Returns the step that waits for a person, None at the end.

    A release is passed when it is named in `released`, and a step that removes what old code reads
    when `readers_moved` is true: nobody else can know which code runs. Every step can be repeated,
    so a stop at any moment loses nothing.
    """
    if not progress.done:
        work.require_free_attributes()
    before = plan.steps[progress.done - 1].form if progress.done else plan.start
    for number, step in enumerate(plan.steps[progress.done :], start=progress.done + 1):
        if step.kind is Kind.RELEASE and step.name not in released:
            return step
        if step.is_contract and not readers_moved:
            return step
        say(f"{number} of {len(plan.steps)}: {step.says}")
        _carry_out(step, before, work, progress)
        progress.advance(verified=step.kind is Kind.VERIFY)
        before = step.form
    return None


def undo(
    plan: Plan,
    work: Work,
    progress: PlanProgress,
    *,
    is_released: bool = False,
    remove_attributes: bool = False,
    say: Say = print,
) -> bool:
    """Undo the steps of a plan that are done, the last first. Returns False if it waits for code.

    `is_released` confirms that the code of the old design runs everywhere, if any other code was
    released. With `remove_attributes`, the attributes that the backfill added are removed too.
    Raises Drifted once a contract step is done: what it removed, old code needs.
    """
    if not plan.steps:
        return True
    # The next step may have begun: a crash came before it was saved as done.
    begun = plan.steps[: progress.done + 1]
    if any(step.is_contract for step in plan.steps[: progress.done]) or _has_contracted(
        begun[-1], work, progress
    ):
        raise Drifted(
            "a contract step is done, so this plan cannot be undone: plan the way back as a change "
            "from the new design to the old one"
        )
    if any(step.kind is Kind.RELEASE for step in plan.steps[: progress.done]) and not is_released:
        return False
    for number, step in reversed(list(enumerate(begun))):
        before = plan.steps[number - 1].form if number else plan.start
        if step.kind is Kind.TABLE:
            say(f"back from {number + 1} of {len(plan.steps)}: {step.undo}")
            _require_known(work.form, before, step.form)
            work.update(before)
        elif step.kind is Kind.BACKFILL and remove_attributes:
            say(f"back from {number + 1} of {len(plan.steps)}: remove the added attributes")
            work.remove_attributes(progress.items(), of_new=True)
        if number < progress.done:
            progress.retreat()
    return True


def _has_contracted(step: Step, work: Work, progress: PlanProgress) -> bool:
    """True if a contract step that is not saved as done has begun."""
    if step.kind is Kind.CONTRACT:
        return work.form == step.form
    return step.kind is Kind.REMOVE and progress.items().resumed


def _require_known(now: TableForm, *known: TableForm) -> None:
    if now not in known:
        raise Drifted(
            f"somebody else has changed the table: {difference(now, known[0])}. Make another "
            "plan from what it is now"
        )


def _carry_out(step: Step, before: TableForm, work: Work, progress: PlanProgress) -> None:
    if step.kind in (Kind.TABLE, Kind.CONTRACT):
        _require_known(work.form, before, step.form)
    if step.is_contract and not progress.is_verified:
        raise Unfinished(f"'{step.says}' needs a verification of this table that passed")
    if step.kind in (Kind.TABLE, Kind.CONTRACT):
        work.update(step.form)
    elif step.kind is Kind.BACKFILL:
        work.backfill(progress.items())
    elif step.kind is Kind.REMOVE:
        work.remove_attributes(progress.items())
    elif step.kind is Kind.VERIFY:
        work.verify()
