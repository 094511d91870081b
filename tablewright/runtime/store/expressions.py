"""Expressions with every name aliased: reserved words and '#' in names can do no harm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.runtime.store.attribute_values import Wire


class Expressions:
    """Collects the expressions of one request together with the aliases that they use."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Wire] = {}

    def name(self, attribute: str) -> str:
        alias = self._names.get(attribute)
        if alias is None:
            alias = self._names[attribute] = f"#n{len(self._names)}"
        return alias

    def value(self, wire: Wire) -> str:
        alias = f":v{len(self._values)}"
        self._values[alias] = wire
        return alias

    def equal(self, attribute: str, wire: Wire) -> str:
        return f"{self.name(attribute)} = {self.value(wire)}"

    def matches(self, attribute: str, wire: Wire | None) -> str:
        """The attribute has this value, or none when the value is None."""
        if wire is None:
            return f"attribute_not_exists({self.name(attribute)})"
        return self.equal(attribute, wire)

    def projection(self, attributes: Iterable[str]) -> str:
        return ", ".join(self.name(attribute) for attribute in dict.fromkeys(attributes))

    def change(self, old: Mapping[str, Wire], new: Mapping[str, Wire]) -> str:
        """An update expression that turns the old item's attributes into the new one's."""
        sets = [self.equal(name, wire) for name, wire in new.items() if old.get(name) != wire]
        removes = [self.name(name) for name in old if name not in new]
        parts = ["SET " + ", ".join(sets)] if sets else []
        parts += ["REMOVE " + ", ".join(removes)] if removes else []
        return " ".join(parts)

    def into(self, params: dict[str, Any]) -> dict[str, Any]:
        """The request's parameters with the aliases added that its expressions use."""
        if self._names:
            params["ExpressionAttributeNames"] = {a: name for name, a in self._names.items()}
        if self._values:
            params["ExpressionAttributeValues"] = self._values
        return params
