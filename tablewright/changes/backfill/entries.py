"""Entries: what an index holds of items, and what a change of an item writes, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from tablewright.model.capacity import TRANSACTION_WRITES, WRITE_UNIT_BYTES
from tablewright.model.sizes import item_bytes
from tablewright.model.table import ALL
from tablewright.model.table_form import IndexForm, TableForm
from tablewright.runtime.rederivation import Rederived, same
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Item

TABLE = "table"


class IndexEntries(NamedTuple):
    """What an index holds of items: those with all of its key, and of them what it carries, which
    is everything where `carried` is None."""

    name: str
    key: tuple[str, ...]
    carried: frozenset[str] | None
    local: bool = False

    def of(self, item: Item) -> Item | None:
        """What it holds of an item, or None."""
        if not all(name in item for name in self.key):
            return None
        if self.carried is None:
            return item
        return {name: wire for name, wire in item.items() if name in self.carried}


def index_entries(table: TableForm) -> list[IndexEntries]:
    """What the indexes of a table hold."""
    return [
        IndexEntries(name, tuple(index.kinds), _carried(table, index), local)
        for indexes, local in ((table.indexes, False), (table.local, True))
        for name, index in indexes.items()
    ]


def _carried(table: TableForm, index: IndexForm) -> frozenset[str] | None:
    if index.projects == ALL:
        return None
    return frozenset((*table.key_kinds, *index.kinds, *index.attributes))


def units_to_write(rederived: Rederived, indexes: Sequence[IndexEntries]) -> Counter[str]:
    """Write units of what a backfill does to an item, by table and index.

    An entry that gets another key is removed and written, one that keeps it is written if it shows
    the change. A transaction writes an item twice, and entries once.
    """
    units: Counter[str] = Counter()
    before, after = rederived.before, rederived.after
    if not rederived.changed:
        return units
    if rederived.is_moved:
        units[TABLE] = TRANSACTION_WRITES * (_units(before) + _units(after))
    else:
        units[TABLE] = max(_units(before), _units(after))
    for index in indexes:
        was, is_now = index.of(before), index.of(after)
        if rederived.is_moved or not _same(was, is_now, index.key):
            units[index.name] = sum(_units(entry) for entry in (was, is_now) if entry is not None)
        elif was is not None and is_now is not None and not _same(was, is_now):
            units[index.name] = max(_units(was), _units(is_now))
    return units


def _same(one: Item | None, other: Item | None, names: Sequence[str] | None = None) -> bool:
    if one is None or other is None:
        return one is other
    compared = one.keys() | other.keys() if names is None else names
    return all(same(one.get(name), other.get(name)) for name in compared)


def size_of(item: Item) -> int:
    """Bytes of an item."""
    return item_bytes({name: decode(wire) for name, wire in item.items()})


def _units(item: Item) -> int:
    return ceil(size_of(item) / WRITE_UNIT_BYTES)


def key_text(key: Item) -> str:
    """A key as it is shown to people."""
    return ", ".join(f"{name} {decode(wire)}" for name, wire in key.items())
