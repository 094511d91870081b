"""Validation of a design, at synth and test time, never in a Lambda function."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from tablewright.model.declaration import Table
from tablewright.model.entity import EntityModel, Key
from tablewright.model.errors import DesignError
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.numbers import NumberField
from tablewright.model.fields.time import DateTextField, TimestampTextField
from tablewright.model.key_template import Template
from tablewright.model.patterns import Count, Pattern, Query
from tablewright.model.restored import RESTORED_FROM
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.table import Design, Index
from tablewright.model.validation.epochs import epoch_pattern, epoch_shards

_INDEX_LIMIT = 20  # per table, and
_INCLUDE_LIMIT = 100  # projected attributes over all indexes: quotas of DynamoDB
# All that the texts of these are made of; other fields may hold anything.
_CHARACTERS: tuple[tuple[type[Field[Any]], str], ...] = (
    (DateTextField, "0123456789-"),
    (TimestampTextField, "0123456789-:.TZ"),
    (NumberField, "0123456789-+.E"),
)
_INDEX_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
_STREAMS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def check(table: type[Table]) -> None:
    """Raise DesignError, listing every fault, unless the design is sound."""
    problems = validate(table)
    if problems:
        raise DesignError(table.__design__.id, problems)


def validate(table: type[Table]) -> list[str]:
    """One sentence for each fault of the design, naming the culprit; empty when it is sound."""
    design = table.__design__
    problems = [*_names(design), *_limits(design)]
    for entity in design.entity_list:
        problems += _entity(design, entity)
    problems += [*epoch_pattern(design), *_collisions(design), *_kinds(design)]
    if not problems:  # patterns are only worth judging on sound keys
        for pattern in design.pattern_list:
            problems += _pattern(design, pattern)
    return problems


def _names(design: Design) -> Iterator[str]:
    named = {
        "entity": [entity.name for entity in design.entity_list],
        "index": [index.name for index in design.index_list],
        "access pattern": [pattern.name for pattern in design.pattern_list],
    }
    for what, names in named.items():
        yield from (
            f"two of kind {what} are named '{n}'" for n, c in Counter(names).items() if c > 1
        )
    for entity in design.entity_list:
        stored = Counter(field.stored for field in entity.fields if field.stored)
        yield from (f"{entity.name} stores two fields as '{n}'" for n, c in stored.items() if c > 1)
        if RESTORED_FROM in stored:
            yield f"{entity.name} stores a field as '{RESTORED_FROM}', which marks restored items"
        yield from _swallowed(design, entity)
        python = Counter(field.name for field in entity.fields)
        yield from (f"{entity.name} has two fields '{n}'" for n, c in python.items() if c > 1)


def _swallowed(design: Design, entity: EntityModel) -> Iterator[str]:
    """Attributes that would be read as part of a tally."""
    keys = [key for index in (None, *design.indexes) for key in design.key_attributes(index)]
    for tally in (field for field in entity.fields if isinstance(field, TallyField)):
        for name in dict.fromkeys((*entity.by_stored, *keys, design.ttl)):
            if name and name.startswith(tally.prefix):
                yield (
                    f"attribute '{name}' begins with '{tally.prefix}', the prefix of "
                    f"{entity.name}.{tally.name}"
                )


def _limits(design: Design) -> Iterator[str]:
    for index in design.index_list:
        if not _INDEX_NAME.fullmatch(index.name):
            yield (
                f"index '{index.name}' must have a name of 3 to 255 letters, digits, '_', '-' "
                "and '.'"
            )
    if len(design.index_list) > _INDEX_LIMIT:
        yield f"{len(design.index_list)} indexes are more than the {_INDEX_LIMIT} allowed"
    included = sum(len(i.projects) for i in design.index_list if not isinstance(i.projects, str))
    if included > _INCLUDE_LIMIT:
        yield f"the indexes project {included} attributes by name, {_INCLUDE_LIMIT} are allowed"
    for index in design.index_list:
        members = [entity for entity in design.entity_list if index.name in entity.indexed]
        for name in () if isinstance(index.projects, str) else index.projects:
            if not any(name in entity.by_name for entity in members):
                holds = " or ".join(entity.name for entity in members)
                yield f"index {index.name} projects '{name}', which no {holds or 'entity'} has"
    if design.stream and design.stream not in _STREAMS:
        yield f"stream '{design.stream}' is none of {', '.join(_STREAMS)}"


def _entity(design: Design, entity: EntityModel) -> Iterator[str]:
    yield from _key(design, entity, entity.key, "the table's key", (design.pk, design.sk))
    for name in entity.key.inputs:
        if name in entity.by_name and entity.by_name[name].optional:
            yield f"{entity.name}.{name} is part of the table's key and cannot be optional"
    for field in entity.fields:
        kept = field.stored or isinstance(field, TallyField)
        if not kept and field.name not in entity.key.fields:
            yield f"{entity.name}.{field.name} is not stored and stands in no key of the table"
    for index_name, key in entity.indexed.items():
        index = design.indexes.get(index_name)
        if index is None:
            yield f"{entity.name} is indexed in '{index_name}', which the table does not have"
            continue
        yield from _key(design, entity, key, f"index {index.name}", (index.pk, index.sk))
        yield from _membership(entity, index, key)
    yield from _two_forms(design, entity)
    yield from _numbers_in_texts(entity)
    if entity.expires and not design.ttl:
        yield f"{entity.name} expires, but the table has no ttl attribute"
    if entity.expires and entity.expires.field not in entity.by_name:
        yield f"{entity.name} expires by '{entity.expires.field}', which is not one of its fields"


def _numbers_in_texts(entity: EntityModel) -> Iterator[str]:
    """Numbers that are a key in one place and part of a text in another."""
    for key in entity.keys:
        for template in (key.pk, key.sk):
            for name in template.fields if template and template.bare_field is None else ():
                if name in entity.number_keys:
                    yield (
                        f"{entity.name}.{name} is a key by itself, as a number, and part of the "
                        f"key {template.text if template else ''}: store one as another field"
                    )


def _two_forms(design: Design, entity: EntityModel) -> Iterator[str]:
    """Key attributes that several keys share, of which only one could be stored."""
    forms: dict[str, str] = {}
    known = {name: key for name, key in entity.indexed.items() if name in design.indexes}
    for index, key in ((None, entity.key), *known.items()):
        names = design.key_attributes(index)
        for attribute, template in zip(names, (key.pk, key.sk), strict=True):
            form = template.text if template else ""
            if attribute and forms.setdefault(attribute, form) != form:
                yield (
                    f"attribute '{attribute}' is both the key {forms[attribute]} and the key "
                    f"{form} of {entity.name}"
                )


def _membership(entity: EntityModel, index: Index, key: Key) -> Iterator[str]:
    for name in key.inputs:
        field = entity.by_name.get(name)
        if field and field.optional and not index.sparse:
            yield (
                f"{entity.name}.{name} can be missing, so index {index.name} must be sparse: "
                "an item without it has no index key"
            )


def _repeated(entity: EntityModel, key: Key, where: str) -> Iterator[str]:
    for template in (key.pk, key.sk):
        for name, times in Counter(template.fields if template else ()).items():
            if times > 1:
                form = template.text if template else ""
                yield f"{where} of {entity.name} has {{{name}}} {times} times in {form}"


def _key(
    design: Design, entity: EntityModel, key: Key, where: str, attributes: tuple[str, str | None]
) -> Iterator[str]:
    for name in key.fields:
        if name not in entity.by_name:
            yield f"{where} of {entity.name} uses '{{{name}}}', which {entity.name} does not have"
        elif not _can_stand_in_keys(entity.by_name[name]):
            kind = entity.by_name[name].type_name
            yield f"{entity.name}.{name} is in {where}, but a {kind} cannot be"
    yield from _repeated(entity, key, where)
    sharded = "shard" in key.pk.fields
    if sharded and key.shards is None:
        yield f"{where} of {entity.name} has a {{shard}} but no Shards"
    if key.shards and not sharded:
        yield f"{where} of {entity.name} has Shards but no {{shard}} in its partition key"
    if key.shards and key.shards.by not in entity.by_name:
        yield f"{where} of {entity.name} is sharded by '{key.shards.by}', which it does not have"
    if isinstance(key.shards, EpochShards):
        yield from epoch_shards(design, entity, key, key.shards, where)
    elif key.shards and key.shards.count < 1:
        yield f"{where} of {entity.name} has {key.shards.count} shards, at least 1 is needed"
    sorts_by = entity.by_name.get(key.sk.bare_field or "") if key.sk else None
    if key.shards and sorts_by and sorts_by.kind != "S":
        yield (
            f"{where} of {entity.name} is sharded and sorted by the number {sorts_by.name}: shards "
            "are merged by text, so give it a padded form"
        )
    if (key.sk is None) != (attributes[1] is None):
        yield f"{where} of {entity.name} and its attributes disagree about a sort key"
    for attribute, template in zip(attributes, (key.pk, key.sk), strict=True):
        if attribute and template and attribute in entity.by_stored:
            field = entity.by_stored[attribute]
            if template.bare_field != field.name:
                yield (
                    f"attribute '{attribute}' is both {entity.name}.{field.name} "
                    f"and the key {template.text}"
                )
    if design.tenant and not key.shared and not _begins_with_tenant(key.pk, design.tenant):
        yield (
            f"the partition key {key.pk.text} of {entity.name} ({where}) does not set tenants "
            f"apart: it must begin with fixed text and {{{design.tenant}}}, followed by "
            f"'{key.pk.delimiter or '#'}' or nothing"
        )


def _can_stand_in_keys(field: Field[Any]) -> bool:
    return field.kind in ("S", "N") and not isinstance(field, TallyField)


def _begins_with_tenant(template: Template, tenant: str) -> bool:
    following = template.literals[1] if len(template.literals) > 1 else ""
    closed = following.startswith(template.delimiter) if following else len(template.fields) == 1
    return template.fields[:1] == (tenant,) and closed


def _kinds(design: Design) -> Iterator[str]:
    """Key attributes that are of one type in one entity and of another in the next."""
    for index in (None, *design.indexes):
        for position, attribute in enumerate(design.key_attributes(index)):
            kinds: dict[str, str] = {}
            for entity in design.entity_list:
                key = entity.indexed.get(index) if index else entity.key
                template = (key.pk, key.sk)[position] if key else None
                if attribute and template:
                    own = entity.by_stored.get(attribute)
                    number = own is not None and own.name in entity.number_keys
                    kinds.setdefault("N" if number else "S", entity.name)
            if len(kinds) > 1:
                yield (
                    f"attribute '{attribute}' is a number for {kinds['N']} and a text for "
                    f"{kinds['S']}: an index has one type of key"
                )


def _collisions(design: Design) -> Iterator[str]:
    for one, two in combinations(design.entity_list, 2):
        same_pk = _can_equal(one, one.key.pk, two, two.key.pk)
        sorts = (one.key.sk, two.key.sk)
        same_sk = _can_equal(one, sorts[0], two, sorts[1]) if sorts[0] and sorts[1] else True
        if same_pk and same_sk:
            yield f"{one.name} and {two.name} can have the same key {one.key.pk.text}"


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


def _pattern(design: Design, pattern: Pattern[Any]) -> Iterator[str]:
    name = f"access pattern '{pattern.name}'"
    entity = design.entities.get(pattern.entity)
    if entity is None:
        yield f"{name} is about '{pattern.entity}', which the table does not store"
    elif pattern.index and pattern.index not in entity.indexed:
        yield f"{name} reads {entity.name} from index {pattern.index}, which does not hold it"
    elif isinstance(pattern, Count):
        yield from _count(design, entity, pattern, name)
    elif isinstance(pattern, Query):
        yield from _query(design, entity, pattern, name)


def _count(design: Design, counter: EntityModel, count: Count[Any], name: str) -> Iterator[str]:
    marker = design.entities.get(count.marker)
    if marker is None:
        yield f"{name} marks events by '{count.marker}', which the table does not store"
    elif [field.kind for field in _outside_key(marker)] != ["SS"]:
        yield f"{name} needs {marker.name} to have one set and nothing else outside its key"
    numbers = _outside_key(counter)
    if not numbers or any(field.kind != "N" for field in numbers):
        yield f"{name} needs {counter.name} to have numbers and nothing else outside its key"


def _outside_key(entity: EntityModel) -> list[Field[Any]]:
    return [field for field in entity.fields if field.name not in entity.key.fields]


def _query(design: Design, entity: EntityModel, query: Query[Any], name: str) -> Iterator[str]:
    key = design.key_of(query)
    if query.consistent and query.index:
        yield f"{name} asks for a consistent read of index {query.index}, which no index can give"
    for field in (*(query.select or ()), *query.filters):
        if field not in entity.by_name:
            yield f"{name} asks for '{field}', which {entity.name} does not have"
    readable = design.readable(query)
    for field in (*(query.select or ()), *query.filters):
        if field in entity.by_name and field not in readable:
            yield (
                f"{name} asks for {entity.name}.{field}, which index {query.index} does not "
                "project: project it, or hydrate the pattern"
            )
    if entity.expires and entity.expires.field not in readable:
        yield (
            f"{name} lists what expires by {entity.name}.{entity.expires.field}, which index "
            f"{query.index} does not project, so that what has expired would be listed: project "
            "it, or hydrate the pattern"
        )
    if query.range:
        if key.sk is None or query.range not in key.sk.fields:
            yield f"{name} asks for a range of '{query.range}', which is not in the sort key"
        elif query.range not in entity.number_keys and not entity.by_name[query.range].ordered:
            yield (
                f"{name} asks for a range of {entity.name}.{query.range}, a number whose text is "
                "not ordered: pad it to a fixed width (Money), or range over another field"
            )
