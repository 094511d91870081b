"""Applying a plan: step by step, stopping at each release, going on where it was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

from tablewright.changes.plan.live_table import Drifted, difference
from tablewright.changes.plan.plan import Plan
from tablewright.changes.plan.steps import Kind, Step
from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import TableForm
from tablewright.runtime.strict_json import parse

Say = Callable[[str], None]


class Unfinished(TablewrightError):
    """A step that cannot be left behind yet: a backfill or a verification that found something."""


class Work(Protocol):
    """Whoever carries out the steps of a plan."""

    @property
    def form(self) -> TableForm:
        """What the table is now."""

    def update(self, goal: TableForm) -> None:
        """Make the table so, by one update."""

    def backfill(self) -> None:
        """Rewrite all items; raises Unfinished while some are left."""

    def verify(self) -> None:
        """Raise Unfinished unless all items and indexes are as the new design writes them."""


class Progress:
    """How far a plan is carried out, kept in a file."""

    def __init__(self, plan: Plan, file: Path) -> None:
        self._plan = plan.id
        self._file = file
        self.done = 0
        if file.exists():
            try:
                kept = parse(file.read_bytes())
                whose, self.done = kept["plan"], range(len(plan.steps) + 1).index(kept["done"])
            except (LookupError, TypeError, ValueError):
                raise Drifted(f"{file} is no progress of a plan: remove the file") from None
            if whose != self._plan:
                raise Drifted(
                    f"{file} is the progress of another plan: finish that, or remove the file"
                )

    def advance(self) -> None:
        """Note that one more step is done; a stop before this does the step again."""
        self.done += 1
        unfinished = self._file.with_suffix(".new")
        with unfinished.open("w") as file:
            json.dump({"plan": self._plan, "done": self.done}, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self._file)


def apply(
    plan: Plan, work: Work, progress: Progress, *, released: Collection[str] = (), say: Say = print
) -> Step | None:
    """Carry out a plan from where it is. Gives the release that it waits for, None at the end.

    A release is passed when it is named in `released`: nobody else can know that code is deployed
    everywhere. Every step can be done twice, so a stop at any moment loses nothing.
    """
    before = plan.steps[progress.done - 1].form if progress.done else None
    for number, step in enumerate(plan.steps[progress.done :], start=progress.done + 1):
        if step.kind is Kind.RELEASE and step.name not in released:
            return step
        say(f"{number} of {len(plan.steps)}: {step.says}")
        _carry_out(step, before, work)
        progress.advance()
        before = step.form
    return None


def _carry_out(step: Step, before: TableForm | None, work: Work) -> None:
    if step.kind is Kind.TABLE:
        now = work.form
        if before is not None and now not in (before, step.form):
            raise Drifted(
                f"somebody else has changed the table: {difference(now, before)}. Make another "
                "plan from what it is now"
            )
        work.update(step.form)
    elif step.kind is Kind.BACKFILL:
        work.backfill()
    elif step.kind is Kind.VERIFY:
        work.verify()
