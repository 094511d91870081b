"""Values as Python writes them: defaults and examples, from their JSON."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from tablewright.designs.source.layout import (
    Atom,
    Expression,
    Literal,
    call,
    listed,
    mapping,
    quoted,
    sequence,
)
from tablewright.designs.source.names import Names
from tablewright.runtime.store.attribute_values import decode

Json = Mapping[str, Any]


class ValueSource:
    """Values of the fields of one design, whose parts and enumerations have these classes."""

    def __init__(self, names: Names, description: Json, classes: Mapping[str, str]) -> None:
        self._names = names
        self._parts: Json = description.get("parts", {})
        self._enums: Json = description.get("enums", {})
        self._classes = classes

    def value(self, field: Json, value: Any) -> Expression:
        """The value of a field."""
        kind: str = field["kind"]
        if value is None:
            return Atom("None")
        if kind == "PartOf":
            members = self._parts[field["of"]]["fields"]
            given = ((name, self.value(members[name], one)) for name, one in value.items())
            return call(self._classes[field["of"]], named=given)
        if kind == "ListOf":
            return sequence(self.value(field["of"], one) for one in value)
        if kind == "SetOf":
            elements = [self.value(field["of"], one) for one in value]
            return listed(elements, "{}") if elements else call(self._names.use("builtins", "set"))
        if "enum" in field:
            members = self._enums[field["enum"]]
            member = next(name for name, stored in members.items() if stored == value)
            return Atom(f"{self._classes[field['enum']]}.{member}")
        return self._plain(kind, value)

    def _plain(self, kind: str, value: Any) -> Expression:
        if kind == "Tally":
            counts = ((quoted(name), self._decimal(one)) for name, one in value.items())
            return mapping(counts)
        if kind in ("Document", "EpochList"):
            return self._any(decode(value))
        if kind in ("Number", "Money", "Fraction"):
            return self._decimal(value)
        if kind in ("Timestamp", "EpochTimestamp"):
            return self._moment(datetime.fromisoformat(value))
        if kind == "Date":
            day = date.fromisoformat(value)
            return self._call("datetime", "date", day.year, day.month, day.day)
        if kind == "Binary":
            return self._any(b64decode(value))
        return self._any(value)

    def _any(self, value: Any) -> Expression:
        if isinstance(value, str):
            return Literal(value)
        if isinstance(value, Decimal):
            return self._decimal(str(value))
        if isinstance(value, Mapping):
            return mapping((quoted(name), self._any(one)) for name, one in value.items())
        if isinstance(value, list):
            return listed(self._any(one) for one in value)
        if isinstance(value, bytes):
            return Atom(f"b{quoted(repr(value)[2:-1])}" if b'"' not in value else repr(value))
        return Atom(repr(value))

    def _decimal(self, text: str) -> Expression:
        return self._call("decimal", "Decimal", int(text) if text.isdecimal() else quoted(text))

    def _moment(self, moment: datetime) -> Expression:
        parts = [*moment.timetuple()[:6], moment.microsecond]
        while len(parts) > 3 and not parts[-1]:
            parts.pop()
        zone = f"tzinfo={self._names.use('datetime', 'UTC')}"
        return self._call("datetime", "datetime", *parts, zone)

    def _call(self, module: str, name: str, *arguments: object) -> Expression:
        local = self._names.use(module, name)
        return Atom(f"{local}({', '.join(map(str, arguments))})")
