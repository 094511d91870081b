"""Validation of keys: their forms, their attributes, and what tells entities apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from tablewright.model.entity import EntityModel, Key, KeyAttributes
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.numbers import WholeField
from tablewright.model.fields.text import LinesField, TextField
from tablewright.model.key_template import Template
from tablewright.model.patterns import BatchDelete, BatchPut, BatchWrite, Count
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.table import KEYS_ONLY, Design, Index
from tablewright.model.validation.epochs import epoch_shards
from tablewright.model.validation.key_texts import (
    ANYTHING,
    KeyPart,
    Ranges,
    find_readings,
    without,
)

_KINDS = {"S": "a text", "N": "a number", "B": "binary"}
_KEY_LIMIT = 4  # attributes of a partition key, and of a sort key


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
        if len(set(template.fields)) == len(template.fields):
            yield from _ambiguity(entity, template, where)
        fixed = len("".join(template.literals).encode())
        if fixed >= template.limit:
            yield f"{where} of {entity.name} has {fixed} bytes of fixed text. Shorten {attribute}"
        for name in template.fields:
            for word in getattr(entity.by_name.get(name), "choices", ()):
                if reason := template.refuses(word):
                    yield f"{entity.name}.{name} can be {word!r}, but in {where} it {reason}"
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
                field = entity.by_stored.get(attribute)
                if field or (key and attribute in dict(attributes.of(key))):
                    # DynamoDB refuses an item whose attribute is not of the type of the key.
                    kind = "S" if field is None else "B" if field.secret else field.kind
                    kinds.setdefault(_KINDS.get(kind, f"{kind}, no type of a key,"), entity.name)
            if len(kinds) > 1:
                types = " and ".join(f"{kind} for {name}" for kind, name in sorted(kinds.items()))
                yield f"attribute '{attribute}' is {types}: an index has one type of key"


def collisions(design: Design) -> Iterator[str]:
    """Entities that can have the same key in the table."""
    for one, two in combinations(design.entity_list, 2):
        example = find_collision(one, two)
        if example is None:
            continue
        if design.entity_type:
            yield from _told_apart(design, one, two)
            continue
        records = " and ".join(
            f"{entity.name}({shown_texts(texts)})"
            for entity, texts in zip((one, two), example.texts, strict=True)
        )
        yield (
            f"{one.name} and {two.name} can have the same key: {records} are both "
            f"{' / '.join(map(repr, example.key))}. Give them different words, give a field a "
            "pattern, or give the table an entity_type"
        )


class Collision(NamedTuple):
    """A key that two entities can have, and the texts that their fields have in it."""

    key: tuple[str, ...]
    texts: tuple[dict[str, str], dict[str, str]]


def find_collision(one: EntityModel, two: EntityModel) -> Collision | None:
    """An example of two items with the same key in the table, None if there is none."""
    pairs = zip(one.key.templates, two.key.templates, strict=False)
    found = [find_readings(key_parts(one, mine), key_parts(two, theirs)) for mine, theirs in pairs]
    read = [readings for readings in found if readings]
    if len(read) < len(found):
        return None
    texts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for readings in read:
        texts[0].update(readings.one)
        texts[1].update(readings.two)
    return Collision(tuple(readings.text for readings in read), texts)


def can_collide(one: EntityModel, two: EntityModel) -> bool:
    """True if items of two entities can have the same key."""
    return find_collision(one, two) is not None


def key_parts(entity: EntityModel, template: Template) -> tuple[KeyPart, ...]:
    """The literals and fields of a template, with the texts that they can have in it."""
    parts = [KeyPart("", re.escape(template.literals[0]))]
    for name, literal in zip(template.fields, template.literals[1:], strict=True):
        characters = _characters(entity.by_name.get(name))
        if len(template.delimiter) == 1:
            characters = without(characters, template.delimiter)
        parts.append(KeyPart(name, entity.key_pattern(name), characters))
        parts.append(KeyPart("", re.escape(literal)))
    return tuple(parts)


def _characters(field: Field[Any] | None) -> Ranges:
    """The characters that a field's text can have, whatever its pattern."""
    if not isinstance(field, TextField) or isinstance(field, LinesField):
        return ANYTHING
    return without(ANYTHING, "".join(map(chr, (*range(32), *range(127, 160)))))


def shown_texts(texts: Mapping[str, str]) -> str:
    """Texts of fields, as messages show them."""
    return ", ".join(f"{name}={text!r}" for name, text in texts.items())


def _ambiguity(entity: EntityModel, template: Template, where: str) -> Iterator[str]:
    """A key that two records of one entity can have."""
    parts = key_parts(entity, template)
    found = find_readings(parts, parts, len(parts))
    if found is None:
        return
    name = next(one for one in template.fields if found.one[one] != found.two[one])
    literal = template.literals[template.fields.index(name) + 1]
    remedy = f"separate them with '{template.delimiter or '#'}'"
    if len(literal) == 1 and literal != template.delimiter:
        remedy += f', give Key(delimiter="{literal}")'
    yield (
        f"{where} of {entity.name}, {template.text}, can be read in two ways: "
        f"{entity.name}({shown_texts(found.one)}) and {entity.name}({shown_texts(found.two)}) are "
        f"both {found.text!r}. The field {name} can go on where the next part begins: {remedy}, or "
        f"give {name} a pattern or a fixed width"
    )


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
