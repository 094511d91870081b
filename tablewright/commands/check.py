"""Check designs: everything that is wrong with them, and what is worth a second look.

    tablewright check shop.orders:Orders
    tablewright check                      # those that [tool.tablewright] in pyproject.toml names

Ends with 1 if a design has an error, with `--strict` also if there are warnings.
"""

import argparse
import ast
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tablewright.commands.named import table_design
from tablewright.model.declaration import Entity, Table
from tablewright.model.patterns import Pattern
from tablewright.model.validation.design import validate
from tablewright.model.validation.warnings import warnings

_KINDS = _ERROR, _WARNING = "error", "warning"


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
    designs = options.designs or list(_declared(parser))
    found = [one for table in designs for one in findings(table)]
    if options.json:
        print(json.dumps([one._asdict() for one in found], indent=2))
    else:
        for one in found:
            print(f"{one.file}:{one.line}: {one.kind}: {one.design}: {one.says}")
        counts = [_many(sum(one.kind == kind for one in found), kind) for kind in _KINDS]
        print(f"{_many(len(designs), 'design')}: {', '.join(counts)}", file=sys.stderr)
    failing = _KINDS if options.strict else (_ERROR,)
    return 1 if any(one.kind in failing for one in found) else 0


def findings(table: type[Table]) -> Iterator[Finding]:
    """Everything there is to say of a design, at the lines that it is about."""
    problems = validate(table)
    # What is wrong comes first: a warning may be of what will be gone.
    kind, sentences = (_ERROR, problems) if problems else (_WARNING, warnings(table))
    lines = _Lines(table)
    for says in sentences:
        file, line = lines.about(says)
        yield Finding(table.__name__, _shown(file), line, kind, says)


class _Lines:
    """Where the classes of a design, their fields, indexes and patterns are declared."""

    def __init__(self, table: type[Table]) -> None:
        self._table = _place(table)
        self._places: dict[str, tuple[str, int]] = {}
        patterns = (one for one in vars(table).values() if isinstance(one, Pattern))
        entities = dict.fromkeys(kind for one in patterns for kind in one.kinds)
        self._note(table)
        for kind in entities:
            self._note(kind)

    def about(self, sentence: str) -> tuple[str, int]:
        """Where the first thing is declared that a sentence names; the table if it names none."""
        for word in re.findall(r"[A-Za-z_]\w*(?:\.\w+)?", sentence):
            if word in self._places:
                return self._places[word]
        return self._table

    def _note(self, kind: type[Table] | type[Entity]) -> None:
        file, line = _place(kind)
        self._places.setdefault(kind.__name__, (file, line))
        for name, own in _assigned(kind):
            place = (file, line + own - 1)
            # A field by its entity, since others may have one of that name.
            named = f"{kind.__name__}.{name}" if issubclass(kind, Entity) else name
            self._places.setdefault(named, place)
            value = vars(kind).get(name)
            self._places.setdefault(str(getattr(value, "name", named)), place)


def _place(kind: type) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(kind) or "?", inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):  # made by a program
        return "?", 0


def _assigned(kind: type) -> Iterator[tuple[str, int]]:
    """The names that a class's body gives values to, with their lines in it."""
    try:
        (made,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    for statement in getattr(made, "body", ()):
        targets: Iterable[ast.expr] = ()
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = (statement.target,)
        yield from ((one.id, statement.lineno) for one in targets if isinstance(one, ast.Name))


def _shown(file: str) -> str:
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _declared(parser: argparse.ArgumentParser) -> Iterator[type[Table]]:
    file = Path("pyproject.toml")
    try:
        settings = tomllib.loads(file.read_text())
    except FileNotFoundError:
        settings = {}
    except tomllib.TOMLDecodeError as error:
        parser.error(f"{file} cannot be read: {error}")
    places = settings.get("tool", {}).get("tablewright", {}).get("designs", [])
    if not places:
        parser.error(
            "name a design, as in shop.orders:Orders, or list them in pyproject.toml: "
            '[tool.tablewright] designs = ["shop.orders:Orders"]'
        )
    for place in places:
        try:
            yield table_design(place)
        except argparse.ArgumentTypeError as error:
            parser.error(f"{file}: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright check",
        description="Say what is wrong with designs, and what is worth a second look.",
        epilog="For example: tablewright check shop.orders:Orders",
    )
    parser.add_argument(
        "designs", nargs="*", type=table_design, metavar="DESIGN", help="as package.module:Name"
    )
    parser.add_argument("--strict", action="store_true", help="fail for warnings, too")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
