"""Reads of one design's items by the other design: by key, and by every query and scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.mapping import UNFIT, is_same, value_in
from tablewright.changes.compatibility.memory_table import (
    Item,
    MemoryTable,
    SequentialTransport,
)
from tablewright.changes.compatibility.stored_records import (
    StoredRecord,
    codecs_of,
    key_of,
    mark_of,
    open_store,
)
from tablewright.model.declaration import Entity, Table, unread_fields
from tablewright.model.entity import EntityModel
from tablewright.model.patterns import Collection, Listing, Query, Scan
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.query import Asked, Range
from tablewright.runtime.store.reading import Reading
from tablewright.runtime.store.records import key_text

# Partitions of a query to read. Those with an unexpected number of items are read first.
_MOST_PARTITIONS = 12

_Texts = tuple[tuple[str, str], ...]


class DesignReader:
    """A design that reads items which another design stored."""

    def __init__(self, table: type[Table], items: MemoryTable, stored: Iterable[StoredRecord]):
        self._design, self._items = table.__design__, items
        self._stored = {one.mark: one for one in stored}
        self._suspects = {m: one for m, one in self._stored.items() if not one.is_as_wanted}
        self._store, self._transport = open_store(table, items), SequentialTransport(items)
        self._codecs = codecs_of(self._store)

    def findings(self) -> Iterator[Finding]:
        """Find what the design reads wrongly, or does not find."""
        if not self._suspects:
            return
        for stored in self._suspects.values():
            if stored.reader is not None:
                yield from self._read_by_key(stored, stored.reader)
                yield from self._compare_types(stored, stored.reader)
                yield from self._compare_index_keys(stored, stored.reader)
        for pattern in self._design.pattern_list:
            if isinstance(pattern, Scan):
                yield from self._scan(pattern)
            elif isinstance(pattern, Query):
                yield from self._query(pattern)

    def _read_by_key(self, stored: StoredRecord, reader: EntityModel) -> Iterator[Finding]:
        subject = f"{reader.name} by key"
        key = key_of(stored, self._codecs[reader.name], None)
        item = self._items.call("GetItem", {"Key": key}).get("Item") if key else None
        written = f"{stored.shown()} has {stored.written(*self._design.key.names)}"
        if key is None:
            yield finding("hidden", subject, f"{written}; no key can be made from its values")
        elif item is None or mark_of(item) != stored.mark:
            read = "another item" if item else "nothing"
            sought = ", ".join(f"{name}={key_text(wire)!r}" for name, wire in key.items())
            yield finding(
                "hidden", subject, f"{written}; {sought} is requested, and returns {read}"
            )
        else:
            try:
                record = self._store._requests[reader.name].present(item)
            except Exception as error:  # every error reaches the caller of the store
                yield finding("unreadable", subject, f"{stored.shown()} raises {error}")
                return
            if record is None:
                yield finding("hidden", subject, f"{written}; it is read as no {reader.name}")
            else:
                yield from self._compare_values(stored, record)

    def _compare_values(self, stored: StoredRecord, record: Entity) -> Iterator[Finding]:
        reader, unread = record.__entity__, unread_fields(record)
        for name, field in reader.by_name.items():
            if name in unread:
                continue
            value = value_in(record, field)
            if name in stored.missing and value is None:
                code, text = "value-missing", "is read without a value"
            elif name in stored.inexact:
                is_refused = is_same(value, stored.record.get(stored.sources[name].name))
                code = "value-refused" if is_refused else "value-changed"
                text = f"is read as {value!r:.60}"
            elif is_same(value, stored.expected.get(name)):
                continue
            else:
                code, text = "value-changed", f"is read as {value!r:.60}"
            wanted = f", not {stored.expected[name]!r:.60}" if name in stored.expected else ""
            attribute = stored.written(field.stored)
            example = f"{stored.shown(name)}{attribute and f' has {attribute}'}; {name} {text}"
            yield finding(code, f"{reader.name}.{name}", f"{example}{wanted}")

    def _compare_types(self, stored: StoredRecord, reader: EntityModel) -> Iterator[Finding]:
        """Find an item that has the type of another entity, as which no list returns it."""
        attribute = self._design.entity_type
        kind = stored.item.get(attribute or "", {}).get("S", reader.name)
        if kind != reader.name:
            example = f"{stored.shown()} has {stored.written(attribute)}"
            yield finding("hidden", f"lists of {reader.name}", example)

    def _compare_index_keys(self, stored: StoredRecord, reader: EntityModel) -> Iterator[Finding]:
        """Compare sort keys in indexes, and whole keys where no pattern reads them."""
        codec = self._codecs[reader.name]
        for index in codec.entity.indexed:
            attributes = self._design.key_attributes(index)
            wanted = key_of(stored, codec, index)
            present = all(name in stored.item for name in attributes.names)
            is_queried = any(
                pattern.index == index and reader.name in pattern.entities
                for pattern in self._design.pattern_list
            )
            if wanted is None or (is_queried and not present):
                continue  # found by the queries
            for name in attributes.sort if is_queried else attributes.names:
                if not _is_same_key(wanted[name], stored.item.get(name)):
                    text = f"{stored.shown()} has {stored.written(name)}"
                    sought = f"{text}; {name}={key_text(wanted[name])!r} is expected"
                    code = "order-changed" if present else "hidden"
                    yield finding(code, f"index {index}", sought)

    def _scan(self, pattern: Scan[Any]) -> Iterator[Finding]:
        expected = {m for m, one in self._suspects.items() if self._is_listed(pattern, one)}
        items = self._items.call("Scan", {"IndexName": pattern.index})["Items"]
        items = [item for item in items if mark_of(item) in self._suspects]
        rows = []
        for item in items:
            try:
                records = self._store._entries.scanned(pattern, [item], None)
            except Exception as error:  # every error reaches the caller of the store
                records = [error]
            rows.append((item, records[0] if records else None))
        yield from self._compare_list(pattern, rows, expected)

    def _query(self, pattern: Query[Any]) -> Iterator[Finding]:
        partitions: dict[_Texts, tuple[set[str], set[str]]] = {}
        for item in self._items.index_items(pattern.index):
            if (texts := self._partition(pattern, item)) is not None:
                partitions.setdefault(texts, (set(), set()))[0].add(mark_of(item))
        for stored in self._stored.values():
            if self._is_listed(pattern, stored) and stored.reader is not None:
                key = key_of(stored, self._codecs[stored.reader.name], pattern.index)
                texts = self._partition(pattern, key) if key else None
                if texts is not None:
                    partitions.setdefault(texts, (set(), set()))[1].add(stored.mark)
        partitions = {
            texts: (items, expected)
            for texts, (items, expected) in partitions.items()
            if not self._suspects.keys().isdisjoint(items | expected)
        }
        by_difference = sorted(partitions.items(), key=lambda one: one[1][0] == one[1][1])
        for texts, (_, expected) in by_difference[:_MOST_PARTITIONS]:
            if (values := self._partition_values(pattern, texts, expected)) is not None:
                yield from self._query_partition(pattern, values, expected)

    def _is_listed(self, pattern: Listing[Any], stored: StoredRecord) -> bool:
        """True if a record that the reading design had written would be in a list."""
        names = pattern.entities if isinstance(pattern, Collection) else (pattern.entity,)
        if stored.reader is None or stored.reader.name not in names:
            return False
        return key_of(stored, self._codecs[stored.reader.name], pattern.index) is not None

    def _partition(self, pattern: Query[Any], item: Item) -> _Texts | None:
        """The texts in a partition key; None for a key of another form.

        The shard is among them only if a query reads one shard.
        """
        attributes = self._design.key_attributes(pattern.index).partition
        texts: dict[str, str] = {}
        for name, template in zip(attributes, self._design.key_of(pattern).partition, strict=True):
            try:
                texts.update(template.parse(key_text(item[name])))
            except UNFIT:
                return None
        if not self._has_one_shard(pattern):
            texts.pop("shard", None)
        return tuple(texts.items())

    def _has_one_shard(self, pattern: Query[Any]) -> bool:
        """True if the fields to query a partition by decide its shard."""
        key, entity = self._design.key_of(pattern), self._design.entity(pattern)
        inputs = {one for name in key.partition_fields for one in _inputs(entity, name)}
        return key.shards is not None and inputs.issuperset(key.shards.inputs)

    def _partition_values(
        self, pattern: Query[Any], texts: _Texts, expected: set[str]
    ) -> dict[str, Any] | None:
        """The values to query a partition by; None if they cannot be read from its key."""
        entity = self._design.entity(pattern)
        names = [name for name, _ in texts if name != "shard"]
        inputs = [one for name in names for one in _inputs(entity, name)]
        for stored in (self._stored[mark] for mark in sorted(expected)):
            if stored.reader is not None and stored.reader.name == entity.name:
                return {name: stored.expected[name] for name in inputs}
        try:
            return {name: entity.by_name[name].from_text(dict(texts)[name]) for name in names}
        except UNFIT:
            return None

    def _query_partition(
        self, pattern: Query[Any], values: dict[str, Any], expected: set[str]
    ) -> Iterator[Finding]:
        subject, records = _subject(pattern), self._codecs[pattern.entity]
        ranges = [(Range(), expected)]
        key, name = self._design.key_of(pattern), pattern.range
        # Such a query reads the shards of a range alone.
        if name and key.shards and key.shards.dated and key.sort_fields[:1] == (name,):
            dates = {mark: self._stored[mark].expected[name] for mark in expected}
            ranges += [
                (Range(at, at), {m for m in dates if dates[m] == at}) for at in dates.values()
            ]
        for bounds, marks in ranges[:4]:
            try:
                query = Asked(self._design, records, pattern, values, bounds, None)
                items = [item for _, item in Reading(self._transport, "any", query)]
            except Exception as error:  # every error reaches the caller of the store
                shown = ", ".join(f"{name}={value!r:.60}" for name, value in values.items())
                yield finding("unreadable", subject, f"a query for {shown} raises {error}")
                continue
            rows = []
            for item in items:
                try:
                    (record,) = self._store._entries.shown(query, [item])
                except Exception as error:  # every error reaches the caller of the store
                    record = error
                rows.append((item, record))
            yield from self._compare_list(pattern, rows, marks)

    def _compare_list(
        self, pattern: Listing[Any], rows: Sequence[tuple[Item, Any]], expected: set[str]
    ) -> Iterator[Finding]:
        subject, keys = _subject(pattern), self._design.key_attributes(pattern.index).names
        times = Counter(mark_of(item) for item, record in rows if record is not None)
        for mark in sorted(expected - times.keys()):
            stored = self._stored[mark]
            yield finding("hidden", subject, f"{stored.shown()} has {stored.written(*keys)}")
        for item, record in rows:
            mark = mark_of(item)
            if isinstance(record, Exception):
                yield finding(
                    "unreadable", subject, f"{self._stored[mark].shown()} raises {record}"
                )
            elif record is not None and self._is_foreign(mark, expected, times):
                number = "twice" if mark in expected else f"as {type(record).__name__}"
                yield finding(
                    "foreign", subject, f"{self._stored[mark].shown()} is listed {number}"
                )
            elif record is not None:
                yield from self._compare_values(self._stored[mark], record)

    def _is_foreign(self, mark: str, expected: set[str], times: Counter[str]) -> bool:
        # Nothing is expected of a record without exact counterparts of its values.
        is_known = not self._stored[mark].inexact | self._stored[mark].missing
        return times[mark] > 1 or (is_known and mark not in expected)


def _subject(pattern: Listing[Any]) -> str:
    return f"{'scan' if isinstance(pattern, Scan) else 'query'} {pattern.name}"


def _inputs(entity: EntityModel, name: str) -> tuple[str, ...]:
    """The fields by which a part of a key is given."""
    return entity.computed[name].inputs if name in entity.computed else (name,)


def _is_same_key(one: Wire, other: Wire | None) -> bool:
    if other is not None and "N" in one and "N" in other:
        return Decimal(one["N"]) == Decimal(other["N"])
    return one == other
