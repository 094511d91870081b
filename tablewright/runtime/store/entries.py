"""Entries of a list, as they are read, and the records that they are shown as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.model.conditions import Condition
from tablewright.model.errors import KeyMismatch
from tablewright.model.patterns import Collection, Listing, Query, Scan
from tablewright.model.table import Design
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.store.evaluation import compiled
from tablewright.runtime.store.query import Asked
from tablewright.runtime.store.reading import Passed
from tablewright.runtime.store.records import Item, Records
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

    def shown(self, asked: Asked, entries: Sequence[Item]) -> Shown:
        """The record of each entry; for a malformed item the error, which is not raised here."""
        rows = [*enumerate(entries)]
        if asked.served is not None:
            rows = [row for row in rows if type(row[1]) is not Passed]
        if (keys := asked.tenant_keys) is not None:
            rows = [row for row in rows if keys.includes(row[1])]
        if asked.reads_more:
            rows = [row for row in rows if not asked.leaves_out(row[1])]
        if not isinstance(asked.query, Collection) and self.among_others(asked.query):
            # Items of other entities are passed over, whatever they have in common with these.
            names, index = [asked.query.entity], asked.query.index
            rows = [row for row in rows if self._kind(row[1], index, names)]
        items: Sequence[Item | None] = [entry for _, entry in rows]
        if asked.completed:
            items = self._whole(asked, [entry for _, entry in rows])
        try:
            records = self.decoded(lambda batch: self._records(asked, batch), items)
        except KeyMismatch:
            if self._neighbours.get(asked.query.name, True):
                raise
            # A later design writes here too: from now on each entry is looked at.
            self._neighbours[asked.query.name] = True
            return self.shown(asked, entries)
        if len(rows) == len(entries):
            return records
        shown: Shown = [None] * len(entries)
        for (at, _), record in zip(rows, records, strict=True):
            shown[at] = record
        return shown

    @staticmethod
    def decoded(decode: Callable[[Sequence[Any]], Shown], items: Sequence[Item | None]) -> Shown:
        """The records of items, decoded together; one by one only if an item is malformed."""
        try:
            return decode(items)
        except MalformedItem as error:
            if len(items) == 1:
                error.item = items[0] or {}
                return [error]
            return [record for item in items for record in Entries.decoded(decode, [item])]

    def _kind(self, entry: Item, index: str | None, names: Sequence[str]) -> Requests | None:
        """Find the entity, among these, of an entry that may lie among entries of others.

        If its keys have an entity's words but values that this refuses, it is of that entity, and
        malformed or written under older rules, unless it is of another.
        """
        kinds = [self._requests[name] for name in names]
        likeness = [kind.records.likeness(entry, index) for kind in kinds]
        if True in likeness:
            return kinds[likeness.index(True)]
        if None not in likeness:
            return None
        candidate = kinds[likeness.index(None)]
        for kind in self._requests.values():
            is_indexed = index in kind.records.entity.indexed
            fits = kind.records.likeness(entry, index if is_indexed else None)
            is_ambiguous = fits is None and candidate.records.has_key_texts(entry, index)
            if kind is not candidate and (fits or is_ambiguous):
                return None
        return candidate

    def among_others(self, query: Query[Any]) -> bool:
        """Whether items of other entities can lie where a query looks."""
        found = self._neighbours.get(query.name)
        if found is None:
            entity = self._design.entities[query.entity]
            found = self._neighbours[query.name] = self._design.neighbours(entity, query.index)
        return found

    def _records(self, asked: Asked, entries: Sequence[Item | None]) -> Shown:
        query, records, condition = asked.query, asked.records, asked.left
        if isinstance(query, Collection):
            return [entry and self._member(asked, entry) for entry in entries]
        requests = self._requests[records.entity.name]
        if condition is not None:
            entries = self._filtered(records, query, entries, condition)
        if asked.completed:
            expired, unread = query.expired, records.unread_by(query)
            return [requests.present(item, expired=expired, unread=unread) for item in entries]
        to_record, lifetime = records.entry_to_record, requests.lifetime
        if condition is None and (query.expired or not lifetime.ends):
            return [to_record(query, entry) for entry in entries if entry is not None]
        if condition is None and self._design.carries_expiry(query.index):
            past = lifetime.are_past(entry for entry in entries if entry is not None)
            return [
                None if is_past or entry is None else to_record(query, entry)
                for entry, is_past in zip(entries, past, strict=True)
            ]
        return [entry and self._record(requests, query, entry) for entry in entries]

    @staticmethod
    def _filtered(
        records: Records,
        listing: Listing[Any],
        entries: Sequence[Item | None],
        condition: Condition,
    ) -> list[Item | None]:
        """The entries that satisfy a condition, and None for others."""
        test = compiled(condition, records, listing.index)
        secret = any(operand.field.secret for operand in condition.operands())
        return [
            entry if entry and test(records.decrypted(entry) if secret else entry) else None
            for entry in entries
        ]

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

    def scanned(self, scan: Scan[Any], entries: list[Item], condition: Condition | None) -> Shown:
        """The records of what a scan found, those of its entity, and errors as `shown`."""
        requests = self._requests[scan.entity]
        items = [entry for entry in entries if self._kind(entry, scan.index, [scan.entity])]

        def decode(batch: Sequence[Any]) -> Shown:
            if condition is not None:
                batch = self._filtered(requests.records, scan, batch, condition)
            return [entry and self._record(requests, scan, entry) for entry in batch]

        return self.decoded(decode, items)

    def _member(self, asked: Asked, entry: Item) -> Any | None:
        """The record of an entry of a collection, of whichever of its entities it is."""
        query, condition = asked.query, asked.left
        kind = self._kind(entry, query.index, query.entities)
        if kind and condition is not None:
            (satisfying,) = self._filtered(kind.records, query, [entry], condition)
            kind = kind if satisfying else None
        record = self._record(kind, query, entry) if kind else None
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
