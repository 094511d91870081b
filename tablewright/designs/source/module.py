"""Python modules that declare designs: enumerations, parts, entities, tables, as in the guide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.source.fields import FieldSource
from tablewright.designs.source.layout import (
    Atom,
    Bracketed,
    Expression,
    Literal,
    call,
    comment,
    docstring,
    mapping,
    plain,
    quoted,
)
from tablewright.designs.source.names import Names, attribute_name, class_name
from tablewright.designs.source.tables import KeySource, TableSource
from tablewright.designs.source.values import Json
from tablewright.designs.source.writable import is_name, refuse_unwritable
from tablewright.model.declaration import hyphened

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
    examples: Mapping[str, Json] = {}
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
    try:
        for description, _ in designs:
            refuse_unwritable(description)
        return _Module(designs).text(says)
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise Indescribable(f"a description is not whole: {error!r}") from error


class _Declared(NamedTuple):
    """A design with the names that it has in its module."""

    description: Description
    beside: Beside
    table: str
    classes: Mapping[str, str]  # of entities, parts and enumerations
    indexes: Mapping[str, str]


class _Module:
    def __init__(self, designs: Sequence[tuple[Description, Beside]]) -> None:
        self._taken: set[str] = set()
        named = [(*one, self._free(_table_name(*one), "")) for one in designs]
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

    def _declared(self, description: Description, beside: Beside, table: str) -> _Declared:
        rooms = ("enums", "parts", "entities")
        wanted = [name for room in rooms for name in description.get(room, {})]
        classes = {
            name: self._free(name if _CLASS.fullmatch(name) else class_name(name), table)
            for name in wanted
        }
        patterns: Json = description["patterns"]
        indexes: dict[str, str] = {}
        for name in description["indexes"]:
            attribute = beside.indexes.get(name, "")
            attribute = attribute if is_name(attribute) else attribute_name(name)
            while attribute in patterns or attribute in indexes.values():
                attribute += "_index"
            indexes[name] = attribute
        return _Declared(description, beside, table, classes, indexes)

    def _blocks(self, one: _Declared) -> Iterator[list[str]]:
        fields = FieldSource(self._names, one.description, one.classes)
        for name, members in one.description.get("enums", {}).items():
            yield self._enum(one.classes[name], members)
        for name, part in one.description.get("parts", {}).items():
            head = call(f"class {one.classes[name]}", Atom(self._names.model("Part")))
            body = [line for own in part["fields"].items() for line in fields.lines(*own)]
            yield _class(head, part["describes"], body)
        for name in one.description["entities"]:
            yield self._entity(one, name, fields)
        yield from self._table(one)

    def _enum(self, name: str, members: Json) -> list[str]:
        body = [f"    {member} = {quoted(stored)}" for member, stored in members.items()]
        return [f"class {name}({self._names.use('enum', 'Enum')}):", *body]

    def _entity(self, one: _Declared, name: str, fields: FieldSource) -> list[str]:
        entity: Json = one.description["entities"][name]
        comments = one.beside.comments
        named = [("key", KeySource(self._names).key(entity["key"]))]
        if "expires" in entity:
            named.append(("expires", self._expiry(entity["expires"])))
        example = one.beside.examples.get(name)
        if example:
            values = fields.example(entity["fields"], example)
            named.append(("example", mapping((quoted(key), value) for key, value in values)))
        if one.classes[name] != name:
            named.append(("name", Literal(name)))
        head = call(f"class {one.classes[name]}", Atom(self._names.model("Entity")), named=named)
        body: list[str] = []
        for own, field in entity["fields"].items():
            body += comment(comments.get(f"{name}.{own}", ""), 4)
            body += fields.lines(own, field)
        for own, part in entity.get("computed", {}).items():
            body += self._computed(part).lines(f"{own} = ", "", 4)
        return [*comment(comments.get(name, ""), 0), *_class(head, entity["describes"], body)]

    def _expiry(self, expires: Json) -> Expression:
        spans = [(name, plain(expires[name])) for name in ("years", "days") if name in expires]
        return call(self._names.model("Expiry"), Literal(expires["field"]), named=spans)

    def _computed(self, part: Json) -> Expression:
        of = [Atom(name) for name in part["of"]]
        kind = self._names.model(part["kind"])
        if "function" not in part:
            return call(kind, *of)
        longest = [("max_length", plain(part["max_length"]))] if part["max_length"] != 64 else []
        return call(kind, Atom(self._names.path(part["function"])), *of, named=longest)

    def _table(self, one: _Declared) -> Iterator[list[str]]:
        description, comments = one.description, one.beside.comments
        source = TableSource(self._names, description, one.classes, one.indexes)
        patterns = {name: source.pattern(told) for name, told in description["patterns"].items()}
        named: list[tuple[str, Expression]] = [("pk", Literal(description["key"]["partition"]))]
        if "sort" in description["key"]:
            named.append(("sk", Literal(description["key"]["sort"])))
        named += [(name, Literal(description[name])) for name in _SETTINGS if name in description]
        epochs = description.get("epochs")
        if epochs:
            constant = self._free(f"_{epochs.upper()}", "_")
            yield patterns[epochs].lines(f"{constant} = ", "", 0)
            named.append(("epochs", Atom(constant)))
            patterns[epochs] = Atom(constant)
        if hyphened(one.table) != description["id"]:
            named.append(("id", Literal(description["id"])))
        body: list[str] = []
        for name, index in description["indexes"].items():
            body += comment(comments.get(name, ""), 4)
            body += source.index(name, index).lines(f"{one.indexes[name]} = ", "", 4)
        body += [""] if body and patterns else []
        for name, pattern in patterns.items():
            body += comment(comments.get(name, ""), 4)
            body += pattern.lines(f"{name} = ", "", 4)
        head = call(f"class {one.table}", Atom(self._names.model("Table")), named=named)
        yield _class(head, description["describes"], body)


def _class(head: Bracketed, describes: str, body: list[str]) -> list[str]:
    says = [*docstring(describes, 4), ""] if describes else []
    return [*head.lines("", ":", 0), *says, *(body or ["    pass"])]


def _table_name(description: Description, beside: Beside) -> str:
    return beside.table if beside.table and is_name(beside.table) else class_name(description["id"])


def _inner_names(one: _Declared) -> Iterator[str]:
    """The names that classes of the module have for their own attributes."""
    description: dict[str, Any] = one.description
    yield from one.indexes.values()
    yield from description["patterns"]
    for owner in (*description.get("parts", {}).values(), *description["entities"].values()):
        yield from owner["fields"]
        yield from owner.get("computed", {})
