"""Table form: what DynamoDB knows of a table, as a value: keys, indexes, expiry, stream.

A design has one, a table that exists has one, and so has every step on the way between two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tablewright.model.table import ALL, KEYS_ONLY, Design, Index

Key = tuple[tuple[str, str], ...]
"""Attributes of a key, each with its type."""

NEW_AND_OLD_IMAGES = "NEW_AND_OLD_IMAGES"
_INCLUDE = "INCLUDE"
_HELD = {ALL: "everything", KEYS_ONLY: "keys only"}


class IndexForm(NamedTuple):
    """The keys of an index, and what it projects: these attributes, where it names them."""

    partition: Key
    sort: Key
    projects: str
    attributes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{key_text(self.partition, self.sort)}, {self.held}"

    @property
    def held(self) -> str:
        """What it projects, in words."""
        return _HELD.get(self.projects) or f"keys and {', '.join(self.attributes)}"

    @property
    def kinds(self) -> dict[str, str]:
        """Its key attributes, with their types."""
        return dict((*self.partition, *self.sort))

    def definition(self, name: str) -> dict[str, Any]:
        """The index in the terms of CreateTable."""
        carried = {"NonKeyAttributes": list(self.attributes)} if self.attributes else {}
        return {
            "IndexName": name,
            "KeySchema": _schema(self.partition, self.sort),
            "Projection": {"ProjectionType": self.projects, **carried},
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "partition": dict(self.partition),
            "sort": dict(self.sort),
            "projects": self.projects,
            "attributes": list(self.attributes),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> IndexForm:
        return cls(
            tuple(given["partition"].items()),
            tuple(given["sort"].items()),
            given["projects"],
            tuple(given["attributes"]),
        )


class TableForm(NamedTuple):
    """What a table shows. Tables of the same form are made from designs that mean the same here.

    Example::

        client.create_table(**TableForm.of(Orders.__design__).definition("dev-orders"))
    """

    partition: Key
    sort: Key
    indexes: Mapping[str, IndexForm]
    local: Mapping[str, IndexForm]
    ttl: str | None
    stream: str | None

    @classmethod
    def of(cls, design: Design) -> TableForm:
        """The form of a design's table."""

        def key(names: Iterable[str]) -> Key:
            return tuple((name, design.kind(name)) for name in names)

        def form(index: Index) -> IndexForm:
            named = isinstance(index.projects, str)
            held = projection(str(index.projects) if named else design.carried(index))
            return IndexForm(key(index.key.partition), key(index.key.sort), *held)

        return cls(
            key(design.key.partition),
            key(design.key.sort),
            {index.name: form(index) for index in design.index_list if not index.local},
            {index.name: form(index) for index in design.index_list if index.local},
            design.ttl,
            design.stream,
        )

    @classmethod
    def described(cls, table: Mapping[str, Any], ttl: str | None) -> TableForm:
        """The form in what DescribeTable says, in arguments of CreateTable, or in a template."""
        kinds = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
        stream = table.get("StreamSpecification") or {}
        return cls(
            _key(table["KeySchema"], kinds, "HASH"),
            _key(table["KeySchema"], kinds, "RANGE"),
            _indexes(table.get("GlobalSecondaryIndexes") or (), kinds),
            _indexes(table.get("LocalSecondaryIndexes") or (), kinds),
            ttl,
            # Templates say only of which view.
            stream.get("StreamViewType") if stream.get("StreamEnabled", True) else None,
        )

    @property
    def key_kinds(self) -> dict[str, str]:
        """The table's own key attributes, with their types."""
        return dict((*self.partition, *self.sort))

    @property
    def attribute_definitions(self) -> list[dict[str, str]]:
        """The attributes of all keys, in the terms of CreateTable."""
        kinds = self.key_kinds
        for index in (*self.indexes.values(), *self.local.values()):
            kinds |= index.kinds
        return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]

    def definition(self, name: str) -> dict[str, Any]:
        """The arguments of CreateTable, which knows nothing of expiry."""
        request: dict[str, Any] = {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": _schema(self.partition, self.sort),
            "AttributeDefinitions": self.attribute_definitions,
        }
        for kind, indexes in (("Global", self.indexes), ("Local", self.local)):
            if indexes:
                made = [index.definition(one) for one, index in indexes.items()]
                request[f"{kind}SecondaryIndexes"] = made
        if self.stream:
            stream = {"StreamEnabled": True, "StreamViewType": self.stream}
            request["StreamSpecification"] = stream
        return request

    @property
    def parts(self) -> dict[str, str]:
        """What the table is, part by part, in words."""
        found = {"key": key_text(self.partition, self.sort)}
        found |= {f"index {name}": str(self.indexes[name]) for name in sorted(self.indexes)}
        found |= {f"index {name}": f"local, {self.local[name]}" for name in sorted(self.local)}
        return {**found, "stream": self.stream or "none", "ttl": self.ttl or "none"}

    def differences(self, other: TableForm) -> dict[str, tuple[str, str]]:
        """The parts in which two tables differ: what each is in this one, and in the other."""
        own, theirs = self.parts, other.parts
        pairs = {
            name: (own.get(name, "none"), theirs.get(name, "none"))
            for name in dict.fromkeys((*own, *theirs))
        }
        return {name: (one, another) for name, (one, another) in pairs.items() if one != another}

    def replicated(self) -> TableForm:
        """The same table with replicas: its stream is of new and old images, whoever reads it."""
        return self._replace(stream=NEW_AND_OLD_IMAGES)

    def with_index(self, name: str, index: IndexForm) -> TableForm:
        """The same table with one more global index."""
        return self._replace(indexes={**self.indexes, name: index})

    def without_index(self, name: str) -> TableForm:
        """The same table with one global index less."""
        return self._replace(indexes={n: one for n, one in self.indexes.items() if n != name})

    def to_json(self) -> dict[str, Any]:
        """The form as JSON, which `from_json` reads."""
        return {
            "partition": dict(self.partition),
            "sort": dict(self.sort),
            "indexes": {name: one.to_json() for name, one in self.indexes.items()},
            "local": {name: one.to_json() for name, one in self.local.items()},
            "ttl": self.ttl,
            "stream": self.stream,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> TableForm:
        """The form that `to_json` gave."""
        return cls(
            tuple(given["partition"].items()),
            tuple(given["sort"].items()),
            {name: IndexForm.from_json(one) for name, one in given["indexes"].items()},
            {name: IndexForm.from_json(one) for name, one in given["local"].items()},
            given.get("ttl"),
            given.get("stream"),
        )


def key_text(partition: Key, sort: Key) -> str:
    """A key in words: its attributes, each with its role and type."""
    told = [f"{name} (partition, {kind})" for name, kind in partition]
    return ", ".join([*told, *(f"{name} (sort, {kind})" for name, kind in sort)])


def projection(projects: str | Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """What an index projects: ALL, KEYS_ONLY, or attributes beside the keys. DynamoDB refuses one
    of no attributes, and wants to be told that it is of keys only."""
    if isinstance(projects, str):
        return projects, ()
    attributes = tuple(sorted(projects))
    return (_INCLUDE, attributes) if attributes else (KEYS_ONLY, ())


def _schema(partition: Key, sort: Key) -> list[dict[str, str]]:
    parts = [(name, "HASH") for name, _ in partition] + [(name, "RANGE") for name, _ in sort]
    return [{"AttributeName": name, "KeyType": kind} for name, kind in parts]


def _key(schema: Iterable[Mapping[str, str]], kinds: Mapping[str, str], kind: str) -> Key:
    names = (part["AttributeName"] for part in schema if part["KeyType"] == kind)
    return tuple((name, kinds[name]) for name in names)


def _indexes(listed: Iterable[Mapping[str, Any]], kinds: Mapping[str, str]) -> dict[str, IndexForm]:
    return {
        index["IndexName"]: IndexForm(
            _key(index["KeySchema"], kinds, "HASH"),
            _key(index["KeySchema"], kinds, "RANGE"),
            index["Projection"]["ProjectionType"],
            tuple(sorted(index["Projection"].get("NonKeyAttributes") or ())),
        )
        for index in listed
        if index.get("IndexStatus") != "DELETING"
    }
