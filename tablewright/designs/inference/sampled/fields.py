"""Fields of sampled items: those that are attributes, those that stand in keys, and tallies."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from typing import Any

from tablewright.designs.inference.kinds import field_kind, text_kind
from tablewright.designs.inference.names import free_name, labelled, stored_as
from tablewright.designs.inference.observed import Item, ObservedTable
from tablewright.designs.inference.sampled.columns import Columns, Texts
from tablewright.designs.inference.sampled.kinds import sampled_kind

Json = dict[str, Any]

_PREFIX = re.compile(r"(.+?[:#./|])(.+)", re.DOTALL)
_TIMES = {"Date": "day", "HourText": "hour", "Timestamp": "at"}
_TALLIED = 3  # attributes of one prefix that are numbers under names of their own


class SampledFields:
    """Fields as they are found, with their names, and what is asked of whoever knows more."""

    def __init__(
        self,
        table: ObservedTable,
        items: Sequence[Item],
        keys: Container[str],
        free_part: Callable[[str], str],
    ) -> None:
        self._free_part = free_part
        self.names: dict[str, str] = {}
        self.fields: dict[str, Json] = {}
        self.parts: dict[str, Json] = {}
        self.comments: dict[str, str] = {}
        self.left_out: list[str] = []
        self.columns = Columns()
        self._table = table
        self._items = items
        counted = Counter(name for item in items for name in item)
        beside = [name for name in counted if name not in keys and name != table.ttl]
        self._tallies = self._tally_prefixes(beside, counted)
        plain = [name for name in beside if not name.startswith(tuple(self._tallies))]
        for attribute in plain:
            name = self.names[attribute] = self._free(attribute)
            self.columns.add(name, items, attribute)
        self.attributes = list(counted)

    def add_key(self, attribute: str) -> str:
        """A field that is a key attribute by itself."""
        name = self._free(attribute)
        values = [dict(item[attribute]) for item in self._items if attribute in item]
        kind = field_kind(values, self._table.types.get(attribute, "S")) or {"kind": "Text"}
        if kind["kind"] == "Text":
            kind |= _hexadecimal([one.get("S", "") for one in values])
        self.fields[name] = {**kind, **stored_as(name, attribute)}
        if attribute not in self._table.key and len(values) < len(self._items):
            self.fields[name]["default"] = None
        if self.type(attribute) == "S":
            self.columns.add(name, self._items, attribute)
        elif self.type(attribute) == "N":
            self.columns.add_number_key(name, self._items, attribute)
        return name

    def add_part(self, label: str, texts: Texts) -> str:
        """A field that stands in the table's key alone."""
        kind = text_kind([text for text in texts if text is not None])
        name = self._free(_TIMES.get(kind["kind"]) or labelled(label))
        self.fields[name] = {**kind, "stored": None}
        self.columns.add_texts(name, texts)
        return name

    def drop_parts(self, kept: Container[str]) -> None:
        """Leave out the fields that would stand in keys alone, and in none that is kept."""
        for name in [name for name in self.fields if name not in kept]:
            if self.fields[name].get("stored", name) is None:
                del self.fields[name]
                self.comments.pop(name, None)

    def type(self, attribute: str) -> str | None:
        """The type of an attribute, as it was seen or is known; None for one of several."""
        seen = {tag for item in self._items if attribute in item for tag in item[attribute]}
        if seen:
            return seen.pop() if len(seen) == 1 else None
        return self._table.types.get(attribute)

    def add_plain(self, required: Container[str]) -> None:
        """All that are attributes outside keys; `required` are those that the table's key needs."""
        for attribute, name in self.names.items():
            values = [dict(item[attribute]) for item in self._items if attribute in item]
            found = sampled_kind(attribute, values, self._free_part)
            kind = self.columns.kind(name) or (found and found.field)
            if found is None or kind is None:
                self.left_out.append(attribute)
                continue
            self.parts |= found.parts
            if found.asks and not self.columns.kind(name):
                self.comments[name] = found.asks
            self.fields[name] = {**kind, **stored_as(name, attribute)}
            absent = len(values) < len(self._items) or any("NULL" in one for one in values)
            if absent and name not in required:
                self.fields[name]["default"] = None
        for name, field in self.fields.items():
            field |= self.columns.kind(name) or {}
        for prefix in self._tallies:
            name = self._free(prefix)
            self.fields[name] = {"kind": "Tally", "prefix": prefix, "default": None}

    def add_moment(self, attribute: str, kind: Json) -> str:
        """The field that items expire by themselves."""
        name = self._free(attribute)
        self.fields[name] = {**kind, **stored_as(name, attribute)}
        if not all(attribute in item for item in self._items):
            self.fields[name]["default"] = None
        return name

    def _tally_prefixes(self, names: Sequence[str], counted: Counter[str]) -> list[str]:
        """Beginnings of attributes that are numbers by names which are not known beforehand."""
        by: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            found = _PREFIX.fullmatch(name)
            if found:
                by[found[1]].append(name)
        numbers = {name for item in self._items for name, wire in item.items() if "N" in wire}
        return [
            prefix
            for prefix, some in by.items()
            if len(some) >= _TALLIED
            and numbers.issuperset(some)
            and all(counted[name] < len(self._items) for name in some)
        ]

    def _free(self, wanted: str) -> str:
        return free_name(wanted, {*self.fields, *self.names.values()})


def _hexadecimal(texts: Sequence[str]) -> Json:
    """The form of ids that are hexadecimal, which no word is."""
    if len(texts) < _TALLIED or not all(re.fullmatch(r"[0-9a-f-]{16,}", text) for text in texts):
        return {}
    return {"pattern": "[0-9a-f-]{16,}", "form": "an id of hexadecimal digits"}
