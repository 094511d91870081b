"""Validation of a design, at synth and test time, never in a Lambda function."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

from tablewright.model.arguments import described
from tablewright.model.declaration import Part, Table, annotations_of
from tablewright.model.entity import EntityModel
from tablewright.model.errors import DesignError, InvalidRecord, InvalidValue
from tablewright.model.fields import specifiers
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import PartOfField, SetOfField, TallyField
from tablewright.model.fields.numbers import WholeField
from tablewright.model.fields.time import (
    DateTextField,
    EpochField,
    HourTextField,
    TimestampTextField,
)
from tablewright.model.part import PartModel
from tablewright.model.restored import RESTORED_FROM
from tablewright.model.sizes import ITEM_BYTES
from tablewright.model.table import Design
from tablewright.model.validation.epochs import epoch_pattern
from tablewright.model.validation.keys import collisions, entity_keys, index_attributes, kinds
from tablewright.model.validation.patterns import pattern_problems
from tablewright.model.validation.secrets import secret_problems

_INDEX_LIMIT = 20  # global ones per table,
_LOCAL_LIMIT = 5  # local ones, and
_INCLUDE_LIMIT = 100  # projected attributes over all indexes: quotas of DynamoDB
_HELD = re.compile(r"Field\[(?:\w+\.)*(\w+)")
_TYPES = {
    "str",
    "int",
    "float",
    "bool",
    "bytes",
    "Decimal",
    "date",
    "datetime",
    "set",
    "list",
    "tuple",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")  # of tables and indexes
_ATTRIBUTE_BYTES = 255  # of the name of a key attribute
# By setting of a field: the least and the greatest value that a field can work with.
_RANGES = {
    "digits": (1, 38),
    "decimals": (0, 37),
    "min_length": (0, ITEM_BYTES),
    "max_length": (1, ITEM_BYTES),
    "max_items": (1, ITEM_BYTES),
    "max_bytes": (1, ITEM_BYTES),
}
_STREAMS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def check(table: type[Table]) -> None:
    """Raise DesignError, listing every fault, unless the design is sound."""
    problems = validate(table)
    if problems:
        raise DesignError(table.__design__.id, problems)


def validate(table: type[Table]) -> list[str]:
    """One sentence for each fault of the design, naming the culprit; empty when it is sound."""
    design = table.__design__
    problems = [*_names(design), *_entity_type(design), *_limits(design)]
    for entity in design.entity_list:
        problems += [*_entity(design, entity), *secret_problems(design, entity)]
    problems += [*epoch_pattern(design), *collisions(design), *kinds(design)]
    if not problems:  # patterns are only worth judging on sound keys
        for pattern in design.pattern_list:
            problems += pattern_problems(design, pattern)
    return problems


def _names(design: Design) -> Iterator[str]:
    named = {
        "entity": [entity.name for entity in design.entity_list],
        "index": [index.name for index in design.index_list],
        "access pattern": [pattern.name for pattern in design.pattern_list],
    }
    for what, names in named.items():
        for name in (name for name, times in Counter(names).items() if times > 1):
            yield f"{what} '{name}' is declared twice. Give each {what} its own name and object"
    for entity in design.entity_list:
        for name, times in Counter(field.name for field in entity.fields).items():
            if times > 1:
                yield f"{entity.name} has one specifier for '{name}' and others. Write one for each"
        yield from _stored_twice(entity)
        fields = (inner for field in entity.fields for inner in _nested(field))
        for part in {one.of.__part__ for one in fields if isinstance(one, PartOfField)}:
            yield from _stored_twice(part)
        if RESTORED_FROM in entity.by_stored:
            yield (
                f"{entity.name} stores a field as '{RESTORED_FROM}', which marks restored items. "
                "Give it another stored name"
            )
        yield from _swallowed(design, entity)


def _stored_twice(part: PartModel) -> Iterator[str]:
    """Fields of an entity or a part of which only one could be stored."""
    stored: dict[str, str] = {}
    for field in (field for field in part.fields if field.stored):
        other = stored.setdefault(field.stored, field.name)
        if other != field.name:
            yield (
                f"{part.name}.{other} and {part.name}.{field.name} are both stored as "
                f"'{field.stored}'. Give one another stored name"
            )


def _entity_type(design: Design) -> Iterator[str]:
    """What else is stored in the attribute that has the name of an item's entity."""
    name = design.entity_type
    if not name:
        return
    remedy = f"give the table another entity_type than '{name}'"
    for entity in design.entity_list:
        field = entity.by_stored.get(name)
        if field and not field.secret:
            stored = f"{entity.name}.{field.name} is stored as '{name}'"
            yield f"{stored}, which has the name of the entity: {remedy}"
    keys = [key for index in (None, *design.indexes) for key in design.key_attributes(index).names]
    if name in (design.ttl, *keys):
        yield f"attribute '{name}' is a key or the ttl, and has the name of the entity: {remedy}"


def _swallowed(design: Design, entity: EntityModel) -> Iterator[str]:
    """Attributes that would be read as part of a tally."""
    keys = [key for index in (None, *design.indexes) for key in design.key_attributes(index).names]
    tallies = [field for field in entity.fields if isinstance(field, TallyField)]
    for tally in tallies:
        for name in dict.fromkeys((*entity.by_stored, *keys, design.ttl, design.entity_type)):
            if name and name.startswith(tally.prefix):
                yield (
                    f"attribute '{name}' begins with '{tally.prefix}', the prefix of "
                    f"{entity.name}.{tally.name}"
                )
    for one, two in permutations(tallies, 2):
        if two.prefix.startswith(one.prefix):
            yield (
                f"the prefix '{two.prefix}' of {entity.name}.{two.name} begins with "
                f"'{one.prefix}', the prefix of {entity.name}.{one.name}. Change one of them"
            )


def _limits(design: Design) -> Iterator[str]:
    if not _NAME.fullmatch(design.id):
        yield (
            f"table '{design.id}' must have an id of 3 to 255 letters, digits, '_', '-' and '.': "
            "give the class id=… or a longer name"
        )
    for index in design.index_list:
        if not _NAME.fullmatch(index.name):
            yield (
                f"index '{index.name}' must have a name of 3 to 255 letters, digits, '_', '-' "
                "and '.'"
            )
    keys = [key for index in (None, *design.indexes) for key in design.key_attributes(index).names]
    for name in dict.fromkeys((*keys, design.ttl, design.entity_type)):
        if name is not None and not 1 <= len(name.encode()) <= _ATTRIBUTE_BYTES:
            yield f"attribute '{name[:40]}' must have a name of 1 to {_ATTRIBUTE_BYTES} bytes"
    if design.ttl in keys and design.kind(design.ttl) != "N":
        yield f"attribute '{design.ttl}' is a key and the ttl, which is a number. Rename one"
    local = [index for index in design.index_list if index.local]
    count = len(design.index_list) - len(local)
    if count > _INDEX_LIMIT:
        yield f"{count} indexes are more than the {_INDEX_LIMIT} allowed"
    if len(local) > _LOCAL_LIMIT:
        yield f"{len(local)} local indexes are more than the {_LOCAL_LIMIT} allowed"
    for index in design.index_list:
        yield from index_attributes(design, index)
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


def _default(field: Field[Any]) -> str | None:
    """Describe a default that is not as the field would store it."""
    default = field.default
    try:
        checked = None if default is None else field.check(default)
    except InvalidValue as problem:
        return f"{described(default)}, but {problem.reason}"
    if isinstance(field, SetOfField | TallyField) and default is not None:
        return f"{described(default)}, which would be read in place of an empty one. Write None"
    if type(checked) is type(default) and bool(checked == default):
        return None
    return f"{described(default)}. Write it as {checked!r}"


def _specifier(entity: EntityModel, field: Field[Any]) -> Iterator[str]:
    """Yield what is wrong with how a field is declared."""
    name = f"{entity.name}.{field.name}"
    for inner in _nested(field):
        yield from (f"{name} {problem}" for problem in _unusable(inner))
        if inner is not field and isinstance(inner, TallyField):
            yield f"{name} has a Tally inside, whose numbers are attributes. Use a Document"
    try:
        re.compile(getattr(field, "pattern", None) or "")
    except re.error as error:
        pattern = described(error.pattern)
        yield f"{name} has the pattern {pattern}, which is no regular expression: {error}"
    owners = (annotations_of(kind) for kind in entity.made.__mro__ if issubclass(kind, Part))
    annotation = next((str(one[field.name]) for one in owners if field.name in one), "")
    specifier = getattr(specifiers, field.type_name, None)
    returned = getattr(specifier, "__annotations__", {}).get("return", "")
    declared, held = (_HELD.findall(text) for text in (annotation, returned))
    if declared and held and declared != held and {*declared, *held} <= _TYPES:
        yield (
            f"{name} is annotated as Field[{declared[0]}], but {field.type_name} is of "
            f"Field[{held[0]}]. Change one of them"
        )


def _nested(field: Field[Any]) -> Iterator[Field[Any]]:
    """A field, and those of its entries and parts."""
    yield field
    inner = getattr(field, "of", None)
    members = (inner,) if isinstance(inner, Field) else inner.__part__.fields if inner else ()
    for member in members:
        yield from _nested(member)


def _unusable(field: Field[Any]) -> Iterator[str]:
    """Yield what leaves a field without a value that can be stored."""
    for setting, (least, most) in _RANGES.items():
        value = getattr(field, setting, least)
        if not least <= value <= most:
            yield f"has {setting}={value}. It must be from {least} to {most}"
    if getattr(field, "min_length", 0) > getattr(field, "max_length", ITEM_BYTES):
        yield "has a min_length above its max_length. Change one of them"
    if isinstance(field, WholeField) and field.lowest > field.highest:
        yield f"has lowest={field.lowest}, above the {field.highest} of its digits. Add digits"
    words = getattr(field, "choices", ("",))
    if not words or len({*words}) < len(words) or {*map(type, words)} != {str}:
        yield f"has the words {list(words)}. Choice takes at least one text, each once"


def _is_ttl(entity: EntityModel, field: Field[Any]) -> bool:
    spanless = entity.expires and not entity.expires.years and not entity.expires.days
    return bool(spanless) and isinstance(field, EpochField) and field.resolution == "s"


def _entity(design: Design, entity: EntityModel) -> Iterator[str]:
    yield from entity_keys(design, entity)
    if entity.example:
        try:
            entity.check(entity.example)
        except InvalidRecord as problem:
            yield f"the example of {problem}. Change it"
    for field in entity.fields:
        unfit = _default(field)
        if unfit:
            yield f"{entity.name}.{field.name} has the default {unfit}"
        yield from _specifier(entity, field)
        read = field.kind == "N" and not field.secret  # other values of it never expire
        if read and field.stored == design.ttl and not entity.expires:
            yield (
                f"{entity.name}.{field.name} is stored as '{design.ttl}', the ttl attribute of the "
                f'table. Give it another stored name, or declare expires=Expiry("{field.name}")'
            )
        kept = field.stored or isinstance(field, TallyField)
        if not kept and field.name not in entity.key.fields:
            yield (
                f"{entity.name}.{field.name} is not stored and stands in no key of the table. Give "
                "it a stored name that is no key of another form"
            )
    if entity.expires and not design.ttl:
        yield f'{entity.name} expires, but the table has no ttl attribute. Add it, as in ttl="ttl"'
    since = entity.by_name.get(entity.expires.field) if entity.expires else None
    if entity.expires and since is None:
        yield f"{entity.name} expires by '{entity.expires.field}', which is not one of its fields"
    if since and not isinstance(since, DateTextField | HourTextField | TimestampTextField):
        yield (
            f"{entity.name} expires by {since.name}, a {since.type_name}: it must be a day, an "
            "hour or a time, such as an EpochTimestamp"
        )
    if since and since.stored == design.ttl and not _is_ttl(entity, since):
        yield (
            f"{entity.name}.{since.name} is stored as '{design.ttl}', by which items expire: that "
            "is for an EpochTimestamp in seconds, without a span to expire after"
        )
