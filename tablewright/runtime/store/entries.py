"""Entries of a list, as they are read, and the records that they are shown as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.model.conditions import Condition
from tablewright.model.errors import KeyMismatch
from tablewright.model.patterns import Collection, Listing, Query, Scan
from tablewright.model.table import Design
from tablewright.runtime.store.conditions import holds
from tablewright.runtime.store.query import Asked
from tablewright.runtime.store.reading import Passed
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.requests import Requests

# Reads whole items: keys, and the attributes that are wanted of them.
ReadAll = Callable[[list[Item], Sequence[str] | None], list[Item]]
Shown = list[Any | None]


class Entries:
    """Makes records of the entries of one table's lists.

    None stands for an entry that is not to be listed: its item has moved on, is past, is of another
    entity or does not meet the condition.
    """

    def __init__(self, design: Design, requests: Mapping[str, Requests], read_all: ReadAll) -> None:
        self._design = design
        self._requests = requests
        self._read_all = read_all
        self._neighbours: dict[str, bool] = {}

    def shown(self, asked: Asked, entries: Sequence[Item], condition: Condition | None) -> Shown:
        """The record of each entry."""
        own: Sequence[int] = range(len(entries))
        if asked.served is not None:
            own = [at for at in own if type(entries[at]) is not Passed]
        if asked.reads_more:
            own = [at for at in own if not asked.leaves_out(entries[at])]
        if not isinstance(asked.query, Collection) and self.among_others(asked.query):
            # Items of other entities are passed over, whatever they have in common with these.
            index = asked.query.index
            own = [at for at in own if asked.records.is_one(entries[at], index)]
        try:
            if len(own) < len(entries):
                found: Shown = [None] * len(entries)
                records = self._records(asked, [entries[at] for at in own])
                for at, record in zip(own, records, strict=True):
                    found[at] = record
            else:
                found = self._records(asked, entries)
        except KeyMismatch:
            if self._neighbours.get(asked.query.name, True):
                raise
            # A later design writes here too: from now on each entry is looked at.
            self._neighbours[asked.query.name] = True
            return self.shown(asked, entries, condition)
        if condition is None:
            return found
        return [one if one is not None and holds(condition, one) else None for one in found]

    def among_others(self, query: Query[Any]) -> bool:
        """Whether items of other entities can lie where a query looks."""
        found = self._neighbours.get(query.name)
        if found is None:
            entity = self._design.entities[query.entity]
            # Items of the design before may lie anywhere.
            found = bool(self._design.formerly) or self._design.neighbours(entity, query.index)
            self._neighbours[query.name] = found
        return found

    def _records(self, asked: Asked, entries: Sequence[Item]) -> Shown:
        query, records = asked.query, asked.records
        if isinstance(query, Collection):
            return [self._member(asked, entry) for entry in entries]
        requests = self._requests[records.entity.name]
        if asked.completed:
            expired = query.expired
            whole = entries if asked.is_whole else self._whole(asked, entries)
            return [requests.present(item, expired=expired) for item in whole]
        to_record, lifetime = records.entry_to_record, requests.lifetime
        if query.expired or not lifetime.ends:
            return [to_record(query, entry) for entry in entries]
        if self._design.carries_expiry(query.index):
            past = lifetime.are_past(entries)
            return [
                None if is_past else to_record(query, entry)
                for entry, is_past in zip(entries, past, strict=True)
            ]
        return [self._record(requests, query, entry) for entry in entries]

    def _record(self, requests: Requests, listing: Listing[Any], entry: Item) -> Any | None:
        """The record of an entry that is not completed, unless it is past."""
        index, lifetime = listing.index, requests.lifetime
        if listing.expired or not lifetime.ends:
            return requests.records.entry_to_record(listing, entry)
        if self._design.carries_expiry(index):
            past = lifetime.is_past(entry)
            return None if past else requests.records.entry_to_record(listing, entry)
        record = requests.records.entry_to_record(listing, entry)
        return None if lifetime.entry_is_past(record) else record

    def scanned(
        self, scan: Scan[Any], entries: list[Item], condition: Condition | None
    ) -> list[Any]:
        """The records of what a scan found, those of its entity."""
        requests = self._requests[scan.entity]
        own = (entry for entry in entries if requests.records.is_one(entry, scan.index))
        found = (self._record(requests, scan, entry) for entry in own)
        return [
            record
            for record in found
            if record is not None and (condition is None or holds(condition, record))
        ]

    def _member(self, asked: Asked, entry: Item) -> Any | None:
        """The record of an entry of a collection, of whichever of its entities it is."""
        query = asked.query
        kinds = (self._requests[name] for name in query.entities)
        own = next((one for one in kinds if one.records.is_one(entry, query.index)), None)
        record = self._record(own, query, entry) if own else None
        if record is None:
            return None
        # A sort key may begin as another does: o1 as o10. Partitions are given in full, and what
        # they are made of may have other names here.
        sorted_by = {n: v for n, v in asked.given.items() if n in asked.key.sort_fields}
        if any(record.get(name, value) != value for name, value in sorted_by.items()):
            return None
        return record

    def _whole(self, asked: Asked, entries: Sequence[Item]) -> list[Item | None]:
        """The items that entries of an index are of."""
        own = self._design.key.names
        keys = [{name: entry[name] for name in own} for entry in entries]
        index_keys = asked.attributes.names
        attributes = None
        if asked.query.select:
            names = asked.records.stored_names(asked.query.select)
            more = (self._design.ttl, self._design.entity_type)
            attributes = [*names, *own, *index_keys, *(name for name in more if name)]
        items = self._read_all(keys, attributes)
        by_key = {self._design.key_values(item): item for item in items}
        whole: list[Item | None] = []
        for entry in entries:
            item = by_key.get(self._design.key_values(entry))
            # An index lags its table: an item that has moved on is listed where it is now.
            there = item and all(item.get(name) == entry[name] for name in index_keys)
            whole.append(item if there else None)
        return whole
