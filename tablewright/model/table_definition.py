"""Table definition: a design in the terms of CreateTable, and what can be compared of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.model.entity import KeyAttributes
from tablewright.model.table import ALL, KEYS_ONLY, Design, Index


def definition(design: Design, name: str) -> dict[str, Any]:
    """The arguments of CreateTable for a design."""
    keys = [design.key_attributes(index) for index in (None, *design.indexes)]
    attributes = dict.fromkeys(name for key in keys for name in key.names)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(design.key),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": design.kind(name)} for name in attributes
        ],
    }
    for index in design.index_list:
        made = {
            "IndexName": index.name,
            "KeySchema": _schema(index.key),
            "Projection": _projection(design, index),
        }
        kind = "LocalSecondaryIndexes" if index.local else "GlobalSecondaryIndexes"
        request.setdefault(kind, []).append(made)
    if design.stream:
        stream = {"StreamEnabled": True, "StreamViewType": design.stream}
        request["StreamSpecification"] = stream
    return request


def _schema(key: KeyAttributes) -> list[dict[str, str]]:
    parts = [(name, "HASH") for name in key.partition] + [(name, "RANGE") for name in key.sort]
    return [{"AttributeName": name, "KeyType": kind} for name, kind in parts]


def _projection(design: Design, index: Index) -> dict[str, Any]:
    if isinstance(index.projects, str):
        return {"ProjectionType": index.projects}
    carried = design.carried(index)
    if not carried:  # keys alone, which DynamoDB wants to be told so
        return {"ProjectionType": KEYS_ONLY}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": carried}


def aspects(table: Mapping[str, Any], ttl: str | None) -> dict[str, str]:
    """What a table is, part by part: of the arguments of CreateTable or of what DescribeTable says.

    Tables of which these are the same are made from the same design.
    """
    kinds = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    found = {"key": _key_aspect(table["KeySchema"], kinds)}
    for place, word in (("GlobalSecondaryIndexes", ""), ("LocalSecondaryIndexes", "local, ")):
        for index in sorted(table.get(place) or (), key=lambda one: str(one["IndexName"])):
            says = f"{word}{_key_aspect(index['KeySchema'], kinds)}, {_held(index['Projection'])}"
            found[f"index {index['IndexName']}"] = says
    stream = table.get("StreamSpecification") or {}
    found["stream"] = stream["StreamViewType"] if stream.get("StreamEnabled") else "none"
    found["ttl"] = ttl or "none"
    return found


def _key_aspect(schema: Sequence[Mapping[str, str]], kinds: Mapping[str, str]) -> str:
    # Partition keys first; each in the order that is part of the key.
    words = {"HASH": "partition", "RANGE": "sort"}
    ordered = [part for kind in words for part in schema if part["KeyType"] == kind]
    named = ((part["AttributeName"], words[part["KeyType"]]) for part in ordered)
    return ", ".join(f"{name} ({word}, {kinds[name]})" for name, word in named)


def _held(projection: Mapping[str, Any]) -> str:
    whole = {ALL: "everything", KEYS_ONLY: "keys only"}
    kind = projection["ProjectionType"]
    return whole.get(kind) or f"keys and {', '.join(sorted(projection['NonKeyAttributes']))}"
