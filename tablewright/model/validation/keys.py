"""Validation of keys: their forms, their attributes, and what tells entities apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from tablewright.model.entity import EntityModel, Key, KeyAttributes
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.numbers import NumberField, WholeField
from tablewright.model.fields.time import DateTextField, TimestampTextField
from tablewright.model.key_template import Template
from tablewright.model.patterns import BatchDelete, BatchPut, BatchWrite, Count
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.table import KEYS_ONLY, Design, Index
from tablewright.model.validation.epochs import epoch_shards

_KEY_LIMIT = 4  # attributes of a partition key, and of a sort key
# All that the texts of these are made of; other fields may hold anything.
_CHARACTERS: tuple[tuple[type[Field[Any]], str], ...] = (
    (DateTextField, "0123456789-"),
    (TimestampTextField, "0123456789-:.TZ"),
    (NumberField, "0123456789-+.E"),
)


def index_attributes(design: Design, index: Index) -> Iterator[str]:
    """What is wrong with the attributes of an index's key."""
    for what, names in (("partition", index.key.partition), ("sort", index.key.sort)):
        if len(names) > _KEY_LIMIT:
            yield (
                f"index {index.name} has {len(names)} attributes in its {what} key, "
                f"{_KEY_LIMIT} are allowed"
            )
    repeated = [name for name, times in Counter(index.key.names).items() if times > 1]
    if repeated:
        yield f"index {index.name} has the attribute '{repeated[0]}' twice in its key"
    if not index.local:
        return
    if not design.sk:
        yield f"index {index.name} is local, but the table has no sort key"
    if index.key.partition != design.key.partition or len(index.key.sort) != 1:
        yield (
            f"index {index.name} is local: its partition key is '{design.pk}', the table's, and "
            "its sort key is one attribute"
        )


def entity_keys(design: Design, entity: EntityModel) -> Iterator[str]:
    """What is wrong with the keys of an entity, in the table and in its indexes."""
    yield from _key(design, entity, entity.key, "the table's key", design.key)
    for name in entity.inputs(entity.key):
        if name in entity.by_name and entity.by_name[name].can_be_missing:
            yield f"{entity.name}.{name} is part of the table's key and cannot be optional"
    for index_name, key in entity.indexed.items():
        index = design.indexes.get(index_name)
        if index is None:
            yield f"{entity.name} is indexed in '{index_name}', which the table does not have"
            continue
        yield from _key(design, entity, key, f"index {index.name}", index.key)
        yield from _membership(entity, index, key)
    yield from _two_forms(design, entity)
    yield from _numbers_in_texts(entity)


def _membership(entity: EntityModel, index: Index, key: Key) -> Iterator[str]:
    for name in entity.inputs(key):
        field = entity.by_name.get(name)
        if field and field.can_be_missing and not index.sparse:
            yield (
                f"{entity.name}.{name} can be missing, so index {index.name} must be sparse: "
                "an item without it has no index key"
            )


def _key(
    design: Design, entity: EntityModel, key: Key, where: str, attributes: KeyAttributes
) -> Iterator[str]:
    for name in key.fields:
        if name in entity.computed:
            continue
        if name not in entity.by_name:
            yield f"{where} of {entity.name} uses '{{{name}}}', which {entity.name} does not have"
        elif not _can_stand_in_keys(entity.by_name[name]):
            kind = entity.by_name[name].type_name
            yield f"{entity.name}.{name} is in {where}, but a {kind} cannot be"
    yield from _repeated(entity, key, where)
    yield from _sharding(design, entity, key, where, attributes)
    for what, names, forms in (
        ("partition", attributes.partition, key.partition),
        ("sort", attributes.sort, key.sort),
    ):
        if len(names) != len(forms):
            yield _miscounted(entity, key, where, what, names, forms)
    for attribute, template in attributes.of(key):
        if attribute in entity.by_stored:
            field = entity.by_stored[attribute]
            if template.bare_field == field.name and field.kind == "BOOL":
                yield (
                    f"attribute '{attribute}' is {entity.name}.{field.name}, a {field.type_name}, "
                    "which no key can be: give the key an attribute of its own"
                )
            if template.bare_field != field.name:
                yield (
                    f"attribute '{attribute}' is both {entity.name}.{field.name} "
                    f"and the key {template.text}"
                )
    first = key.partition[0]
    if design.tenant and not key.shared and not _begins_with_tenant(first, design.tenant):
        yield (
            f"the partition key {first.text} of {entity.name} ({where}) does not set tenants "
            f"apart: it must begin with fixed text and {{{design.tenant}}}, followed by "
            f"'{first.delimiter or '#'}' or nothing"
        )


def _miscounted(
    entity: EntityModel,
    key: Key,
    where: str,
    what: str,
    names: tuple[str, ...],
    forms: tuple[Template, ...],
) -> str:
    """Describe a key that has more or fewer templates than attributes."""
    owner = "the table" if where == "the table's key" else where
    written = ", ".join(f'"{one.text}"' for one in key.templates)
    if not forms:
        fault = f'has no sort key, but {owner} declares sk="{names[0]}". Add a second template.'
    elif not names:
        fault = f"has a sort key, but {owner} declares no sk. Leave out the second template."
    else:
        attributes = f"{len(names)} attributes of the {what} key of {owner}"
        fault = f"has {len(forms)} template(s) for the {attributes}. Write one for each"
    return f"{entity.name}: Key({written}) {fault}"


def _sharding(
    design: Design, entity: EntityModel, key: Key, where: str, attributes: KeyAttributes
) -> Iterator[str]:
    sharded = any("shard" in template.fields for template in key.partition)
    if sharded and key.shards is None:
        yield f"{where} of {entity.name} has a {{shard}} but no Shards. Add shards=Shards(10, by=…)"
    if key.shards and "shard" in entity.by_name:
        yield (
            f"{entity.name}.shard has the name of the computed {{shard}} in {where}. "
            "Give the field another name"
        )
    if key.shards and not sharded:
        yield f"{where} of {entity.name} has Shards but no {{shard}} in its partition key"
    if key.shards and key.shards.by not in entity.by_name:
        yield f"{where} of {entity.name} is sharded by '{key.shards.by}', which it does not have"
    if isinstance(key.shards, EpochShards):
        yield from epoch_shards(design, entity, key, key.shards, where)
    elif key.shards and key.shards.count < 1:
        yield f"{where} of {entity.name} has {key.shards.count} shards, at least 1 is needed"
    sorts_by = entity.by_stored.get(attributes.sort[0]) if attributes.sort else None
    if key.shards and sorts_by and sorts_by.kind != "S":
        yield (
            f"{where} of {entity.name} is sharded and sorted by the number {sorts_by.name}: shards "
            "are merged by text, so give it a padded form"
        )
    if key.shards and len(attributes.names) > 2:
        yield f"{where} of {entity.name} is sharded, which a key of several attributes cannot be"


def _repeated(entity: EntityModel, key: Key, where: str) -> Iterator[str]:
    for template in key.templates:
        for name, times in Counter(template.fields).items():
            if times > 1:
                yield f"{where} of {entity.name} has {{{name}}} {times} times in {template.text}"


def _numbers_in_texts(entity: EntityModel) -> Iterator[str]:
    """Numbers that are a key in one place and part of a text in another, or would sort wrongly."""
    for key in entity.keys:
        for template in key.templates:
            for name in template.fields:
                field = entity.by_name.get(name)
                text = isinstance(field, WholeField) and name not in entity.number_keys
                if text and isinstance(field, WholeField) and field.lowest < 0:
                    yield (
                        f"{entity.name}.{name} can be negative, and stands in the text of the key "
                        f"{template.text}, which would not sort as it does"
                    )
                if name in entity.number_keys and template.bare_field is None:
                    yield (
                        f"{entity.name}.{name} is a key by itself, as a number, and part of the "
                        f"key {template.text}: store one as another field"
                    )


def _two_forms(design: Design, entity: EntityModel) -> Iterator[str]:
    """Key attributes that several keys share, of which only one could be stored."""
    forms: dict[str, str] = {}
    known = {name: key for name, key in entity.indexed.items() if name in design.indexes}
    for index, key in ((None, entity.key), *known.items()):
        for attribute, template in design.key_attributes(index).of(key):
            if forms.setdefault(attribute, template.text) != template.text:
                yield (
                    f"attribute '{attribute}' is both the key {forms[attribute]} and the key "
                    f"{template.text} of {entity.name}"
                )


def _can_stand_in_keys(field: Field[Any]) -> bool:
    return field.kind in ("S", "N", "B", "BOOL") and not isinstance(field, TallyField)


def _begins_with_tenant(template: Template, tenant: str) -> bool:
    following = template.literals[1] if len(template.literals) > 1 else ""
    closed = following.startswith(template.delimiter) if following else len(template.fields) == 1
    return template.fields[:1] == (tenant,) and closed


def kinds(design: Design) -> Iterator[str]:
    """Key attributes that are of one type in one entity and of another in the next."""
    for index in (None, *design.indexes):
        attributes = design.key_attributes(index)
        for attribute in attributes.names:
            kinds: dict[str, str] = {}
            for entity in design.entity_list:
                key = entity.indexed.get(index) if index else entity.key
                if key and attribute in dict(attributes.of(key)):
                    own = entity.by_stored.get(attribute)
                    number = own is not None and own.name in entity.number_keys
                    kinds.setdefault("N" if number else "S", entity.name)
            if len(kinds) > 1:
                yield (
                    f"attribute '{attribute}' is a number for {kinds['N']} and a text for "
                    f"{kinds['S']}: an index has one type of key"
                )


def collisions(design: Design) -> Iterator[str]:
    for one, two in combinations(design.entity_list, 2):
        if can_collide(one, two):
            if design.entity_type:
                yield from _told_apart(design, one, two)
                continue
            yield (
                f"{one.name} and {two.name} can have the same key {one.key.partition[0].text}: "
                "give them different words, or the table an entity_type"
            )


def can_collide(one: EntityModel, two: EntityModel) -> bool:
    """Whether items of two entities can have the same key."""
    pairs = zip(one.key.templates, two.key.templates, strict=False)
    return all(_can_equal(one, mine, two, theirs) for mine, theirs in pairs)


def _told_apart(design: Design, *entities: EntityModel) -> Iterator[str]:
    """What keeps entities with keys of the same form from being told apart by their type."""
    for entity in entities:
        for name in entity.indexed:
            if design.indexes[name].projects == KEYS_ONLY:
                yield (
                    f"index {name} projects keys alone, by which {entity.name} cannot be told from "
                    "entities with keys of the same form: project a field"
                )
        for pattern in design.pattern_list:
            blind = isinstance(pattern, BatchPut | BatchDelete | BatchWrite | Count)
            if blind and entity.name in pattern.entities:
                yield (
                    f"access pattern '{pattern.name}' cannot look at what it replaces, and others "
                    f"can have the key of a {entity.name}"
                )


def _can_equal(one: EntityModel, mine: Template, two: EntityModel, theirs: Template) -> bool:
    for entity, bare, other in ((one, mine, theirs), (two, theirs, mine)):
        field = entity.by_name.get(bare.bare_field or "")
        # No day, moment or number takes the form of a key with words in it.
        if field and other.bare_field is None and not _can_take(field, other):
            return False
    return mine.can_equal(theirs)


def _can_take(field: Field[Any], other: Template) -> bool:
    """Whether the field's text can be a key of the other form."""
    if not other.fields:
        return field.accepts_text(other.text)
    words = "".join(other.literals)
    return all(
        set(words) <= set(characters) for kind, characters in _CHARACTERS if isinstance(field, kind)
    )
