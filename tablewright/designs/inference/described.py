"""Tables as AWS describes them, for inference."""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.designs.inference.observed import ObservedIndex, ObservedTable

Json = Mapping[str, Any]


def described_table(table: Json) -> ObservedTable:
    """The table that DescribeTable, or the input of CreateTable, describes, without items.

    Raises AttributeError, LookupError or TypeError if it is not whole.
    """
    types = {
        _text(one["AttributeName"]): _text(one["AttributeType"])
        for one in table["AttributeDefinitions"]
    }
    partition, sort = _schema(table["KeySchema"])
    indexes = []
    for local, name in ((False, "GlobalSecondaryIndexes"), (True, "LocalSecondaryIndexes")):
        for index in table.get(name, ()):
            projects = projection_of(index["Projection"])
            key = _schema(index["KeySchema"])
            indexes.append(ObservedIndex(_text(index["IndexName"]), *key, projects, local))
    return ObservedTable(
        _text(table["TableName"]),
        partition[0],
        sort[0] if sort else None,
        types=types,
        indexes=tuple(indexes),
        stream=table.get("StreamSpecification", {}).get("StreamViewType"),
    )


def projection_of(projection: Json) -> str | tuple[str, ...]:
    """What an index carries: KEYS_ONLY, ALL or names of attributes."""
    kind = str(projection.get("ProjectionType", "ALL"))
    return tuple(map(_text, projection["NonKeyAttributes"])) if kind == "INCLUDE" else kind


def _schema(schema: Sequence[Json]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    named = {
        kind: tuple(_text(one["AttributeName"]) for one in schema if one["KeyType"] == kind)
        for kind in ("HASH", "RANGE")
    }
    return named["HASH"], named["RANGE"]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no name")
    return value
