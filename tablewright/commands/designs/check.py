"""Check designs: what is wrong with them, what is worth a second look, and what a change asks.

    tablewright check shop.orders:Orders
    tablewright check                      # those that [tool.tablewright] in pyproject.toml names
    tablewright check --against origin/main
    tablewright check --against locks/     # a folder of lock files, or one of them
    tablewright check --against stage:prod # the tables that [tool.tablewright.stages] names
    tablewright check shop.orders:Orders --against table:dev-orders --region eu-west-1

With --against, the verdict of each design says how to release the change: compatible, readers
first, writers first, migrate or new table. Every finding has a record as an example. --was names
the old entity or field of a renamed one. For a change in place, the price of its steps is for as
many items as --items and --bytes say, or as the table has. Ends with 1 if a design has an error,
with `--strict` also if there are warnings, and if a change is not compatible and not planned; with
2 if there is nothing to compare with. A plan must have steps, and lead to a change in place.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tablewright.changes.compatibility.verdict import Outcome
from tablewright.commands.changes.renames import add_was, renames_of
from tablewright.commands.designs.before import NothingBefore
from tablewright.commands.designs.changes import Change, Changes, changes
from tablewright.commands.designs.lines import Lines, shown
from tablewright.commands.named import add_account, add_designs, named_designs
from tablewright.commands.numbers import whole
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.node import printable
from tablewright.model.declaration import Table
from tablewright.model.validation.design import validate
from tablewright.model.validation.warnings import warnings

_KINDS = _ERROR, _WARNING = "error", "warning"
_RED, _YELLOW = 31, 33  # as terminals number them
_COLOURS: dict[str, int] = {_ERROR: _RED, Outcome.MIGRATE: _RED, Outcome.NEW_TABLE: _RED}


class Finding(NamedTuple):
    """Something about a design, and where it stands."""

    design: str
    file: str
    line: int
    kind: str
    says: str


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    options.was = renames_of(parser, options)
    designs = named_designs(parser, options.designs)
    found = [one for table in designs for one in findings(table)]
    changed = Changes([], {}, [], [], [])
    try:
        if options.against:
            # What is wrong has no meaning yet that could be compared.
            changed = changes([one for one in designs if not validate(one)], options)
    except (Indescribable, NothingBefore) as error:
        parser.error(printable(str(error)))
    told: list[Finding | Change] = [*found, *changed.found]
    if options.json:
        print(json.dumps([one._asdict() for one in told], indent=2))
    else:
        for one in told:
            says = printable(f"{one.design}: {one.says}")
            print(f"{one.file}:{one.line}: {_kind(one)}: {says}")
        counts = [_many(sum(one.kind == kind for one in found), kind) for kind in _KINDS]
        print(f"{_many(len(designs), 'design')}: {', '.join(counts)}", file=sys.stderr)
        if options.against:
            print("\n".join(changed.summary(options.against)), file=sys.stderr)
    failing = _KINDS if options.strict else (_ERROR,)
    wrong = any(one.kind in failing for one in found)
    return 1 if wrong or changed.are_open else 0


def findings(table: type[Table]) -> Iterator[Finding]:
    """Everything there is to say of a design, at the lines that it is about."""
    problems = validate(table)
    # What is wrong comes first: a warning may be of what will be gone.
    kind, sentences = (_ERROR, problems) if problems else (_WARNING, warnings(table))
    lines = Lines(table)
    for says in sentences:
        file, line = lines.about(says)
        yield Finding(table.__name__, shown(file), line, kind, says)


def _kind(finding: Finding | Change) -> str:
    """The kind of a finding, in colour where somebody looks at it."""
    planned = " (planned)" if isinstance(finding, Change) and finding.planned else ""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return f"{finding.kind}{planned}"
    return f"\033[{_COLOURS.get(finding.kind, _YELLOW)}m{finding.kind}\033[0m{planned}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright check",
        description="Say what is wrong with designs, what is worth a second look, and what a "
        "change asks of stored items.",
        epilog="For example: tablewright check shop.orders:Orders --against origin/main",
    )
    add_designs(parser)
    parser.add_argument("--strict", action="store_true", help="fail for warnings, too")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    before = parser.add_argument_group("what changed")
    before.add_argument(
        "--against",
        metavar="FILE|REV|stage:NAME|table:NAME",
        help="a lock file or a folder of them, a git revision, or a deployed table: of a stage in "
        "[tool.tablewright.stages], or by its name",
    )
    add_was(parser)
    before.add_argument(
        "--plan", type=Path, metavar="FILE", help="by default ID.plan.json beside the lock"
    )
    before.add_argument("--items", type=whole(), help="of the table, for the price (a million)")
    before.add_argument("--bytes", type=whole(), help="of all items (1 KB each)")
    add_account(before)
    return parser
