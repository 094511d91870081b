"""Expressions of a generated module: the calls that make a design, and literals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from inspect import signature
from typing import Any

from tablewright import model
from tablewright.designs.description.build import Built
from tablewright.designs.source.layout import (
    Bracketed,
    Expression,
    call,
    listed,
    mapping,
    plain,
    quoted,
)
from tablewright.designs.source.names import Names
from tablewright.model.declaration import Part
from tablewright.model.fields.base import Field

_QUOTE = b'"'
# Modules of the types that annotations of fields have.
_HOMES = {
    **dict.fromkeys(("date", "datetime"), "datetime"),
    **dict.fromkeys(("Mapping", "Sequence"), "collections.abc"),
    "Any": "typing",
    "Decimal": "decimal",
}


class Expressions:
    """Expressions of a design, whose classes and index attributes have these names."""

    def __init__(
        self, names: Names, built: Built, classes: Mapping[str, str], indexes: Mapping[str, str]
    ) -> None:
        self._names = names
        self._calls = built.calls
        self._paths = built.paths
        self._classes = {id(kind): classes[name] for name, kind in built.classes.items()}
        self._homes = {
            id(field): (classes[home], name)
            for home, members in built.members.items()
            for name, field in members.items()
        }
        self._indexes = {id(index): indexes[name] for name, index in built.indexes.items()}

    def annotation(self, field: Field[Any]) -> str:
        """The type of a field's values, from the specifier that it is declared with."""
        part = self._calls[id(field)]
        first = part.arguments[0] if part.arguments else None
        specifier = getattr(model, part.path.partition(":")[2], None)
        if specifier is model.Choice:
            return self._type(self._classes.get(id(first), "str"))
        returned = str(signature(specifier).return_annotation) if specifier else ""
        match = re.search(r"Field\[(.*) \| D\]", returned)

        def word(match: re.Match[str]) -> str:
            if match[0] == "V":
                return self.annotation(first) if isinstance(first, Field) else "V"
            return self._classes[id(first)] if match[0] == "P" else self._type(match[0])

        return re.sub(r"\w+", word, match[1].replace("dt.", "") if match else "Any")

    def _type(self, name: str) -> str:
        names = {*self._classes.values()}
        return name if name in names else self._names.use(_HOMES.get(name, "builtins"), name)

    def definition(self, part: Any, home: str = "", *, skipped: int = 0) -> Bracketed:
        """The call that makes a part of the design, in the body of a class."""
        path, arguments, options = self._calls[id(part)]
        function = self._names.path(path)
        if isinstance(part, model.BatchWrite) and len(arguments) > 1:
            function += f"[{' | '.join(self._classes[id(entry)] for entry in arguments)}]"
        first = [
            # An empty text is the stored name of a field that stands in keys alone.
            self._names.model("IN_KEY")
            if type(entry) is str and not entry
            else self.value(entry, home)
            for entry in arguments[skipped:]
        ]
        named = [
            (name, self._names.model(entry))
            if name == "projects" and isinstance(entry, str)
            else (name, self.value(entry, home))
            for name, entry in options.items()
        ]
        return call(function, *first, named=named)

    def value(self, value: Any, home: str = "") -> Expression:
        """A reference to a part of the design, the call that makes it, or a literal."""
        if id(value) in self._homes:
            owner, name = self._homes[id(value)]
            return name if owner == home else f"{owner}.{name}"
        for names in (self._classes, self._indexes):
            if id(value) in names:
                return names[id(value)]
        if id(value) in self._paths:
            return self._names.path(self._paths[id(value)])
        if id(value) in self._calls:
            return self.definition(value, home)
        if isinstance(value, Enum):
            return f"{self._classes[id(type(value))]}.{value.name}"
        if isinstance(value, Part):
            return call(
                self._classes[id(type(value))],
                named=((name, self.value(entry)) for name, entry in value.items()),
            )
        return self._literal(value, home)

    def _literal(self, value: Any, home: str) -> Expression:
        if isinstance(value, tuple):
            return listed((self.value(entry, home) for entry in value), "()")
        if isinstance(value, list):
            return listed((self.value(entry) for entry in value), "[]")
        if isinstance(value, set):
            part = [self.value(entry) for entry in sorted(value, key=str)]
            return listed(part, "{}") if part else call(self._names.use("builtins", "set"))
        if isinstance(value, Mapping):
            return mapping((self._key(name), self.value(entry)) for name, entry in value.items())
        if isinstance(value, Decimal):
            text = str(value)
            return call(self._decimal, text if text.isdecimal() else quoted(text))
        if isinstance(value, datetime):
            return self._moment(value)
        if isinstance(value, date):
            return self._call("datetime", "date", value.year, value.month, value.day)
        if isinstance(value, bytes):
            # repr takes single quotes, which become double ones where none is within.
            return repr(value) if b'"' in value else f'b"{repr(value + _QUOTE)[2:-2]}"'
        return repr(value) if value is None else plain(value)

    @property
    def _decimal(self) -> str:
        return self._names.use("decimal", "Decimal")

    def _key(self, key: Any) -> str:
        return self._classes[id(key)] if isinstance(key, type) else quoted(key)

    def _moment(self, moment: datetime) -> Expression:
        parts = [*moment.timetuple()[:6], moment.microsecond]
        while len(parts) > 3 and not parts[-1]:
            parts.pop()
        zone = f"tzinfo={self._names.use('datetime', 'UTC')}"
        return self._call("datetime", "datetime", *parts, zone)

    def _call(self, module: str, name: str, *arguments: object) -> Expression:
        return f"{self._names.use(module, name)}({', '.join(map(str, arguments))})"
