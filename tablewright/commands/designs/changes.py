"""Changes of designs as findings: each difference at its line, with its consequence."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tablewright.changes.comparison.difference import Consequence, Difference
from tablewright.commands.designs.before import Compared, compared
from tablewright.commands.designs.lines import Lines, shown
from tablewright.commands.designs.price import price_of
from tablewright.model.declaration import Table


class Change(NamedTuple):
    """A difference of a design and what it is compared with, and where it stands."""

    design: str
    file: str
    line: int
    kind: Consequence
    says: str
    rule: str
    subject: str
    reason: str
    planned: bool

    @property
    def is_open(self) -> bool:
        """Whether something is to be done that nobody has planned."""
        return self.kind is not Consequence.SAFE and not self.planned


class Changes(NamedTuple):
    """What changed in designs, and the price of it; those in `new` were not there before."""

    found: list[Change]
    new: list[str]
    prices: list[str]

    def summary(self, against: str) -> Iterator[str]:
        """How many there are of each class, and what to do about them."""
        counts = Counter((one.kind, one.planned) for one in self.found)
        told = [
            f"{counts[kind, planned]} {kind}{' (planned)' if planned else ''}"
            for kind in Consequence
            for planned in (False, True)
            if counts[kind, planned]
        ]
        yield f"against {against}: {', '.join(told) or 'no difference'}"
        for name in self.new:
            yield f"{name} was not there before"
        yield from self.prices
        if any(one.is_open for one in self.found):
            yield "`tablewright plan` orders the steps of what is not safe, and prices each"


def changes(designs: Sequence[type[Table]], options: argparse.Namespace) -> Changes:
    """What differs between designs and what `--against` names; raises NothingBefore."""
    found = [(one, compared(one, options, alone=len(designs) == 1)) for one in designs]
    told = [change for table, one in found for change in _told(table, one)]
    prices = [price for table, one in found if (price := price_of(table, one, options))]
    return Changes(told, [table.__name__ for table, one in found if one.is_new], prices)


def _told(table: type[Table], beside: Compared) -> Iterator[Change]:
    lines = Lines(table)
    for one in beside.differences:
        file, line = lines.about(_place(one))
        planned = beside.planned and one.consequence is not Consequence.SAFE
        yield Change(
            table.__name__,
            shown(file),
            line,
            one.consequence,
            f"{one.rule}: {one.subject}: {one.says}. {one.reason}",
            one.rule,
            one.subject,
            one.reason,
            planned,
        )


def _place(difference: Difference) -> str:
    """Words to find the line of a difference by: what it is about or, where that is gone, its
    entity."""
    kind, _, name = difference.subject.rpartition(" ")
    subject = name if kind in ("index", "pattern") else difference.subject
    return f"{subject} {subject.partition('.')[0]}"
