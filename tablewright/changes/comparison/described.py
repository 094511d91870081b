"""Described design: what a description says, asked as DynamoDB and stores go by it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.designs.description.design import Description
from tablewright.designs.description.fields import KINDS
from tablewright.model.entity import Key
from tablewright.model.fields.base import Field

Json = dict[str, Any]

_TYPES = {name: kind.kind for kind, name in KINDS.items()}
_FIELD = re.compile(r"\{(\w+)\}")
TALLY = "attributes of a prefix"


class Form(NamedTuple):
    """The form of one attribute of a key; `shards` decide the ``{shard}`` in it."""

    text: str
    shards: Json | None


class Described:
    """A description, with its entities by name."""

    def __init__(self, json: Description) -> None:
        self.json = json
        self.entities = {name: DescribedEntity(self, name) for name in json["entities"]}

    def attributes(self, index: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of partition and sort key of an index, or of the table itself."""
        key = self.json["indexes"][index] if index else self.json["key"]
        return listed(key.get("partition")), listed(key.get("sort"))

    def kind(self, attribute: str) -> str:
        """The type of a key attribute: that of the field that it is, or else text."""
        for entity in self.entities.values():
            if attribute in entity.by_stored:
                return storage(entity.fields[entity.by_stored[attribute]])
        return "S"


class DescribedEntity:
    """An entity of a description: its fields, and its keys in the table and in indexes."""

    def __init__(self, design: Described, name: str) -> None:
        self.name = name
        self.json: Json = design.json["entities"][name]
        self.fields: dict[str, Json] = self.json["fields"]
        self.computed: dict[str, Json] = self.json.get("computed", {})
        stored = {one: stored_name(one, field) for one, field in self.fields.items()}
        self.by_stored = {attribute: one for one, attribute in stored.items() if attribute}
        self._design = design

    @property
    def keys(self) -> dict[str | None, Json]:
        """Its key in the table, under None, and that in each index."""
        indexes: dict[str, Json] = self._design.json["indexes"]
        found: dict[str | None, Json] = {None: self.json["key"]}
        for name, index in indexes.items():
            if self.name in index["keys"]:
                found[name] = index["keys"][self.name]
        return found

    def forms(self) -> dict[str, Form]:
        """The attributes of its items by form: those of keys, and fields that are stored."""
        found = {attribute: Form(f"{{{one}}}", None) for attribute, one in self.by_stored.items()}
        for index in self.keys:
            found |= self.key_forms(index)
        return found

    def key_forms(self, index: str | None) -> dict[str, Form]:
        """The attributes of its key in the table, or in an index, by form."""
        key = self.keys[index]
        names, texts = self._design.attributes(index), (key.get("partition"), key.get("sort"))
        pairs = (
            pair
            for some, forms in zip(names, texts, strict=True)
            for pair in zip(some, listed(forms), strict=False)
        )
        shards = key.get("shards")
        return {name: Form(text, shards if "{shard}" in text else None) for name, text in pairs}

    def is_own(self, index: str) -> bool:
        """Whether the key attributes of an index are all fields of its own, or the table's key."""
        own = {*self.by_stored, *(name for some in self._design.attributes(None) for name in some)}
        return all(name in own for some in self._design.attributes(index) for name in some)

    def sources(self, name: str) -> tuple[str, ...]:
        """The fields that a name in a key stands for: itself, or what it is computed from."""
        return tuple(self.computed[name]["of"]) if name in self.computed else (name,)


def listed(names: str | list[str] | None) -> tuple[str, ...]:
    """One name, several or none, as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def fields_in(forms: str | list[str] | None) -> tuple[str, ...]:
    """The names that stand in forms of a key, in their order, without the shard."""
    names = (name for form in listed(forms) for name in _FIELD.findall(form))
    return tuple(dict.fromkeys(name for name in names if name != "shard"))


def stored_name(name: str, field: Json) -> str | None:
    """The attribute that a field is stored as; None if it stands in keys alone."""
    if field["kind"] == "Tally":
        return f"{field.get('prefix')}*"
    stored: str | None = field.get("stored", name)
    return stored


def storage(field: Json) -> str:
    """The type that a field is stored as."""
    kind: str = field["kind"]
    if kind == "Tally":
        return TALLY
    if kind == "SetOf":
        return f"{storage(field['of'])}S"
    return _TYPES.get(kind) or _own_type(kind)


def _own_type(kind: str) -> str:
    """Type of a class of fields that the program has loaded; of any other class, text.

    It looks among the subclasses of Field: a description imports nothing.
    """
    classes = [*Field.__subclasses__()]
    for one in classes:
        if f"{one.__module__}:{one.__qualname__}" == kind:
            return one.kind
        classes += one.__subclasses__()
    return "S"


def key_model(key: Mapping[str, Any]) -> Key:
    """A key as the model has it, but for its shards."""
    partition, sort = listed(key.get("partition")), listed(key.get("sort"))
    return Key(partition, sort or None, delimiter=key.get("delimiter", "#"))


def pairs(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[tuple[str, Json, Json]]:
    """What both have, by name."""
    yield from ((name, old[name], new[name]) for name in new if name in old)
