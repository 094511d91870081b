"""Changes of designs: each finding at its line, with the outcome of its verdict."""

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tablewright.changes.compatibility.findings import NOTES, Finding, remedy
from tablewright.changes.compatibility.verdict import Outcome
from tablewright.commands.designs.before import Compared, compared
from tablewright.commands.designs.lines import Lines, shown
from tablewright.commands.designs.price import price_of
from tablewright.model.declaration import Table

# Outcomes that steps in place lead to. A plan makes the check pass for these alone.
_SAME, _NOTE = "no difference", "note"
_IN_PLACE = (Outcome.READERS_FIRST, Outcome.WRITERS_FIRST)


class Change(NamedTuple):
    """A finding about a changed design, or a note, and the place that it is about."""

    design: str
    file: str
    line: int
    kind: str
    says: str
    code: str
    subject: str
    example: str
    planned: bool


class Changes(NamedTuple):
    """Findings, outcomes by design, designs that did not exist before, and prices."""

    found: list[Change]
    outcomes: dict[str, str]
    planned: list[str]
    new: list[str]
    prices: list[str]

    @property
    def are_open(self) -> bool:
        """True if a design is not compatible, and no plan leads to it."""
        return any(
            outcome not in (_SAME, Outcome.COMPATIBLE) and name not in self.planned
            for name, outcome in self.outcomes.items()
        )

    def summary(self, against: str) -> Iterator[str]:
        """The outcome of each design, and the next command."""
        for name, outcome in self.outcomes.items():
            planned = " (planned)" if name in self.planned else ""
            yield f"{name} against {against}: {outcome}{planned}"
        for name in self.new:
            yield f"{name} is new"
        yield from self.prices
        if self.are_open:
            yield "docs/changes.md says what each outcome asks for"


def changes(designs: Sequence[type[Table]], options: argparse.Namespace) -> Changes:
    """Compare designs with the ones that `--against` names; raises NothingBefore."""
    pairs = [(table, compared(table, options, alone=len(designs) == 1)) for table in designs]
    old = [(table, beside) for table, beside in pairs if not beside.is_new]
    return Changes(
        [change for table, beside in old for change in _changes(table, beside)],
        {
            table.__name__: beside.verdict.outcome if beside.is_changed else _SAME
            for table, beside in old
        },
        [table.__name__ for table, beside in old if _is_planned(beside)],
        [table.__name__ for table, beside in pairs if beside.is_new],
        [price for table, beside in old if (price := price_of(table, beside, options))],
    )


def _is_planned(beside: Compared) -> bool:
    return beside.planned and beside.verdict.outcome in _IN_PLACE


def _changes(table: type[Table], beside: Compared) -> Iterator[Change]:
    lines = Lines(table)
    for one in (*beside.verdict.findings, *beside.verdict.notes):
        file, line = lines.about(_place(one))
        yield Change(
            table.__name__,
            shown(file),
            line,
            _NOTE if one.code in NOTES else beside.verdict.outcome,
            f"{one} {remedy(one.code)}",
            one.code,
            one.subject,
            one.example,
            _is_planned(beside),
        )


def _place(finding: Finding) -> str:
    """Words to find the line of a finding by: its subject, or the entity of that."""
    kind, _, name = finding.subject.rpartition(" ")
    subject = name if kind in ("index", "query", "scan") else finding.subject
    return f"{subject} {subject.partition('.')[0]}"
