"""Item collections of a design: which of its example items lie together, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from tablewright.designs.example_records import example_records
from tablewright.model import Design, EntityModel, Index
from tablewright.model.entity import KeyAttributes

SECRET = "(encrypted)"  # noqa: S105 - shown in place of one


class Entry(NamedTuple):
    """An item as table or index has it: its sort key, and its other attributes as texts."""

    entity: str
    sort: str
    attributes: dict[str, str]


class ItemCollection(NamedTuple):
    """The entries with one partition key, in the order of their sort keys."""

    partition: str
    entries: list[Entry]


class Place(NamedTuple):
    """The collections of example items in an index or, where it is of None, in the table."""

    of: Index | None
    key: KeyAttributes
    collections: list[ItemCollection]


def places(design: Design) -> list[Place]:
    """The table and each index, with the example items that lie there."""
    items = [
        (entity, design.attributes(entity, record))
        for entity in design.entity_list
        for record in example_records(design, entity)
    ]
    return [_place(design, items, index) for index in (None, *design.index_list)]


def _place(
    design: Design, items: Iterable[tuple[EntityModel, dict[str, Any]]], index: Index | None
) -> Place:
    key = index.key if index else design.key
    found: dict[tuple[Any, ...], list[tuple[tuple[Any, ...], Entry]]] = {}
    for entity, attributes in items:
        held = design.projected(entity, attributes, index) if index else attributes
        if held is None:
            continue
        sort = tuple(held[name] for name in key.sort)
        hidden = {*key.names, design.entity_type}
        names = [name for name in held if name not in hidden]
        names.sort(key=partial(_rank, design, entity, index))
        shown = {name: _shown(entity, name, held[name]) for name in names}
        entry = Entry(entity.name, key_text(sort), shown)
        found.setdefault(tuple(held[name] for name in key.partition), []).append((sort, entry))
    collections = [
        ItemCollection(key_text(partition), [entry for _, entry in _in_order(entries)])
        for partition, entries in found.items()
    ]
    return Place(index, key, collections)


def _rank(design: Design, entity: EntityModel, index: Index | None, name: str) -> int:
    """What comes first of an item: what its key here does not say; and the table's key last."""
    field = entity.by_stored.get(name)
    if field is None:
        return 3 if name in design.key.names else 2
    key = entity.indexed[index.name] if index else entity.key
    return int(field.name in key.fields)


def _in_order(
    entries: list[tuple[tuple[Any, ...], Entry]],
) -> list[tuple[tuple[Any, ...], Entry]]:
    # As DynamoDB sorts: texts by their bytes, numbers as numbers.
    return sorted(
        entries, key=lambda one: [v.encode() if isinstance(v, str) else v for v in one[0]]
    )


def key_text(values: Iterable[Any]) -> str:
    """The values of a key's attributes as one text."""
    return " · ".join(map(_text, values))


def _shown(entity: EntityModel, name: str, value: Any) -> str:
    field = entity.by_stored.get(name)
    return SECRET if field is not None and field.secret else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(_text, value))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    return str(value)
