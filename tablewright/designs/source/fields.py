"""Fields as Python declares them: ``total: Field[Decimal] = Money(default=Decimal("0.00"))``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from tablewright import model
from tablewright.designs.source.layout import Atom, Expression, Literal, call, plain, sequence
from tablewright.designs.source.names import Names
from tablewright.designs.source.values import Json, ValueSource

# What a value of each kind is in Python, with the module that has it.
_TYPES = {
    "Binary": ("builtins", "bytes"),
    "Choice": ("builtins", "str"),
    "Date": ("datetime", "date"),
    "DateText": ("builtins", "str"),
    "EpochTimestamp": ("datetime", "datetime"),
    "Flag": ("builtins", "bool"),
    "Fraction": ("decimal", "Decimal"),
    "HourText": ("builtins", "str"),
    "Lines": ("builtins", "str"),
    "Money": ("decimal", "Decimal"),
    "Name": ("builtins", "str"),
    "Number": ("decimal", "Decimal"),
    "Prose": ("builtins", "str"),
    "Text": ("builtins", "str"),
    "TimeId": ("builtins", "str"),
    "Timestamp": ("datetime", "datetime"),
    "TimestampText": ("builtins", "str"),
    "Whole": ("builtins", "int"),
}
# What does not go by its own name.
_APART = {"kind", "of", "enum", "choices", "stored", "default"}


class FieldSource:
    """Fields of one design, whose parts and enumerations have these classes."""

    def __init__(self, names: Names, description: Json, classes: Mapping[str, str]) -> None:
        self._names = names
        self._classes = classes
        self._values = ValueSource(names, description, classes)

    def lines(self, name: str, field: Json) -> list[str]:
        """The declaration of a field, in its class."""
        holds = self._type(field)
        if field.get("default", ...) is None:
            holds += " | None"
        prefix = f"{name}: {self._names.model('Field')}[{holds}] = "
        return self._specifier(field).lines(prefix, "", 4)

    def example(self, fields: Json, values: Json) -> list[tuple[str, Expression]]:
        """The values of a record, by the names of its fields."""
        return [(name, self._values.value(fields[name], one)) for name, one in values.items()]

    def _specifier(self, field: Json) -> Expression:
        kind: str = field["kind"]
        first: list[Expression] = []
        if kind in ("ListOf", "SetOf"):
            first = [self._specifier(field["of"])]
        elif kind == "PartOf":
            first = [Atom(self._classes[field["of"]])]
        elif "enum" in field:
            first = [Atom(self._classes[field["enum"]])]
        elif kind == "Choice":
            first = [sequence(map(Literal, field["choices"]))]
        if "stored" in field:
            stored = field["stored"]
            first.append(Atom(self._names.model("IN_KEY")) if stored is None else Literal(stored))
        usual = _defaults(kind)
        options = sorted(field.keys() - _APART, key=[*usual, *field].index)
        named = [(name, plain(field[name])) for name in options if field[name] != usual.get(name)]
        if "default" in field:
            named.append(("default", self._values.value(field, field["default"])))
        path = kind if ":" in kind else f"{model.__name__}:{kind}"
        return call(self._names.path(path), *first, named=named)

    def _type(self, field: Json) -> str:
        kind: str = field["kind"]
        use = self._names.use
        if kind == "ListOf":
            return f"{use('builtins', 'tuple')}[{self._type(field['of'])}, ...]"
        if kind == "SetOf":
            return f"{use('builtins', 'set')}[{self._type(field['of'])}]"
        if kind == "PartOf":
            return self._classes[field["of"]]
        if "enum" in field:
            return self._classes[field["enum"]]
        if kind == "Tally":
            counts = f"{use('builtins', 'str')}, {use('decimal', 'Decimal')}"
            return f"{use('collections.abc', 'Mapping')}[{counts}]"
        if kind in ("Document", "EpochList"):
            anything = f"{use('builtins', 'str')}, {use('typing', 'Any')}"
            entries = f"{use('collections.abc', 'Mapping')}[{anything}]"
            if kind == "Document":
                return entries
            return f"{use('collections.abc', 'Sequence')}[{entries}]"
        return use(*_TYPES.get(kind, ("typing", "Any")))


def _defaults(kind: str) -> dict[str, Any]:
    """What the options of a kind are where they are not given."""
    specifier = getattr(model, kind, None)
    if specifier is None:
        return {}
    parameters = inspect.signature(specifier).parameters.values()
    return {one.name: one.default for one in parameters}
