"""Capacity: what reading and writing items costs at the least.

These floors are what measured capacity is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from math import ceil
from typing import Any

from tablewright.model.entity import EntityModel
from tablewright.model.patterns import Query
from tablewright.model.sharding.epochs import UNDIVIDED, EpochSource
from tablewright.model.sharding.shards import Shards
from tablewright.model.sizes import item_bytes
from tablewright.model.table import Design

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
# Each item of a transaction is written twice: once to prepare it, once to commit.
TRANSACTION_WRITES = 2


def write_floor(design: Design, entity: EntityModel, record: Mapping[str, Any]) -> Decimal:
    """Write units of a new item: the table's and those of each index that it is in."""
    attributes = design.attributes(entity, record)
    sizes = [item_bytes(attributes)]
    for index in design.index_list:
        entry = design.projected(entity, attributes, index)
        if entry is not None:
            sizes.append(item_bytes(entry))
    return Decimal(sum(map(_units, sizes)))


def update_floor(
    design: Design, entity: EntityModel, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Decimal:
    """Write units of a change: an index entry that keeps its key is rewritten if it shows the
    change, one that gets another key is deleted and written, one that is the same costs nothing."""
    old, new = design.attributes(entity, before), design.attributes(entity, after)
    return change_floor(design, entity, old, new)


def change_floor(
    design: Design, entity: EntityModel, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Decimal:
    """Write units of a change of stored attributes, which are empty where there is no item."""
    units = _units(max(item_bytes(old), item_bytes(new)))
    for index in design.index_list:
        keys = index.key.names
        was, is_now = (design.projected(entity, item, index) for item in (old, new))
        moved = any((was or {}).get(key) != (is_now or {}).get(key) for key in keys)
        entries = [entry for entry in (was, is_now) if entry is not None]
        if moved:
            units += sum(_units(item_bytes(entry)) for entry in entries)
        elif was != is_now:
            units += max(_units(item_bytes(entry)) for entry in entries)
    return Decimal(units)


def _units(size: int) -> int:
    return ceil(size / WRITE_UNIT_BYTES)


def page_floor(
    design: Design,
    query: Query[Any],
    records: Iterable[Mapping[str, Any]],
    *,
    limit: int | None = None,
    shards: int = 1,
    epochs: EpochSource = UNDIVIDED,
) -> Decimal:
    """Read units of a list's first `limit` records, or of all of it; `records` has them all.

    Every shard is asked by a query of its own, which is rounded up by itself, also where it gives
    nothing; every item that completes an entry is rounded up too. `shards` is how many there are
    where the design does not say it.
    """
    entity, key = design.entity(query), design.key_attributes(query.index)
    declared = design.key_of(query).shards
    items = [design.attributes(entity, record, epochs) for record in records]
    # Lists are in the order of sort keys, and of shards where these are equal.
    items.sort(key=lambda item: [item[name] for name in key.partition])
    items.sort(key=lambda item: [item[name] for name in key.sort], reverse=query.descending)
    page = items[:limit]
    read: dict[tuple[Any, ...], list[int]] = {}
    for item in page:
        entry = design.projected(entity, item, design.indexes[query.index]) if query.index else item
        shard = tuple(item[name] for name in key.partition)
        read.setdefault(shard, []).append(item_bytes(entry or item))
    asked = declared.count if isinstance(declared, Shards) else shards
    empty: list[list[int]] = [[]] * (asked - len(read))
    floors = [read_floor(one, consistent=query.consistent) for one in (*read.values(), *empty)]
    if design.completes(query):
        floors += [read_floor([item_bytes(item)]) for item in page]
    return sum(floors, Decimal())


def read_floor(sizes: Iterable[int], *, consistent: bool = False) -> Decimal:
    """Read units of one query or get that reads items of these sizes together."""
    units = max(1, ceil(sum(sizes) / READ_UNIT_BYTES))
    return Decimal(units) if consistent else Decimal(units) / 2


@cache
def entry_bytes(design: Design, query: Query[Any]) -> int:
    """The size of one entry that a query reads, judged by the entity's example."""
    entity = design.entities[query.entity]
    if not entity.example:
        return 1024  # a guess that errs toward small pages and one more read
    attributes = design.attributes(entity, entity.check(entity.example))
    if query.index:
        entry = design.projected(entity, attributes, design.indexes[query.index])
        return item_bytes(entry or attributes)
    return item_bytes(attributes)
