"""Collisions: items of an old form that lie where a new design has its own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from tablewright import model
from tablewright.changes.comparison.described import (
    Described,
    DescribedEntity,
    Json,
    fields_in,
    key_model,
)
from tablewright.changes.comparison.parts import with_choices
from tablewright.model.declaration import Entity
from tablewright.model.entity import EntityModel, Key
from tablewright.model.fields.base import Field
from tablewright.model.table import can_share
from tablewright.model.validation.keys import can_collide


def can_collide_with(
    old: Described, before: DescribedEntity, new: Described, after: DescribedEntity
) -> bool:
    """Whether an item of an old entity can have the key of one of a new entity."""
    return can_collide(_model(old, before), _model(new, after))


def lies_among(entity: DescribedEntity, new: Described) -> list[str]:
    """The entities of a design whose lists would meet items of one that it does not know.

    Lists that have others in their partitions look at every item, and pass over what they do not
    know.
    """
    return [one.name for one in new.entities.values() if any(_alone_with(entity, one, new))]


def _alone_with(entity: DescribedEntity, one: DescribedEntity, new: Described) -> Iterator[bool]:
    others = [other for other in new.entities.values() if other is not one]
    for index, key in entity.keys.items():
        if index not in one.keys:
            continue
        own = key_model(one.keys[index])
        keys = [key_model(other.keys[index]) for other in others if index in other.keys]
        looks = any(can_share(own, other) for other in keys)
        yield not looks and _meets(own, key_model(key))


def _meets(own: Key, other: Key) -> bool:
    """Whether a list by one key reads items that have another: they share a partition, and the
    sort key can begin with the words that the list asks for."""
    if not can_share(own, other):
        return False
    for asked, form in zip(own.sort, other.sort, strict=False):
        words, begins = asked.literals[0], form.literals[0]
        return begins.startswith(words) or bool(form.fields and words.startswith(begins))
    return True


def _model(design: Described, entity: DescribedEntity) -> EntityModel:
    """An entity with its key, and the fields that stand in it."""
    key = entity.keys[None]
    names = {*fields_in(key.get("partition")), *fields_in(key.get("sort"))}
    fields = with_choices(entity.fields, design.json)
    known = [_field(fields[name]).named(name) for name in names if name in fields]
    return EntityModel(entity.name, key=key_model(key), fields=known, made=Entity)


def _field(field: Json) -> Field[Any]:
    # One of somebody's own may hold any text.
    specifier = getattr(model, field["kind"], model.Text)
    takes = inspect.signature(specifier).parameters.keys() - {"default"}
    options = {name: value for name, value in field.items() if name in takes}
    if "choices" in field:
        specifier, options = model.Choice, {"of": tuple(field["choices"])}
    made: Field[Any] = specifier(**options)
    return made
