"""Capacity units of access patterns at a size and number of items, beside the least there could be.

Lists are reckoned as the store reads them: each shard by itself, with a limit of its own. Items
are taken to be new, all of one size, and spread evenly over shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from decimal import Decimal
from math import ceil
from types import MethodType
from typing import Any, NamedTuple

from tablewright.designs.example_records import example_of
from tablewright.model import Design, EntityModel
from tablewright.model.capacity import (
    TRANSACTION_WRITES,
    WRITE_UNIT_BYTES,
    entry_bytes,
    read_floor,
    update_floor,
    write_floor,
)
from tablewright.model.patterns import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Check,
    Count,
    Get,
    Pattern,
    Query,
    Scan,
    Update,
)
from tablewright.model.sizes import ITEM_BYTES, item_bytes
from tablewright.pages.explained.rehearsal import changed_values
from tablewright.runtime.store.batches import READ_CHUNK, WRITE_CHUNK
from tablewright.runtime.store.merge import shard_limit

# Beside it an item of an example becomes as large as is asked for.
_PADDING = "…"
_PAGE_BYTES = 1 << 20
_BATCHES = (BatchCreate, BatchDelete, BatchGet, BatchPut, BatchWrite)


class Load(NamedTuple):
    """How many items there are in a list or batch, how large each is, how many a page has."""

    items: int = 20
    size: int | None = None
    page: int = 20


class Units(NamedTuple):
    """What a use of a pattern consumes, and the least that it could."""

    what: str
    calls: int
    read: Decimal
    read_floor: Decimal
    write: Decimal
    write_floor: Decimal


class SizeError(ValueError):
    """An item cannot have this size."""


def explained_units(
    design: Design, pattern: Pattern[Any], load: Load, *, shards: int = 1
) -> list[Units]:
    """The units of each way to use a pattern; `shards` is how many are asked for a list.

    Of a list of several entities, all entries are taken to be of the first.
    """
    entity = design.entity(pattern)
    sized = _sized(design, entity, load.size)
    if isinstance(pattern, Scan):
        return [_scan(sized, pattern, load)]
    if isinstance(pattern, Query):
        # The store goes by the size of the example.
        limit = shard_limit(load.page, shards, entry_bytes(design, pattern))
        return [_list(sized, pattern, load, shards, limit)]
    if isinstance(pattern, Update):
        return list(_updates(sized, entity))
    number = load.items if isinstance(pattern, _BATCHES) else 1
    of = f"{number} items" if isinstance(pattern, _BATCHES) else "an item"
    size = _size(sized, entity)
    if isinstance(pattern, Get | BatchGet):
        read = number * read_floor([size], consistent=pattern.consistent)
        return [_read(of, ceil(number / READ_CHUNK), read, read)]
    if isinstance(pattern, Check):
        looked = TRANSACTION_WRITES * Decimal(ceil(size / WRITE_UNIT_BYTES))
        return [_write("an item, in a transaction", 1, looked)]
    if isinstance(pattern, Count):
        return [_count(sized, pattern)]
    kinds = [design.entities[name] for name in pattern.entities]
    written = number * sum((write_floor(sized, one, example_of(one)) for one in kinds), Decimal())
    of += " of each entity" if len(kinds) > 1 else ""
    return [_write(of, ceil(number * len(kinds) / WRITE_CHUNK), written)]


def _scan(design: Design, pattern: Scan[Any], load: Load) -> Units:
    size = load.items * _entry(design, design.entity(pattern), pattern.index)
    read = read_floor([size], consistent=pattern.consistent)
    return _read(f"{load.items} items", max(1, ceil(size / _PAGE_BYTES)), read, read)


def _list(design: Design, pattern: Query[Any], load: Load, shards: int, limit: int) -> Units:
    entity, consistent = design.entity(pattern), pattern.consistent
    size, shown = _entry(design, entity, pattern.index), min(load.page, load.items)
    there, wanted = _shares(load.items, shards), _shares(shown, shards)
    sizes = [[size] * min(limit, number) for number in there]
    read = sum((read_floor(one, consistent=consistent) for one in sizes), Decimal())
    least = sum((read_floor([size] * n, consistent=consistent) for n in wanted), Decimal())
    calls = shards
    if design.completes(pattern):
        whole = shown * read_floor([_size(design, entity)])
        read, least, calls = read + whole, least + whole, calls + ceil(shown / READ_CHUNK)
    return _read(f"a page of {load.page} of {load.items} items", calls, read, least)


def _shares(number: int, count: int) -> list[int]:
    return [number // count + (at < number % count) for at in range(count)]


def _updates(design: Design, entity: EntityModel) -> Iterable[Units]:
    example = example_of(entity)
    for name, value, derives in changed_values(design, entity):
        written = update_floor(design, entity, example, entity.check({**example, name: value}))
        # What is derived is computed from the item, which is read before.
        read = read_floor([_size(design, entity)], consistent=True) if derives else Decimal()
        yield Units(f"a change of {name}", 1 + derives, read, read, written, written)


def _count(design: Design, pattern: Count[Any]) -> Units:
    entities = [design.entities[name] for name in pattern.entities]
    read = read_floor([_size(design, entities[1])], consistent=True)
    written = Decimal()
    for entity in entities:
        own = Decimal(ceil(_size(design, entity) / WRITE_UNIT_BYTES))
        # Indexes are written once, when the transaction is committed.
        written += write_floor(design, entity, example_of(entity))
        written += (TRANSACTION_WRITES - 1) * own
    return Units("an event, for one counter", 2, read, read, written, written)


def _read(what: str, calls: int, read: Decimal, least: Decimal) -> Units:
    return Units(what, calls, read, least, Decimal(), Decimal())


def _write(what: str, calls: int, written: Decimal) -> Units:
    return Units(what, calls, Decimal(), Decimal(), written, written)


def _size(design: Design, entity: EntityModel) -> int:
    return item_bytes(design.attributes(entity, example_of(entity)))


def _entry(design: Design, entity: EntityModel, index: str | None) -> int:
    attributes = design.attributes(entity, example_of(entity))
    entry = design.projected(entity, attributes, design.indexes[index]) if index else attributes
    return item_bytes(entry or attributes)


def _sized(design: Design, entity: EntityModel, size: int | None) -> Design:
    """The design, whose items of an entity are as large as said."""
    own = _size(design, entity)
    if size is None or size == own:
        return design
    name = len(_PADDING.encode())
    if not own + name < size <= ITEM_BYTES:
        raise SizeError(
            f"an item of {entity.name} has at least {own + name + 1} and at most {ITEM_BYTES} "
            f"bytes, not {size}: its example has {own}"
        )
    padding = "x" * (size - own - name)

    def attributes(self: Design, kind: EntityModel, record: Mapping[str, Any]) -> dict[str, Any]:
        more = {_PADDING: padding} if kind.name == entity.name else {}
        return {**design.attributes(kind, record), **more}

    sized = copy(design)
    sized.attributes = MethodType(attributes, sized)  # type: ignore[method-assign]
    return sized
