"""Table form: what DynamoDB knows of a table, as a value: keys, indexes, expiry, stream.

A design has one, a table that exists has one, and so has every step on the way between two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tablewright.model.table import Design
from tablewright.model.table_definition import definition

Key = tuple[tuple[str, str], ...]
"""Attributes of a key, each with its type."""


class IndexForm(NamedTuple):
    """The keys of an index, and what it projects: these attributes, where it names them."""

    partition: Key
    sort: Key
    projects: str
    attributes: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, str]:
        """Its key attributes, with their types."""
        return dict((*self.partition, *self.sort))

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
    """What a table shows. Tables of the same form are made from designs that mean the same here."""

    partition: Key
    sort: Key
    indexes: Mapping[str, IndexForm]
    local: Mapping[str, IndexForm]
    ttl: str | None
    stream: str | None

    @classmethod
    def of(cls, design: Design) -> TableForm:
        """The form of a design's table."""
        return cls.described(definition(design, design.id), design.ttl)

    @classmethod
    def described(cls, table: Mapping[str, Any], ttl: str | None) -> TableForm:
        """The form in arguments of CreateTable, or in what DescribeTable says."""
        kinds = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
        stream = table.get("StreamSpecification") or {}
        return cls(
            _key(table["KeySchema"], kinds, "HASH"),
            _key(table["KeySchema"], kinds, "RANGE"),
            _indexes(table.get("GlobalSecondaryIndexes") or (), kinds),
            _indexes(table.get("LocalSecondaryIndexes") or (), kinds),
            ttl,
            stream["StreamViewType"] if stream.get("StreamEnabled") else None,
        )

    @property
    def key_kinds(self) -> dict[str, str]:
        """The table's own key attributes, with their types."""
        return dict((*self.partition, *self.sort))

    def with_index(self, name: str, index: IndexForm) -> TableForm:
        return self._replace(indexes={**self.indexes, name: index})

    def without_index(self, name: str) -> TableForm:
        return self._replace(indexes={n: one for n, one in self.indexes.items() if n != name})

    def to_json(self) -> dict[str, Any]:
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
        return cls(
            tuple(given["partition"].items()),
            tuple(given["sort"].items()),
            {name: IndexForm.from_json(one) for name, one in given["indexes"].items()},
            {name: IndexForm.from_json(one) for name, one in given["local"].items()},
            given.get("ttl"),
            given.get("stream"),
        )


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
