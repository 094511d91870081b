"""Cut-over: makes the other table the active one, and back, without losing a write.

1. Settle what is left, and compare the tables while programs write.
2. Close: the pointer refuses all writes. Wait until no write that began before can arrive.
3. Read the stream to its end, and compare the tables again. If they differ, open again.
4. Exchange the roles of the tables in the state, and then point to the other one.

A run that was stopped at any moment is repeated, or undone by `reopen`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from tablewright.changes.copying.copier import CopyRefused, TableCopier
from tablewright.changes.copying.pointer import CLOSING, OLD, PointerState, TablePointer
from tablewright.changes.copying.verification import (
    EXTRA,
    REFUSED,
    CopyComparison,
    CopyVerification,
)
from tablewright.model.errors import TablewrightError


class TablesDiffer(TablewrightError):
    """The tables were compared, and differ: the active one stays as it is."""

    def __init__(self, comparison: CopyComparison) -> None:
        self.comparison = comparison
        super().__init__("\n".join(comparison.lines()))


class CutOver:
    """Moves the pointer of a migration from one table to the other.

    `verification` makes a comparison in the direction of the copy.
    """

    def __init__(
        self,
        copier: TableCopier,
        pointer: TablePointer,
        verification: Callable[[], CopyVerification],
        *,
        say: Callable[[str], object] = print,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._copier, self._pointer, self._verification = copier, pointer, verification
        self._say, self._sleep = say, sleep or time.sleep

    def prepare(self, times: PointerState) -> None:
        """Begin or resume the copy, and make the pointer if there is none."""
        pointer = self._pointer.read()
        if pointer is None and self._copier.values:
            raise CopyRefused("the pointer of the migration was deleted: restore it first")
        self._copier.require_tables()
        if pointer is None:
            # Before the state: a kill in between leaves a pointer to the old table.
            self._pointer.move(None, times)
        self._copier.begin()
        self._require_agreement(pointer)

    def run(self, to: str) -> None:
        """Make `to` the active version; raises TablesDiffer, and leaves the other one active."""
        pointer = self._pointer.read()
        if pointer is None:
            raise CopyRefused("the copy was not begun: `tablewright migration run` begins it")
        self._require_agreement(pointer)
        if self._copier.values["active"] != to:
            if pointer.active != CLOSING:
                self._settle()
            pointer = self._close(pointer, to)
        if pointer.active != to:
            self._pointer.move(pointer, pointer._replace(active=to))
        self._say(f"the {to} table is active")

    def reopen(self) -> bool:
        """Undo a cut-over that did not end; False if none is under way."""
        pointer = self._pointer.read()
        if pointer is None or pointer.active != CLOSING:
            return False
        active = self._copier.values["active"]
        self._pointer.move(pointer, pointer._replace(active=active))
        self._say(f"the {active} table is active again")
        return True

    def _require_agreement(self, pointer: PointerState | None) -> None:
        active = self._copier.values["active"]
        if pointer and pointer.active not in (active, CLOSING):
            raise CopyRefused(f"the pointer says {pointer.active}, and the state {active}")

    def _settle(self) -> None:
        """Copy what a comparison says is missing, so that closing succeeds and is short.

        Programs go on writing. So only items that cannot be copied stop the cut-over here: what
        they have written meanwhile is compared when the tables are closed. Before the cut-over the
        copy alone writes the new table, and what has no source there is removed. Whatever the old
        table has of its own afterwards is left, named, and stops the way back.
        """
        self._copier.run()
        comparison = self._verification().run()
        if self._copier.values["active"] == OLD:
            for one in comparison.differences:
                if one.kind == EXTRA:
                    self._copier.remove_orphan(one.key)
                else:
                    self._copier.settle(one.key)
        self._copier.run()
        lasting = [one for one in comparison.differences if one.kind == REFUSED]
        if lasting or self._copier.refused:
            raise TablesDiffer(comparison)

    def _close(self, pointer: PointerState, to: str) -> PointerState:
        # Of this run: one that lost its lease can neither open the tables nor point to another.
        closing = pointer._replace(active=CLOSING, run=os.urandom(8).hex())
        self._pointer.move(pointer, closing)
        wait = pointer.max_age + pointer.longest_call
        self._say(f"writes are refused; waiting {wait:g} seconds for those that are under way")
        self._sleep(wait)
        try:
            self._copier.run()
            comparison = self._verification().run()
            self._say("\n".join(comparison.lines()))
            if comparison.differences:
                raise TablesDiffer(comparison)
        except TablewrightError:
            self._pointer.move(closing, closing._replace(active=self._copier.values["active"]))
            raise
        # The roles first: a copier that is run now must not write to the table that becomes active.
        self._copier.values["active"] = to
        self._copier.restart(scanned=True)
        return closing
