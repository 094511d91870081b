"""Warnings of projections: what an index carries in vain, and what it had better carry."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from math import ceil
from typing import Any

from tablewright.model.capacity import WRITE_UNIT_BYTES, read_floor
from tablewright.model.entity import EntityModel
from tablewright.model.patterns import Listing, Query, Update, Upsert
from tablewright.model.sizes import item_bytes
from tablewright.model.table import ALL, KEYS_ONLY, Design, Index

_PAGE = 20


def projection_warnings(design: Design) -> Iterator[str]:
    """One sentence for each projection that costs more than it saves, with what would mend it."""
    for index in design.index_list:
        found = [p for p in design.pattern_list if isinstance(p, Listing)]
        listings = [p for p in found if p.index == index.name]
        if listings:
            yield from _carried_in_vain(design, index, listings)
            yield from _completed_for_more(design, index, listings)


def _carried_in_vain(design: Design, index: Index, listings: list[Listing[Any]]) -> Iterator[str]:
    read: set[str] = set()
    for listing in listings:
        fields = _read(design, listing)
        if fields is None:
            return
        read |= fields
    for entity in _members(design, index):
        carried = _carried(index, entity)
        kept = [name for name in carried if name in read]
        if kept == carried or (index.projects == ALL and not _saves(design, index, entity, kept)):
            continue
        unread = ", ".join(name for name in carried if name not in read)
        mend = ", ".join(f"{entity.name}.{name}" for name in kept)
        yield (
            f"index {index.name} carries {unread} of {entity.name}, which no pattern on it reads, "
            f"and every write pays for it: {f'projects=({mend},)' if kept else 'KEYS_ONLY'} "
            "carries what is read"
        )


def _read(design: Design, listing: Listing[Any]) -> set[str] | None:
    """The fields that a list needs of its index's entries beside keys, None for all."""
    if not isinstance(listing, Query):
        return None
    expiry = {one.expires.field for one in design.entity_list if one.expires}
    if design.completes(listing):
        return {*listing.filters, *expiry}
    return {*listing.select, *listing.filters, *expiry} if listing.select else None


def _carried(index: Index, entity: EntityModel) -> list[str]:
    """The fields that an index has of an entity beside those of keys."""
    keys = {*entity.inputs(entity.key), *entity.inputs(entity.indexed[index.name])}
    if index.projects == KEYS_ONLY:
        return []
    names = entity.by_name if index.projects == ALL else index.projects
    return [name for name in names if name in entity.by_name and name not in keys]


def _saves(design: Design, index: Index, entity: EntityModel, kept: list[str]) -> bool:
    """Whether fewer units are written of the example, or less than half of it is stored."""
    if not entity.example:
        return False
    whole = design.attributes(entity, entity.check(entity.example))
    if not all(key in whole for key in index.key.names):
        return False
    names = {*design.key.names, *index.key.names, *(entity.by_name[n].stored for n in kept)}
    less, size = item_bytes({n: v for n, v in whole.items() if n in names}), item_bytes(whole)
    return _units(less) < _units(size) or 2 * less < size


def _completed_for_more(
    design: Design, index: Index, listings: list[Listing[Any]]
) -> Iterator[str]:
    completed = [one for one in listings if isinstance(one, Query) and design.completes(one)]
    changed = {
        name
        for pattern in design.pattern_list
        if isinstance(pattern, Update | Upsert)
        for name in pattern.entities
    }
    for query in completed:
        entity = design.entity(query)
        # Where items change, an index that carries more is written more often.
        if not entity.example or entity.name in changed:
            continue
        whole = design.attributes(entity, entity.check(entity.example))
        entry = design.projected(entity, whole, index)
        size = item_bytes(whole)
        if entry is None or _units(size) > _units(item_bytes(entry)):
            continue
        now = read_floor([item_bytes(entry)] * _PAGE) + _PAGE * read_floor([size])
        then = read_floor([size] * _PAGE)
        yield (
            f"{query.name} completes each entry of index {index.name} from the table: a page of "
            f"{_PAGE} reads {_number(now)} units, and {_number(then)} if the index carried whole "
            f"items, which adds no write unit and {size - item_bytes(entry)} bytes an item: "
            "projects=ALL"
        )


def _members(design: Design, index: Index) -> list[EntityModel]:
    return [one for one in design.entity_list if index.name in one.indexed]


def _units(size: int) -> int:
    return ceil(size / WRITE_UNIT_BYTES)


def _number(units: Decimal) -> str:
    return f"{units.normalize():f}"
