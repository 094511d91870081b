"""Definitions of tables and indexes, short enough to read in a row."""

from typing import Any


def attributes(*names: str, kind: str = "S") -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name in names]


def keys(partition: str, sort: str | None = None) -> list[dict[str, str]]:
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    return [*schema, {"AttributeName": sort, "KeyType": "RANGE"}] if sort else schema


def index(name: str, partition: str, sort: str | None = None, **projection: Any) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": keys(partition, sort),
        "Projection": projection or {"ProjectionType": "ALL"},
    }
