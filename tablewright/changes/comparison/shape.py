"""Shape of a table: what DynamoDB itself knows of it, by a description or as it is deployed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.changes.comparison.described import Described, stored_name
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import indexes as index_rules
from tablewright.changes.comparison.rules import tables as rules
from tablewright.model.table import KEYS_ONLY

Attributes = tuple[tuple[str, ...], tuple[str, ...]]
"""The attributes of a partition key, and of a sort key."""


class IndexShape(NamedTuple):
    """An index: its key, and what it carries: ALL, KEYS_ONLY or attributes."""

    key: Attributes
    local: bool
    carries: str | frozenset[str]

    def __str__(self) -> str:
        carries = self.carries if isinstance(self.carries, str) else _several(self.carries)
        return f"{'local, ' if self.local else ''}{_shown(self.key)}, carries {carries or 'keys'}"


class Shape(NamedTuple):
    """A table: its key, the types of all key attributes, its indexes, stream and ttl."""

    key: Attributes
    kinds: Mapping[str, str]
    indexes: Mapping[str, IndexShape]
    stream: str | None
    ttl: str | None


def described_shape(design: Described) -> Shape:
    """The shape of the table that a description is of."""
    json = design.json
    indexes = {
        name: IndexShape(design.attributes(name), bool(index.get("local")), _carried(design, name))
        for name, index in json["indexes"].items()
    }
    keys = [design.attributes(None), *(index.key for index in indexes.values())]
    kinds = {name: design.kind(name) for key in keys for some in key for name in some}
    return Shape(keys[0], kinds, indexes, json.get("stream"), json.get("ttl"))


def _carried(design: Described, name: str) -> str | frozenset[str]:
    index = design.json["indexes"][name]
    if isinstance(index["projects"], str):
        return str(index["projects"])
    held = [entity for one, entity in design.entities.items() if one in index["keys"]]
    stored = {
        stored_name(one, entity.fields[one])
        for one in index["projects"]
        for entity in held
        if one in entity.fields
    }
    stored.add(design.json.get("entity_type"))
    keys = (one for key in (None, name) for some in design.attributes(key) for one in some)
    # Of keys alone, an index says so.
    return frozenset(one for one in stored - {None, *keys} if one) or KEYS_ONLY


def deployed_shape(described: Mapping[str, Any], ttl: str | None) -> Shape:
    """The shape of a table as DescribeTable shows it."""
    indexes = {
        index["IndexName"]: IndexShape(
            _schema(index["KeySchema"]), place == "LocalSecondaryIndexes", _projection(index)
        )
        for place in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for index in described.get(place) or ()
    }
    found = described["AttributeDefinitions"]
    stream = described.get("StreamSpecification") or {}
    return Shape(
        _schema(described["KeySchema"]),
        {one["AttributeName"]: one["AttributeType"] for one in found},
        indexes,
        stream.get("StreamViewType") if stream.get("StreamEnabled") else None,
        ttl,
    )


def _schema(schema: Sequence[Mapping[str, str]]) -> Attributes:
    partition, sort = (
        tuple(one["AttributeName"] for one in schema if one["KeyType"] == kind)
        for kind in ("HASH", "RANGE")
    )
    return partition, sort


def _projection(index: Mapping[str, Any]) -> str | frozenset[str]:
    projection = index["Projection"]
    if projection["ProjectionType"] == "INCLUDE":
        return frozenset(projection["NonKeyAttributes"])
    return str(projection["ProjectionType"])


def compare_shapes(
    old: Shape, new: Shape, *, filled: Container[str], expires: bool
) -> Iterator[Difference]:
    """What differs between two tables as DynamoDB knows them.

    `filled` are the indexes whose key attributes existing items have; `expires` is whether the ttl
    attribute of the new design is computed for its items.
    """
    if old.key != new.key:
        says = f"the key was {_shown(old.key)} and is {_shown(new.key)}"
        yield rules.TABLE_KEY_CHANGED.found("table", says)
    for says in _retyped(old, new, old.key, new.key):
        yield rules.TABLE_KEY_TYPE_CHANGED.found("table", says)
    yield from _stream(old.stream, new.stream)
    yield from _ttl(old.ttl, new.ttl, expires=expires)
    for name in dict.fromkeys((*old.indexes, *new.indexes)):
        yield from _index(name, old, new, filled)
    changed = sorted(_global(old) ^ _global(new))
    if len(changed) > 1:
        says = f"{', '.join(changed)} would be made or removed in one update"
        yield index_rules.INDEXES_CHANGED_AT_ONCE.found("table", says)


def _global(shape: Shape) -> set[str]:
    return {name for name, index in shape.indexes.items() if not index.local}


def _retyped(old: Shape, new: Shape, before: Attributes, after: Attributes) -> list[str]:
    """What to say of each attribute that is in both keys, of another type."""
    both = {name for some in before for name in some} & {name for some in after for name in some}
    return [
        f"attribute {name} was of type {old.kinds[name]} and is of {new.kinds[name]}"
        for name in sorted(both)
        if old.kinds[name] != new.kinds[name]
    ]


def _stream(old: str | None, new: str | None) -> Iterator[Difference]:
    if old == new:
        return
    if old is None:
        yield rules.STREAM_ADDED.found("table", f"it has a stream of {new}")
    elif new is None:
        yield rules.STREAM_REMOVED.found("table", f"it has no stream of {old} any more")
    else:
        yield rules.STREAM_VIEW_CHANGED.found("table", f"its stream was of {old} and is of {new}")


def _ttl(old: str | None, new: str | None, *, expires: bool) -> Iterator[Difference]:
    if old == new:
        return
    if old is None:
        rule = rules.TTL_ADDED_FOR_EXPIRY if expires else rules.TTL_ADDED
        yield rule.found("table", f"items expire by {new}")
    elif new is None:
        yield rules.TTL_REMOVED.found("table", f"items do not expire by {old} any more")
    else:
        yield rules.TTL_CHANGED.found("table", f"items expired by {old} and expire by {new}")


def _index(name: str, before: Shape, after: Shape, filled: Container[str]) -> Iterator[Difference]:
    subject = f"index {name}"
    old, new = before.indexes.get(name), after.indexes.get(name)
    retyped = _retyped(before, after, old.key, new.key) if old and new else []
    if (old and old.local) or (new and new.local):
        if old != new or retyped:
            says = f"it was {old or 'not there'} and is {new or 'gone'}"
            yield index_rules.LOCAL_INDEX_CHANGED.found(subject, "; ".join([says, *retyped]))
    elif new is None:
        yield index_rules.INDEX_REMOVED.found(subject, f"it is gone: {old}")
    elif old is None:
        rule = index_rules.INDEX_ADDED if name in filled else index_rules.INDEX_ADDED_EMPTY
        yield rule.found(subject, f"it is new: {new}")
    else:
        if old.key != new.key:
            says = f"its key was {_shown(old.key)} and is {_shown(new.key)}"
            yield index_rules.INDEX_KEY_CHANGED.found(subject, says)
        if old.carries != new.carries:
            yield index_rules.INDEX_PROJECTION_CHANGED.found(subject, _carries(old, new))
        for says in retyped:
            yield index_rules.INDEX_KEY_TYPE_CHANGED.found(subject, says)


def _carries(old: IndexShape, new: IndexShape) -> str:
    if isinstance(old.carries, str) or isinstance(new.carries, str):
        shown = [one if isinstance(one, str) else _several(one) for one in (old[2], new[2])]
        return f"it carried {shown[0]} and carries {shown[1]}"
    changes = (
        ("it carries %s, too", new.carries - old.carries),
        ("it does not carry %s any more", old.carries - new.carries),
    )
    return " and ".join(says % _several(names) for says, names in changes if names)


def _shown(key: Attributes) -> str:
    return ", ".join(name for some in key for name in some)


def _several(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
