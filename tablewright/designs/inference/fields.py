"""Fields from attributes of items of one kind, and from parts of their keys."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from tablewright.designs.inference.forms import Piece
from tablewright.designs.inference.kinds import field_kind, text_kind
from tablewright.designs.inference.names import free_name, labelled, stored_as
from tablewright.designs.inference.observed import Item

Json = dict[str, Any]


class SeenFields:
    """Fields as they are found; `types` are those that attributes are known to have.

    `plain` are the attributes that stand in no key: their fields have their names from the
    beginning, so that nothing else takes them.
    """

    def __init__(
        self, items: Sequence[Item], types: Mapping[str, str], plain: Iterable[str]
    ) -> None:
        self.fields: dict[str, Json] = {}
        self.left_out: list[str] = []
        self._items = items
        self._types = types
        self._names: dict[str, str] = {}
        # Fields with the texts that they would have in keys, one for each item.
        self._columns: dict[str, list[str]] = {}
        for attribute in plain:
            name = self._names[attribute] = self._free(attribute)
            self._add_column(name, attribute)

    def type(self, attribute: str) -> str | None:
        """The type of an attribute, as it was seen or is known; None for one of several."""
        seen = {tag for value in self._values(attribute) for tag in value}
        if len(seen) > 1:
            return None
        return next(iter(seen), self._types.get(attribute, "S"))

    def is_everywhere(self, attribute: str) -> bool:
        """Whether every item has an attribute."""
        return bool(self._items) and all(attribute in item for item in self._items)

    def texts(self, attribute: str) -> list[str]:
        """The texts that items have for an attribute."""
        return [str(item[attribute]["S"]) for item in self._items if attribute in item]

    def with_texts(self, texts: Sequence[str], named: str | None = None) -> str | None:
        """The field that has these texts, item by item; if it is to have a name, by this name."""
        for name, column in self._columns.items():
            if column == list(texts) and named in (None, name):
                return name
        return None

    def match(self, piece: Piece) -> str | None:
        """The field that a part of a key is, None for one that nothing else has."""
        for name, column in self._columns.items():
            if column == list(piece.texts) and not self._is_chance(name, piece):
                return name
        return None

    def _is_chance(self, name: str, piece: Piece) -> bool:
        """Whether parts of keys may be the same in the one item that there is, and in no other."""
        in_key = self.fields.get(name, {}).get("stored", name) is None
        return len(self._items) == 1 and in_key and labelled(piece.label) != name

    def add_part(self, piece: Piece) -> str:
        """A field that stands in the key alone."""
        name = self._free(labelled(piece.label))
        self.fields[name] = {**text_kind(piece.texts), "stored": None}
        if piece.texts:
            self._columns[name] = list(piece.texts)
        return name

    def add_key(self, attribute: str, alias: str = "", *, required: bool) -> str:
        """A field that is a key by itself."""
        name = self._free(alias or attribute)
        kind = field_kind(self._values(attribute), self._types.get(attribute, "S"))
        self.fields[name] = {**(kind or {"kind": "Text"}), **stored_as(name, attribute)}
        if not required and not self.is_everywhere(attribute):
            self.fields[name]["default"] = None
        self._add_column(name, attribute)
        return name

    def add_plain(self, attribute: str, in_keys: Container[str], ttl: str | None) -> str | None:
        """A field that is an attribute, None where no field holds it; numbers that stand in keys
        have the digits that they have there."""
        name, values = self._names[attribute], self._values(attribute)
        field = field_kind(values, self._types.get(attribute))
        if field is None:
            self.left_out.append(attribute)
            return None
        if attribute == ttl:
            field = {"kind": "EpochTimestamp"} if self.type(attribute) == "N" else field
        elif name in in_keys and self.type(attribute) == "N":
            field = {"kind": "Whole", "digits": len(self._columns[name][0])}
        field |= stored_as(name, attribute)
        if not self.is_everywhere(attribute) or any("NULL" in one for one in values):
            field["default"] = None
        self.fields[name] = field
        return name

    def _values(self, attribute: str) -> list[dict[str, Any]]:
        return [dict(item[attribute]) for item in self._items if attribute in item]

    def _add_column(self, name: str, attribute: str) -> None:
        if not self.is_everywhere(attribute):
            return
        values = self._values(attribute)
        if all("S" in one for one in values):
            self._columns[name] = [str(one["S"]) for one in values]
        numbers = [str(one.get("N", "")) for one in values]
        # A number stands in a key with a fixed number of digits.
        padded = all(map(str.isdigit, numbers)) and len(set(map(len, numbers))) == 1
        if padded and len(numbers) > 1 and attribute in self._names:
            self._columns[name] = numbers

    def _free(self, wanted: str) -> str:
        return free_name(wanted, {*self.fields, *self._names.values()})
