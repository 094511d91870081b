"""A design's keys, indexes and stream in the terms of CDK.

A table that a plan changes is on its way: it has the form of a step, not yet that of its design.
"""

import json
from collections.abc import Sequence
from typing import Any

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from tablewright.constructs.tables.capacity import Capacity
from tablewright.model.table import Design
from tablewright.model.table_form import IndexForm, TableForm

ON_THE_WAY = "tablewright:on-the-way"
"""Context with the form of each table that is on its way, by the id of its design."""

_TYPES = {
    "S": dynamodb.AttributeType.STRING,
    "N": dynamodb.AttributeType.NUMBER,
    "B": dynamodb.AttributeType.BINARY,
}


def form(scope: Construct, design: Design) -> TableForm:
    """The form of a design's table: that of the design or, on the way there, that of a step."""
    found = _on_the_way(scope, design)
    return TableForm.from_json(found) if found else TableForm.of(design)


def expiry_off(scope: Construct, design: Design) -> dict[str, Any] | None:
    """How CloudFormation wants to be told that a step switches expiry off: it refuses a template
    that merely says no more of it."""
    off = _on_the_way(scope, design).get("ttl_off")
    return {"AttributeName": off, "Enabled": False} if off else None


def _on_the_way(scope: Construct, design: Design) -> dict[str, Any]:
    told = scope.node.try_get_context(ON_THE_WAY) or {}
    tables = json.loads(told) if isinstance(told, str) else told
    return dict(tables.get(design.id) or {})


def key(table: TableForm) -> dict[str, Any]:
    """The table's own key, as arguments of TableV2."""
    return {**_key("partition_key", table.partition), **_key("sort_key", table.sort)}


def indexes(
    design: Design, table: TableForm, capacity: Capacity
) -> list[dynamodb.GlobalSecondaryIndexPropsV2]:
    return [
        dynamodb.GlobalSecondaryIndexPropsV2(
            **_projection(design, name, index),
            **_key("partition_key", index.partition),
            **_key("sort_key", index.sort),
            **capacity.index_options,
        )
        for name, index in table.indexes.items()
    ]


def local_indexes(design: Design, table: TableForm) -> list[dynamodb.LocalSecondaryIndexProps]:
    return [
        dynamodb.LocalSecondaryIndexProps(
            **_projection(design, name, index), **_key("sort_key", index.sort)
        )
        for name, index in table.local.items()
    ]


def stream(table: TableForm) -> dynamodb.StreamViewType | None:
    return dynamodb.StreamViewType[table.stream] if table.stream else None


def _projection(design: Design, name: str, index: IndexForm) -> dict[str, Any]:
    told = {"index_name": name, "projection_type": dynamodb.ProjectionType[index.projects]}
    if not index.attributes:
        return told
    carried: Sequence[str] = index.attributes
    if name in design.indexes and set(carried) == set(own := design.carried(design.indexes[name])):
        carried = own  # in the order of declaration, which templates keep
    return {**told, "non_key_attributes": list(carried)}


def _key(name: str, attributes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    found = [dynamodb.Attribute(name=one, type=_TYPES[kind]) for one, kind in attributes]
    return {f"{name}s": found} if len(found) > 1 else {name: found[0]} if found else {}
