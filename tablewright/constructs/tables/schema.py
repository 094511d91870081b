"""A design's keys, indexes and stream in the terms of CDK."""

from collections.abc import Sequence
from typing import Any

from aws_cdk import aws_dynamodb as dynamodb

from tablewright.constructs.tables.capacity import Capacity
from tablewright.model.table import ALL, KEYS_ONLY, Design, Index

_TYPES = {
    "S": dynamodb.AttributeType.STRING,
    "N": dynamodb.AttributeType.NUMBER,
    "B": dynamodb.AttributeType.BINARY,
}


def partition_key(design: Design) -> dynamodb.Attribute:
    return _attribute(design, design.pk)


def sort_key(design: Design) -> dynamodb.Attribute | None:
    return _attribute(design, design.sk) if design.sk else None


def indexes(design: Design, capacity: Capacity) -> list[dynamodb.GlobalSecondaryIndexPropsV2]:
    found = (index for index in design.index_list if not index.local)
    return [
        dynamodb.GlobalSecondaryIndexPropsV2(
            **_index(design, index),
            **_key(design, "partition_key", index.key.partition),
            **_key(design, "sort_key", index.key.sort),
            **capacity.index_options,
        )
        for index in found
    ]


def local_indexes(design: Design) -> list[dynamodb.LocalSecondaryIndexProps]:
    found = (index for index in design.index_list if index.local)
    return [
        dynamodb.LocalSecondaryIndexProps(
            **_index(design, index), sort_key=_attribute(design, index.key.sort[0])
        )
        for index in found
    ]


def stream(design: Design) -> dynamodb.StreamViewType | None:
    names = {
        "KEYS_ONLY": dynamodb.StreamViewType.KEYS_ONLY,
        "NEW_IMAGE": dynamodb.StreamViewType.NEW_IMAGE,
        "OLD_IMAGE": dynamodb.StreamViewType.OLD_IMAGE,
        "NEW_AND_OLD_IMAGES": dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
    }
    return names[design.stream] if design.stream else None


def _index(design: Design, index: Index) -> dict[str, Any]:
    whole = {ALL: dynamodb.ProjectionType.ALL, KEYS_ONLY: dynamodb.ProjectionType.KEYS_ONLY}
    if isinstance(index.projects, str):
        return {"index_name": index.name, "projection_type": whole[index.projects]}
    return {
        "index_name": index.name,
        "projection_type": dynamodb.ProjectionType.INCLUDE,
        "non_key_attributes": design.carried(index),
    }


def _key(design: Design, name: str, attributes: Sequence[str]) -> dict[str, Any]:
    found = [_attribute(design, attribute) for attribute in attributes]
    return {f"{name}s": found} if len(found) > 1 else {name: found[0]} if found else {}


def _attribute(design: Design, name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=_TYPES[design.kind(name)])
