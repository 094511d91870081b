"""A design's keys, indexes and stream in the terms of CDK."""

from collections.abc import Sequence

from aws_cdk import aws_dynamodb as dynamodb

from tablewright.constructs.tables.capacity import Capacity
from tablewright.model.entity import EntityModel
from tablewright.model.key_template import Template
from tablewright.model.table import ALL, KEYS_ONLY, Design, Index

_TYPES = {
    "S": dynamodb.AttributeType.STRING,
    "N": dynamodb.AttributeType.NUMBER,
    "B": dynamodb.AttributeType.BINARY,
}


def partition_key(design: Design) -> dynamodb.Attribute:
    templates = [(entity, entity.key.pk) for entity in design.entity_list]
    return _attribute(design.pk, templates)


def sort_key(design: Design) -> dynamodb.Attribute | None:
    if design.sk is None:
        return None
    return _attribute(design.sk, [(entity, entity.key.sk) for entity in design.entity_list])


def indexes(design: Design, capacity: Capacity) -> list[dynamodb.GlobalSecondaryIndexPropsV2]:
    return [_index(design, index, capacity) for index in design.index_list]


def stream(design: Design) -> dynamodb.StreamViewType | None:
    names = {
        "KEYS_ONLY": dynamodb.StreamViewType.KEYS_ONLY,
        "NEW_IMAGE": dynamodb.StreamViewType.NEW_IMAGE,
        "OLD_IMAGE": dynamodb.StreamViewType.OLD_IMAGE,
        "NEW_AND_OLD_IMAGES": dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
    }
    return names[design.stream] if design.stream else None


def projected(design: Design, index: Index) -> list[str]:
    """The stored names of the attributes that an index carries beside the keys."""
    keys = {design.pk, design.sk, index.pk, index.sk}
    stored = [
        entity.by_name[name].stored
        for name in index.projects
        for entity in design.entity_list
        if index.name in entity.indexed and name in entity.by_name
    ]
    return [name for name in dict.fromkeys(stored) if name not in keys]


def _index(
    design: Design, index: Index, capacity: Capacity
) -> dynamodb.GlobalSecondaryIndexPropsV2:
    keys = [(e, e.indexed[index.name]) for e in design.entity_list if index.name in e.indexed]
    whole = {ALL: dynamodb.ProjectionType.ALL, KEYS_ONLY: dynamodb.ProjectionType.KEYS_ONLY}
    listed = not isinstance(index.projects, str)
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=index.name,
        partition_key=_attribute(index.pk, [(entity, key.pk) for entity, key in keys]),
        sort_key=_attribute(index.sk, [(entity, key.sk) for entity, key in keys])
        if index.sk
        else None,
        projection_type=whole[index.projects]
        if isinstance(index.projects, str)
        else dynamodb.ProjectionType.INCLUDE,
        non_key_attributes=projected(design, index) if listed else None,
        **capacity.index_options,
    )


def _attribute(
    name: str, templates: Sequence[tuple[EntityModel, Template | None]]
) -> dynamodb.Attribute:
    # A key that is one field and nothing else has that field's type; any other is text.
    for entity, template in templates:
        field = template.bare_field if template else None
        if field in entity.by_name:
            return dynamodb.Attribute(name=name, type=_TYPES[entity.by_name[field].kind])
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
