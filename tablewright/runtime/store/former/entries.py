"""Entries of both forms: what a list has read, in the form of this design, each item once."""

from __future__ import annotations

from typing import Any

from tablewright.model.patterns import Listing, Query
from tablewright.model.table import ALL, KEYS_ONLY
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.batches import read_all
from tablewright.runtime.store.former.items import Former
from tablewright.runtime.store.records import Item


class Converted(dict[str, Wire]):
    """An entry of the form before, in that of this design; `stored` is as it was read."""

    __slots__ = ("stored",)

    def __init__(self, item: Item, stored: Item) -> None:
        super().__init__(item)
        self.stored = stored


class FormerEntries:
    """Gives what a list has read in the form of this design: of each item once, what counts."""

    def __init__(self, former: Former, listing: Listing[Any]) -> None:
        self._former = former
        self._design = former.design
        self._listing = listing
        index = former.design.indexes[listing.index] if listing.index else None
        self._partial = index is not None and index.projects != ALL
        self._keys = former.design.key_attributes(listing.index).names
        self._shown = self._shown_attributes()

    def of(self, entries: list[Item]) -> list[Item]:
        """Entries of the list, in the same order; those of no entity of it are as they are."""
        former, names = self._former, self._design.key.names
        if self._partial:
            entries = self._completed(entries)
        found: list[Item] = []
        moved: dict[tuple[Any, ...], Item] = {}
        for entry in entries:
            rederived = former.rederived(entry)
            if rederived is None or rederived.entity not in self._listing.entities:
                found.append(entry)
                continue
            after = rederived.after if rederived.changed else entry
            lifetime = former.requests[rederived.entity].lifetime
            gone = not self._listing.expired and lifetime.is_past(after)
            if gone or any(name not in after for name in self._keys):
                continue
            if any(after.get(name) != entry.get(name) for name in (*names, *self._keys)):
                after = Converted(after, entry)
            if rederived.is_moved:
                moved[self._design.key_values(after)] = {name: after[name] for name in names}
            found.append(after)
        if moved:
            found = self._without(self._there(list(moved.values())), found)
        return [self._narrowed(entry) for entry in found]

    def _there(self, keys: list[Item]) -> set[tuple[Any, ...]]:
        """Those of the keys that items of this design's form have, which count then."""
        found = read_all(
            self._former.transport,
            self._former.table_name,
            keys,
            self._design.key.names,
            consistent=self._listing.consistent,
        )
        return {self._design.key_values(item) for item in found}

    def _without(self, there: set[tuple[Any, ...]], entries: list[Item]) -> list[Item]:
        values, names = self._design.key_values, self._design.key.names
        return [
            entry
            for entry in entries
            if not isinstance(entry, Converted)
            or all(entry.stored[name] == entry[name] for name in names)
            or values(entry) not in there
        ]

    def _completed(self, entries: list[Item]) -> list[Item]:
        """The items of entries that do not have all their attributes, if they are still there."""
        design = self._design
        keys = [{name: entry[name] for name in design.key.names} for entry in entries]
        items = read_all(self._former.transport, self._former.table_name, keys)
        by_key = {design.key_values(item): item for item in items}
        pairs = ((entry, by_key.get(design.key_values(entry))) for entry in entries)
        return [
            item
            for entry, item in pairs
            if item and all(item.get(name) == entry[name] for name in self._keys)
        ]

    def _shown_attributes(self) -> frozenset[str] | None:
        """The attributes that the list would have of an item of this design; None for all."""
        design, listing = self._design, self._listing
        names = {*design.key.names, *self._keys}
        select = listing.select if isinstance(listing, Query) else None
        if select is not None:
            names |= {*self._former.requests[listing.entity].records.stored_names(select)}
            more = (design.ttl, design.entity_type)
            return frozenset(names.union(name for name in more if name))
        if not self._partial or listing.hydrate:
            return None
        index = design.indexes[listing.index or ""]
        return frozenset(
            names if index.projects == KEYS_ONLY else names.union(design.carried(index))
        )

    def _narrowed(self, entry: Item) -> Item:
        if self._shown is None:
            return entry
        shown = {name: wire for name, wire in entry.items() if name in self._shown}
        return Converted(shown, entry.stored) if isinstance(entry, Converted) else shown
