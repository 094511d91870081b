"""Validation of access patterns, on keys that are sound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tablewright.model.entity import EntityModel
from tablewright.model.fields.base import Field
from tablewright.model.key_template import Template
from tablewright.model.patterns import Collection, Count, Listing, Pattern, Query
from tablewright.model.table import Design, can_share
from tablewright.model.validation.key_texts import KeyPart, find_readings
from tablewright.model.validation.keys import key_parts, shown_texts


def pattern_problems(design: Design, pattern: Pattern[Any]) -> Iterator[str]:
    """What is wrong with an access pattern."""
    name = f"access pattern '{pattern.name}'"
    entities = [design.entities[one] for one in pattern.entities if one in design.entities]
    for one in pattern.entities:
        if one not in design.entities:
            yield f"{name} is about '{one}', which the table does not store"
    if isinstance(pattern, Listing) and pattern.has_foreign_index(design.indexes):
        yield f"{name} reads an index that is no attribute of the table. Assign the Index to one"
        return
    strangers = [one for one in entities if pattern.index and pattern.index not in one.indexed]
    for entity in strangers:
        yield f"{name} reads {entity.name} from index {pattern.index}, which does not hold it"
    if strangers or len(entities) < len(pattern.entities):
        return
    if isinstance(pattern, Count):
        yield from _count(design, entities[0], pattern, name)
    if isinstance(pattern, Listing):
        for entity in entities:
            yield from _listing(design, entity, pattern, name)
    if isinstance(pattern, Query):
        yield from _query(design, entities[0], pattern, name)
        for entity in entities:
            key = entity.indexed[pattern.index] if pattern.index else entity.key
            for template in key.sort:
                yield from _prefix(entity, template, name)
    if isinstance(pattern, Collection):
        yield from _collection(design, entities, pattern, name)


def _collection(
    design: Design, entities: list[EntityModel], pattern: Collection[Any], name: str
) -> Iterator[str]:
    first, *others = entities
    key = design.key_of(pattern)
    for other in others:
        theirs = other.indexed[pattern.index] if pattern.index else other.key
        if not can_share(key, theirs):
            yield f"{name} is of {first.name} and {other.name}, which never lie in one partition"


def _listing(
    design: Design, entity: EntityModel, listing: Listing[Any], name: str
) -> Iterator[str]:
    local = listing.index is not None and design.indexes[listing.index].local
    if listing.consistent and listing.index and not local:
        yield (
            f"{name} asks for a consistent read of index {listing.index}, which no global index "
            "can give"
        )
    readable = design.readable(listing, entity)
    if entity.expires and entity.expires.field not in readable and not listing.expired:
        yield (
            f"{name} lists what expires by {entity.name}.{entity.expires.field}, which index "
            f"{listing.index} does not project, so that what has expired would be listed: project "
            "it, or hydrate the pattern"
        )


def _count(design: Design, counter: EntityModel, count: Count[Any], name: str) -> Iterator[str]:
    marker = design.entities[count.marker]
    if [field.kind for field in _outside_key(marker)] != ["SS"]:
        yield f"{name} needs {marker.name} to have one set and nothing else outside its key"
    numbers = _outside_key(counter)
    if not numbers or any(field.kind != "N" for field in numbers):
        yield f"{name} needs {counter.name} to have numbers and nothing else outside its key"


def _outside_key(entity: EntityModel) -> list[Field[Any]]:
    return [field for field in entity.fields if field.name not in entity.key.fields]


def _query(design: Design, entity: EntityModel, query: Query[Any], name: str) -> Iterator[str]:
    key = design.key_of(query)
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
    if query.range:
        if query.range not in key.sort_fields:
            yield f"{name} asks for a range of '{query.range}', which is not in the sort key"
        elif query.range in entity.computed:
            yield f"{name} asks for a range of '{query.range}', which is computed: it has none"
        elif query.range not in entity.number_keys and not entity.by_name[query.range].ordered:
            yield (
                f"{name} asks for a range of {entity.name}.{query.range}, whose text in keys is "
                "not in the order of values: give it a fixed width (Money, Whole, Timestamp), or "
                "range over another field"
            )
        elif query.range not in entity.number_keys:
            for template in key.sort:
                yield from _order(entity, template, query.range, name)


def _prefix(entity: EntityModel, template: Template, name: str) -> Iterator[str]:
    """Items that a query lists for other values of its first fields."""
    parts = key_parts(entity, template)
    for number in range(3, len(parts) - 1, 2):
        asked = (*parts[:number], KeyPart("", r"[\s\S]+"))
        found = find_readings(asked, parts, number)
        if found:
            field = parts[number - 2].name
            yield (
                f"{name} cannot tell values of {entity.name}.{field} apart in {template.text}: "
                f"asked for {shown_texts(found.one)}, it also lists "
                f"{entity.name}({shown_texts(found.two)}), whose key {found.text!r} begins in the "
                f"same way. Separate the fields with '{template.delimiter or '#'}', or give "
                f"{field} a pattern or a fixed width"
            )
            return


def _order(entity: EntityModel, template: Template, field: str, name: str) -> Iterator[str]:
    """Values of a range whose keys sort otherwise than they do."""
    at = template.fields.index(field) if field in template.fields else None
    if at is None or (at + 1 == len(template.fields) and not template.literals[-1]):
        return
    literal = template.literals[at + 1]
    last = literal[:1] or "\U0010fffe"
    part = key_parts(entity, template)[2 * at + 1]
    goes_on = KeyPart("", rf"[\x00-{re.escape(last)}][\s\S]*")
    found = find_readings((part, goes_on), (part,), 1)
    if found:
        low, high = found.one[field], found.text
        yield (
            f"{name} asks for a range of {entity.name}.{field}, but keys {template.text} do not "
            f"sort as it does: {field}={low!r} is lower than {field}={high!r}, and "
            f"{low + literal!r} need not come before {high + literal!r}. Put {field} at the end "
            f"of its key, or give it a pattern without characters up to {last!r}, or a fixed width"
        )
