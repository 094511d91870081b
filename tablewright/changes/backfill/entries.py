"""Index entries: the part of an item that an index holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tablewright.model.sizes import item_bytes
from tablewright.model.table import ALL
from tablewright.model.table_form import IndexForm, TableForm
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Item


class IndexEntries(NamedTuple):
    """The index items of an index: those of items with all attributes of its key, each of its type.

    `carried` has the attributes that it projects, None for all.
    """

    name: str
    key: Mapping[str, str]
    carried: frozenset[str] | None

    def of(self, item: Item) -> Item | None:
        """The index item of an item, or None."""
        if not all(kind in item.get(name, ()) for name, kind in self.key.items()):
            return None
        if self.carried is None:
            return item
        return {name: wire for name, wire in item.items() if name in self.carried}


def index_entries(table: TableForm) -> list[IndexEntries]:
    """The index items of each index of a table."""
    return [
        IndexEntries(name, index.kinds, _carried(table, index))
        for name, index in {**table.indexes, **table.local}.items()
    ]


def _carried(table: TableForm, index: IndexForm) -> frozenset[str] | None:
    if index.projects == ALL:
        return None
    return frozenset((*table.key_kinds, *index.kinds, *index.attributes))


def size_of(item: Item) -> int:
    """Bytes of an item."""
    return item_bytes({name: decode(wire) for name, wire in item.items()})


def key_text(key: Item) -> str:
    """A key as it is shown to people."""
    return ", ".join(f"{name} {decode(wire)}" for name, wire in key.items())
