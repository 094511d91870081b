"""Verdicts: how a change of a design must be released on a table that has items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tablewright.changes.compatibility.findings import Finding

__all__ = ["Finding", "Outcome", "Verdict"]


class Outcome(StrEnum):
    """The way to release a change, the most demanding last."""

    COMPATIBLE = "compatible"
    """Old and new code can run together, in any order."""
    READERS_FIRST = "readers first"
    """Release code that reads the new design before code that writes it."""
    WRITERS_FIRST = "writers first"
    """Release writers, add attributes to the existing items, then release readers."""
    MIGRATE = "migrate"
    """Copy the items to another table, through a mapping of records."""
    NEW_TABLE = "new table"
    """Copy the items, because the key of the table or the keys of items change."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a comparison, and the findings that it follows from.

    `new_reads_old` has what new code gets wrong about stored items, `old_reads_new` the reverse,
    `indexes` what the indexes lack, `keys` the items whose keys collide or change hands,
    `unmapped` the values without an exact counterpart, `not_examined` the entities for which no
    record can be made. `notes` do not change the outcome.
    """

    outcome: Outcome
    new_reads_old: tuple[Finding, ...] = ()
    old_reads_new: tuple[Finding, ...] = ()
    indexes: tuple[Finding, ...] = ()
    keys: tuple[Finding, ...] = ()
    unmapped: tuple[Finding, ...] = ()
    not_examined: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def findings(self) -> Iterator[Finding]:
        """Every finding that counts for the outcome, in the order of the fields."""
        for group in (self.new_reads_old, self.old_reads_new, self.indexes, self.keys):
            yield from group
        yield from (*self.unmapped, *self.not_examined)

    def __str__(self) -> str:
        return "\n".join([str(self.outcome), *map(str, self.findings)])
