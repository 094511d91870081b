"""Validation of secret fields: they stand in no key, and nothing is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.model.computed import Digest
from tablewright.model.entity import EntityModel
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField
from tablewright.model.patterns import Count
from tablewright.model.table import Design


def secret_problems(design: Design, entity: EntityModel) -> Iterator[str]:
    """What is wrong with the secret fields of an entity."""
    keys = {n for index in (None, *design.indexes) for n in design.key_attributes(index).names}
    read = {name: where for where, names in _uses(design, entity) for name in names}
    for field in entity.secrets:
        name = f"{entity.name}.{field.name}"
        if field.name in read:
            yield f"{name} is secret and cannot be {read[field.name]}: give that a field of its own"
        elif not field.stored or field.stored in keys:
            yield f"{name} is secret and cannot be a key: find it by a Digest"
        elif field.stored in (design.ttl, design.entity_type):
            yield f"{name} is secret and stored as '{field.stored}', which DynamoDB must read"
    for field in entity.fields:
        if any(inner.secret for inner in _inner(field)):
            yield f"{entity.name}.{field.name} has a secret inside: make all of it secret"
    for digest in entity.computed.values():
        if isinstance(digest, Digest) and not digest.of.secret:
            yield f"{entity.name}.{digest.name} is a Digest of {digest.of.name}, which is no secret"


def _uses(design: Design, entity: EntityModel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What reads fields in clear, and those that it reads."""
    for key in entity.keys:
        yield "part of a key, but for a Digest of it", key.fields
        yield "what a key is sharded by", key.shards.inputs if key.shards else ()
    for one in entity.computed.values():
        if not isinstance(one, Digest):
            yield "what a key is computed from, but for a Digest of it", one.inputs
    yield "what items expire by", (entity.expires.field,) if entity.expires else ()
    yield "the tenant", (design.tenant,) if design.tenant else ()
    for pattern in design.pattern_list:
        if isinstance(pattern, Count) and entity.name in (pattern.entity, pattern.marker):
            yield f"counted by '{pattern.name}'", tuple(entity.by_name)


def _inner(field: Field[Any]) -> Iterator[Field[Any]]:
    """The fields that a field is made of."""
    if isinstance(field, SetOfField | ListOfField):
        yield field.of
        yield from _inner(field.of)
    elif isinstance(field, PartOfField):
        for one in field.of.__part__.fields:
            yield one
            yield from _inner(one)
