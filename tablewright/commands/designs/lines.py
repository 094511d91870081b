"""Lines of designs: where their classes, fields, indexes and patterns are declared."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tablewright.model.declaration import Entity, Table
from tablewright.model.patterns import Pattern


class Lines:
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


def shown(file: str | Path) -> str:
    """A file as it is told: by its path from here, if it is below."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(file)
