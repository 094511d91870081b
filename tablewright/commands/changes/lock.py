"""Lock designs: write the meaning of each to a file beside it, which changes are compared with.

    tablewright lock shop.orders:Orders
    tablewright lock --check               # those that [tool.tablewright] in pyproject.toml names

Keep lock files in version control: `tablewright check --against` tells what a change of a design
asks of the items that are stored. Ends with 1 if, with --check, a lock is not what its design says.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tablewright.changes.lock_file import InvalidLock, lock_file, read_lock
from tablewright.commands.designs.export import json_lines
from tablewright.commands.designs.lines import shown
from tablewright.commands.named import add_designs, named_designs
from tablewright.designs.description.design import Description, describe
from tablewright.designs.description.errors import Indescribable
from tablewright.model.declaration import Table
from tablewright.model.validation.design import validate

_WRITTEN, _SAME, _STALE, _MISSING = "written", "unchanged", "stale", "missing"
_SAYS = {
    _WRITTEN: "wrote {file}",
    _SAME: "{file} is what {design} says",
    _STALE: "{file} is not what {design} says any more: `tablewright lock` writes it anew",
    _MISSING: "{file} is not there: `tablewright lock` writes it",
}


class _Locked(NamedTuple):
    """What became of a design's lock."""

    design: str
    file: str
    state: str


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        found = _locked(named_designs(parser, options.designs), options)
    except (Indescribable, OSError, ValueError) as error:
        parser.error(str(error))
    failed = [one for one in found if one.state in (_STALE, _MISSING)]
    if options.json:
        print(json.dumps([one._asdict() for one in found], indent=2))
    else:
        for one in found:
            place = sys.stderr if one in failed else sys.stdout
            print(_SAYS[one.state].format(file=one.file, design=one.design), file=place)
    return 1 if failed else 0


def _locked(designs: Sequence[type[Table]], options: argparse.Namespace) -> list[_Locked]:
    # All are described before the first is written.
    described: dict[Path, tuple[type[Table], Description]] = {}
    for table in designs:
        if problems := validate(table):
            raise ValueError(f"{table.__name__}: {problems[0]}: `tablewright check` says it all")
        file = lock_file(table, options.folder)
        if file in described:
            other = described[file][0].__name__
            raise ValueError(
                f"{other} and {table.__name__} have the same lock, {shown(file)}: give one of them "
                "another id"
            )
        described[file] = table, describe(table)
    return [
        _Locked(table.__name__, shown(file), _state(file, says, check=options.check))
        for file, (table, says) in described.items()
    ]


def _state(file: Path, description: Description, *, check: bool) -> str:
    if file.exists() and _read(file) == [description]:
        return _SAME
    if check:
        return _STALE if file.exists() else _MISSING
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json_lines(description), encoding="utf-8")
    return _WRITTEN


def _read(file: Path) -> list[Description]:
    try:
        return read_lock(file)
    except InvalidLock:
        return []  # it is written anew


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright lock",
        description="Write the meaning of designs to lock files, which changes are compared with.",
        epilog="For example: tablewright lock shop.orders:Orders --check",
    )
    add_designs(parser)
    parser.add_argument(
        "--folder", type=Path, help="where locks are; by default next to each design's module"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and fail if a lock is stale"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
