"""The shape of a table: what a deployment cannot change at will."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

TABLE = "AWS::DynamoDB::GlobalTable"


@dataclass(frozen=True, kw_only=True)
class Index:
    """The key of an index and what it projects."""

    key: tuple[str, ...]
    projection: str
    attributes: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A table's key, its indexes, and the regions of its replicas beside its own."""

    key: tuple[str, ...]
    indexes: Mapping[str, Index]
    replicas: frozenset[str]
    protected: bool = False


def shape_of_table(described: Mapping[str, Any], home: str) -> Shape:
    """Of what DescribeTable says."""
    return Shape(
        key=_key(described["KeySchema"]),
        indexes=_indexes(described.get("GlobalSecondaryIndexes") or ()),
        replicas=frozenset(r["RegionName"] for r in described.get("Replicas") or ()) - {home},
        protected=bool(described.get("DeletionProtectionEnabled")),
    )


def shape_of_resource(properties: Mapping[str, Any], home: str) -> Shape:
    """Of what a template says."""
    replicas = properties["Replicas"]
    # In a stack of no certain region, the table's own is a reference.
    regions = [r["Region"] for r in replicas if isinstance(r["Region"], str)]
    return Shape(
        key=_key(properties["KeySchema"]),
        indexes=_indexes(properties.get("GlobalSecondaryIndexes") or ()),
        replicas=frozenset(regions) - {home},
        protected=any(replica.get("DeletionProtectionEnabled") for replica in replicas),
    )


def _indexes(listed: Iterable[Mapping[str, Any]]) -> dict[str, Index]:
    return {
        index["IndexName"]: Index(
            key=_key(index["KeySchema"]),
            projection=index["Projection"]["ProjectionType"],
            attributes=frozenset(index["Projection"].get("NonKeyAttributes") or ()),
        )
        for index in listed
    }


def _key(schema: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    # Partition keys first; each in the order that is part of the key.
    return tuple(
        part["AttributeName"]
        for kind in ("HASH", "RANGE")
        for part in schema
        if part["KeyType"] == kind
    )
