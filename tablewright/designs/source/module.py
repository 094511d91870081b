"""Python modules that declare designs: enumerations, parts, entities, tables, as in the guide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from tablewright.designs.description.build import Built, build_parts
from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import is_name
from tablewright.designs.description.values import json_value
from tablewright.designs.source.expressions import Expressions
from tablewright.designs.source.layout import (
    Bracketed,
    Expression,
    Literal,
    call,
    comment,
    docstring,
    lines,
    quoted,
)
from tablewright.designs.source.names import Names, attribute_name, class_name
from tablewright.model.declaration import hyphened
from tablewright.model.fields.base import Field

_CLASS = re.compile(r"_?[A-Z]\w*", re.ASCII)
_SETTINGS = ("ttl", "tenant", "stream", "entity_type")


class Beside(NamedTuple):
    """What a module says beside what a design means.

    `table` is the name of the table's class, `indexes` the attributes of its indexes by their
    names; `examples` are records of its entities, as JSON; `comments` are by the name of an entity,
    an index or an access pattern, or by that of an entity and a field: ``Order.total``.
    """

    table: str | None = None
    indexes: Mapping[str, str] = {}
    examples: Mapping[str, Mapping[str, Any]] = {}
    comments: Mapping[str, str] = {}


def python_source(description: Description, beside: Beside | None = None) -> str:
    """The Python module that declares a design, as a person would write it.

    The design that it declares has the same description.

    Example::

        Path("orders.py").write_text(python_source(describe(Orders)))
    """
    return module_source([(description, beside or Beside())], description["describes"])


def module_source(designs: Sequence[tuple[Description, Beside]], says: str) -> str:
    """The Python module that declares several designs; `says` is its docstring."""
    built = [(*design, build_parts(design[0])) for design in designs]
    try:
        return _Module(built).text(says)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidDescription(f"an example does not fit its entity: {error!r}") from error


class _Declared(NamedTuple):
    """A design with the names that it has in its module."""

    description: Description
    beside: Beside
    built: Built
    table: str
    classes: Mapping[str, str]  # of entities, parts and enumerations
    indexes: Mapping[str, str]


class _Module:
    def __init__(self, designs: Sequence[tuple[Description, Beside, Built]]) -> None:
        self._taken: set[str] = set()
        named = [(*one, self._free(_table_name(*one[:2]), "")) for one in designs]
        self._designs = [self._declared(*one) for one in named]
        inner = {name for one in self._designs for name in _inner_names(one)}
        self._names = Names(self._taken | inner)

    def text(self, says: str) -> str:
        blocks = [block for one in self._designs for block in self._blocks(one)]
        head = [*docstring(says or "Tables.", 0), "", *self._names.lines()]
        return "\n\n\n".join("\n".join(block) for block in (head, *blocks)) + "\n"

    def _free(self, wanted: str, prefix: str) -> str:
        """This name, unless it is taken: then one that begins with the prefix."""
        found, number = wanted, 2
        if found in self._taken:
            found = prefix + wanted
        while found in self._taken:
            found, number = f"{prefix}{wanted}{number}", number + 1
        self._taken.add(found)
        return found

    def _declared(
        self, description: Description, beside: Beside, built: Built, table: str
    ) -> _Declared:
        classes = {
            name: self._free(name if _CLASS.fullmatch(name) else class_name(name), table)
            for name in built.classes
        }
        indexes: dict[str, str] = {}
        for name in built.indexes:
            attribute = beside.indexes.get(name, "")
            attribute = attribute if is_name(attribute) else attribute_name(name)
            while attribute in built.patterns or attribute in indexes.values():
                attribute += "_index"
            indexes[name] = attribute
        return _Declared(description, beside, built, table, classes, indexes)

    def _blocks(self, one: _Declared) -> Iterator[list[str]]:
        source = Expressions(self._names, one.built, one.classes, one.indexes)
        for name, kind in one.built.classes.items():
            if issubclass(kind, Enum):
                yield self._enum(one.classes[name], kind)
            else:
                yield self._members(one, source, name)
        yield from self._table(one, source)

    def _enum(self, name: str, kind: type[Enum]) -> list[str]:
        body = [f"    {member.name} = {quoted(member.value)}" for member in kind]
        return [f"class {name}({self._names.use('enum', 'Enum')}):", *body]

    def _members(self, one: _Declared, source: Expressions, name: str) -> list[str]:
        comments, called = one.beside.comments, one.classes[name]
        is_entity = name in one.description["entities"]
        body: list[str] = []
        for attribute, member in one.built.members[name].items():
            body += comment(comments.get(f"{name}.{attribute}", ""), 4)
            body += lines(
                source.definition(member, called),
                f"{attribute}{self._annotation(source, member)} = ",
                "",
                4,
            )
        base = self._names.model("Entity" if is_entity else "Part")
        named = self._settings(one, source, name) if is_entity else []
        room = one.description["entities" if is_entity else "parts"]
        head = call(f"class {called}", base, named=named)
        block = _class(head, room[name]["describes"], body)
        return [*comment(comments.get(name, ""), 0), *block]

    def _annotation(self, source: Expressions, member: Any) -> str:
        if not isinstance(member, Field):
            return ""
        missing = " | None" if member.can_be_missing else ""
        return f": {self._names.model('Field')}[{source.annotation(member)}{missing}]"

    def _settings(
        self, one: _Declared, source: Expressions, name: str
    ) -> list[tuple[str, Expression]]:
        options = one.built.calls[id(one.built.classes[name])].options
        named = [(key, source.value(value)) for key, value in options.items() if value is not None]
        example = one.beside.examples.get(name)
        if example:
            fields = one.built.members[name]
            values = {key: json_value(fields[key], value) for key, value in example.items()}
            named.append(("example", source.value(values)))
        if one.classes[name] != name:
            named.append(("name", Literal(name)))
        return named

    def _table(self, one: _Declared, source: Expressions) -> Iterator[list[str]]:
        description, comments, patterns = one.description, one.beside.comments, one.built.patterns
        key = description["key"]
        named: list[tuple[str, Expression]] = [("pk", Literal(key["partition"]))]
        named += [("sk", Literal(key["sort"]))] if "sort" in key else []
        named += [(name, Literal(description[name])) for name in _SETTINGS if name in description]
        epochs = description.get("epochs")
        constant = self._free(f"_{epochs.upper()}", "_") if epochs else ""
        if epochs:
            yield lines(source.definition(patterns[epochs]), f"{constant} = ", "", 0)
            named.append(("epochs", constant))
        if hyphened(one.table) != description["id"]:
            named.append(("id", Literal(description["id"])))
        body: list[str] = []
        for name, index in one.built.indexes.items():
            attribute = one.indexes[name]
            body += comment(comments.get(name, ""), 4)
            made = source.definition(index, skipped=int(attribute == name))
            body += lines(made, f"{attribute} = ", "", 4)
        body += [""] if body and patterns else []
        for name, pattern in patterns.items():
            body += comment(comments.get(name, ""), 4)
            same = constant if name == epochs else source.definition(pattern)
            body += lines(same, f"{name} = ", "", 4)
        head = call(f"class {one.table}", self._names.model("Table"), named=named)
        yield _class(head, description["describes"], body)


def _class(head: Bracketed, describes: str, body: list[str]) -> list[str]:
    says = [*docstring(describes, 4), ""] if describes else []
    return [*lines(head, "", ":", 0), *says, *(body or ["    pass"])]


def _table_name(description: Description, beside: Beside) -> str:
    return beside.table if beside.table and is_name(beside.table) else class_name(description["id"])


def _inner_names(one: _Declared) -> Iterator[str]:
    """The names that classes of the module have for their own attributes."""
    yield from one.indexes.values()
    yield from one.built.patterns
    for members in one.built.members.values():
        yield from members
