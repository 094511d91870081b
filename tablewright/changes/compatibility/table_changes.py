"""Changes of a table itself: its key, indexes, stream and expiry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.mapping import DesignMapping
from tablewright.changes.compatibility.memory_table import Item, MemoryTable, WriteRefused
from tablewright.changes.compatibility.stored_records import StoredRecord
from tablewright.model.patterns import Count
from tablewright.model.table import Design
from tablewright.model.table_form import TableForm, key_text


def fixed_parts(old: TableForm, new: TableForm) -> Iterator[Finding]:
    """Find changes of what a table keeps for life: its key, and local indexes."""
    keys = [key_text(form.partition, form.sort) for form in (old, new)]
    if keys[0] != keys[1]:
        yield finding("table-changed", "key", f"{keys[0]} becomes {keys[1]}")
    for name in dict.fromkeys((*old.local, *new.local)):
        before, after = (str(form.local.get(name, "no index")) for form in (old, new))
        if before != after:
            yield finding("table-changed", f"local index {name}", f"{before} becomes {after}")


def replaced_indexes(old: TableForm, new: TableForm) -> Iterator[Finding]:
    """Find indexes that have another key or projection under the same name."""
    for name in new.indexes:
        if old.indexes.get(name, new.indexes[name]) != new.indexes[name]:
            example = f"{old.indexes[name]} becomes {new.indexes[name]}"
            yield finding("index-replaced", f"index {name}", example)


def added_indexes(old: TableForm, new: TableForm) -> Iterator[Finding]:
    """Note the indexes that must exist before new code reads them."""
    for name, index in new.indexes.items():
        if name not in old.indexes:
            yield finding("index-added", f"index {name}", str(index))


def changed_stream(old: TableForm, new: TableForm) -> Iterator[Finding]:
    """Find a stream that ends while consumers of the old one read it."""
    if old.stream and old.stream != new.stream:
        yield finding("stream-changed", "stream", f"{old.stream} becomes {new.stream or 'none'}")


def refused_writes(
    stored: Sequence[StoredRecord], items: MemoryTable, writer: str
) -> Iterator[Finding]:
    """Find writes that DynamoDB refuses while the table has the indexes of both designs."""
    for one in stored:
        try:
            items.require_writable(one.item)
        except WriteRefused as error:
            yield finding("write-refused", f"{one.entity.name} by {writer} code", str(error))


def changed_markers(mapping: DesignMapping) -> Iterator[Finding]:
    """Find counts whose two versions remember events in different entities."""
    old = {one.name: one for one in mapping.old.pattern_list if isinstance(one, Count)}
    for count in mapping.new.pattern_list:
        before = old.get(count.name)
        if not isinstance(count, Count) or before is None:
            continue
        if mapping.entities.get(count.marker) != before.marker:
            example = f"events are remembered in {before.marker}, then in {count.marker}"
            yield finding("counted-twice", f"count {count.name}", example)


def changed_expiry(old: Design, new: Design, stored: Sequence[StoredRecord]) -> Iterator[Finding]:
    """Find items that DynamoDB would delete earlier than the old design said, or never."""
    for one in stored:
        before, after = _expiry(one.item, old.ttl), _expiry(one.item, new.ttl)
        wanted = _expiry(one.wanted or {}, new.ttl)
        written = f"{one.shown()} has {one.written(old.ttl, new.ttl)}"
        if after is not None and (before is None or after < before):
            yield finding("expires-early", f"{one.entity.name}: {new.ttl}", written)
        elif wanted is not None and after is None:
            sought = f"{written}; {new.ttl}={wanted} is expected"
            yield finding("expires-late", f"{one.entity.name}: {new.ttl}", sought)


def kept_expiry(old: Design, new: Design, stored: Sequence[StoredRecord]) -> Iterator[Finding]:
    """Note the items that keep the expiry that the old design gave them."""
    for one in stored:
        before, wanted = _expiry(one.item, old.ttl), _expiry(one.wanted or {}, new.ttl)
        if before is not None and one.wanted is not None and before != wanted:
            example = f"{one.shown()} has {one.written(old.ttl)}"
            yield finding("expiry-kept", one.entity.name, example)


def _expiry(item: Item, attribute: str | None) -> int | None:
    number = item.get(attribute or "", {}).get("N")
    return None if number is None else int(float(number))
