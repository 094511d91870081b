"""Validation of `formerly`: whether items of the design before can be read as this one's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.model.entity import Key
from tablewright.model.former import (
    Forms,
    forms,
    forms_of,
    has_same_shards,
    has_same_texts,
    is_in_order,
)
from tablewright.model.patterns import Collection, Count, Query
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.table import Design, can_share
from tablewright.model.validation.keys import can_collide

_ANOTHER = "give the index another name, fill it, and let readers use that one"


def former_problems(design: Design) -> Iterator[str]:
    """What keeps a design from reading what the one before it has written."""
    before = design.formerly
    if before is None:
        return
    if before.formerly is not None:
        yield (
            f"it was formerly {before.id}, which was formerly {before.formerly.id}: finish one "
            f"change before the next, and take `formerly` from {before.id}"
        )
    kinds = [[(name, one.kind(name)) for name in one.key.names] for one in (design, before)]
    if kinds[0] != kinds[1]:
        yield (
            f"{before.id} has other key attributes, and no table changes those: make another "
            "table, and copy the items"
        )
        return
    for entity in before.entity_list:
        if entity.name not in design.entities:
            yield (
                f"{before.id} stores {entity.name}, which this design does not: an entity that has "
                f"another class now keeps its name by `name={entity.name!r}`; one that is gone is "
                f"left out of {before.id}"
            )
    yield from _index_attributes(design, before)
    known = forms(design)
    for one in known.values():
        yield from _entity(design, before, one)
    for pattern in design.pattern_list:
        mine = [known[name] for name in pattern.entities if name in known]
        if mine and isinstance(pattern, Count):
            yield (
                f"access pattern '{pattern.name}' counts in items whose form changes, which "
                "counters do not bring over: count under another entity's name"
            )
        if isinstance(pattern, Query):
            yield from _list(design, before, pattern, mine)


def _index_attributes(design: Design, before: Design) -> Iterator[str]:
    for index in design.index_list:
        old = before.indexes.get(index.name)
        if old and (old.key.partition, old.key.sort) != (index.key.partition, index.key.sort):
            yield (
                f"index {index.name} had other key attributes in {before.id}, which no index "
                f"changes: {_ANOTHER}"
            )


def _entity(design: Design, before: Design, one: Forms) -> Iterator[str]:
    name = one.new.name
    for field in one.new.fields:
        if not field.optional and field.name not in one.old.by_name:
            yield (
                f"{name}.{field.name} is required, and items of {before.id} do not have it: give "
                "it a default until they do"
            )
    yield from _primary_key(before, one)
    yield from _epochs(design, one)
    for other in before.entity_list:
        told_apart = design.entity_type and before.entity_type
        if other.name != name and not told_apart and can_collide(one.new, other):
            yield (
                f"{name} has keys of the form that {other.name} had in {before.id}, so that they "
                "cannot be told apart: choose other words"
            )


def _primary_key(before: Design, one: Forms) -> Iterator[str]:
    name, new, old = one.new.name, one.new.key, one.old.key
    needed = dict.fromkeys((*old.fields, *(old.shards.inputs if old.shards else ())))
    lost = [field for field in needed if field not in new.fields]
    if lost and one.is_moved:
        yield (
            f"the key of {name} had {{{lost[0]}}} in {before.id} and has it no more, so that items "
            "cannot be found there: keep the field in the key, or store them under another "
            "entity's name"
        )
    yield from _other_texts(one, new, old, f"the key of {name}", "keep the field, and add another")
    if one.is_apart(None) and can_collide(one.new, one.old):
        yield (
            f"keys of {name} can be both of the form {new.partition[0].text} and of the form that "
            f"they had in {before.id}: choose other words"
        )


def _other_texts(one: Forms, new: Key, old: Key, where: str, instead: str) -> Iterator[str]:
    for field in dict.fromkeys(new.fields):
        mine, theirs = one.new.by_name.get(field), one.old.by_name.get(field)
        if mine and theirs and field in old.fields and not has_same_texts(mine, theirs):
            yield (
                f"{where} has {{{field}}}, which was a {theirs.type_name} and is a "
                f"{mine.type_name}, or one of another width: {instead}"
            )


def _epochs(design: Design, one: Forms) -> Iterator[str]:
    for index in (None, *one.new.indexed):
        keys = one.keys(index)
        sharded = keys and any(isinstance(key.shards, EpochShards) for key in keys)
        if keys and sharded and not has_same_shards(*keys):
            yield (
                f"{one.new.name} is sharded by epochs otherwise than before: keep its shards, "
                f"and {_ANOTHER}"
            )
    source = design.patterns.get(design.epochs or "")
    if source and one.new.name in source.entities:
        yield f"{one.new.name} holds the epochs of shards, whose form cannot change"


def _list(
    design: Design, before: Design, pattern: Query[Any], concerned: list[Forms]
) -> Iterator[str]:
    name = f"access pattern '{pattern.name}'"
    instead = _ANOTHER if pattern.index else "list by an index of another name, once it is filled"
    apart = [one for one in concerned if one.differs(pattern.index)]
    for one in apart:
        keys = one.keys(pattern.index)
        if keys:
            yield from _one_list(design, pattern, one, keys, name, instead)
    if not apart or not isinstance(pattern, Collection):
        return
    olds = [before.entities.get(entity) for entity in pattern.entities]
    keys_before = [
        (old.indexed.get(pattern.index) if pattern.index else old.key) if old else None
        for old in olds
    ]
    first, *others = keys_before
    together = first and all(key and can_share(first, key) for key in others)
    if not together or any(not _has_same_sort_key(one, pattern.index) for one in apart):
        yield (
            f"{name} lists {' and '.join(pattern.entities)}, which {before.id} sorted otherwise or "
            f"did not keep together: {instead}"
        )


def _has_same_sort_key(one: Forms, index: str | None) -> bool:
    keys = one.keys(index)
    return keys is not None and [t.text for t in keys[0].sort] == [t.text for t in keys[1].sort]


def _one_list(
    design: Design,
    pattern: Query[Any],
    one: Forms,
    keys: tuple[Key, Key],
    name: str,
    instead: str,
) -> Iterator[str]:
    new, old = keys
    where = f"the key that {name} lists {one.new.name} by"
    if pattern.index:
        yield from _other_texts(one, new, old, where, instead)
    if set(new.partition_fields) != set(old.partition_fields):
        yield f"{where} had other fields in its partition key: {instead}"
    elif not is_in_order(new, old):
        yield (
            f"{where} sorted otherwise before: only what stands before its first field may "
            f"change. Else, {instead}"
        )
    attributes = design.key_attributes(pattern.index)
    if len(attributes.partition) > 1 or len(attributes.sort) > 1:
        yield f"{where} has several attributes, by which both forms do not merge: {instead}"
    if any(design.kind(attribute) != "S" for attribute in attributes.sort):
        yield f"{where} sorts by a number or bytes, by which both forms do not merge: {instead}"
    pairs = zip(new.templates, old.templates, strict=False)
    if forms_of(new) != forms_of(old) and all(mine.can_equal(its) for mine, its in pairs):
        yield f"{where} can be of both forms at once: choose other words, or {instead}"
