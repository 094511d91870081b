"""Partial updates by one design of items that the other design stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tablewright.changes.compatibility.boundary_records import boundary_values
from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.mapping import is_same, value_in
from tablewright.changes.compatibility.memory_table import MemoryTable
from tablewright.changes.compatibility.stored_records import (
    StoredRecord,
    codecs_of,
    mark_of,
    open_store,
)
from tablewright.model.changes import Set
from tablewright.model.declaration import Table
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.patterns import Update, Upsert
from tablewright.runtime.store.records import Item, Records

# Items of each entity to update: an ordinary one, and some with other fields.
_MOST_ITEMS = 3


def stale_updates(
    updater: type[Table], owner: type[Table], stored: Sequence[StoredRecord]
) -> Iterator[Finding]:
    """Find updates by one design after which the design that stored an item misreads it.

    An update sets a field and what its own design derives from the field. The other design may
    derive more from it: the key of an index, or the expiry.
    """
    items = MemoryTable(owner.__design__)
    store, codecs = open_store(updater, items), codecs_of(open_store(owner, items))
    for pattern in updater.__design__.pattern_list:
        if not isinstance(pattern, Update | Upsert):
            continue
        update: Callable[..., Any] = store.update if isinstance(pattern, Update) else store.upsert
        codec = codecs_of(store)[pattern.entity]
        for record in [one for one in stored if _is_changed(one, pattern.entity)][:_MOST_ITEMS]:
            key = {n: record.expected[n] for n in codec.key_inputs if n in record.expected}
            for field, source in _updatable(record, codec):
                items.items.clear()
                for one in (*(one for one in stored if one.has_epochs), record):
                    items.put(one.item, one.mark)
                try:
                    update(pattern, key, _change(field, record.expected.get(field.name)))
                except (TablewrightError, TypeError):
                    continue  # an upsert that needs more fields, or a field with one value
                (after,) = (one for one in items.items.values() if mark_of(one) == record.mark)
                yield from _compare(record, source, codecs[record.entity.name], after)


def _is_changed(stored: StoredRecord, reader: str) -> bool:
    """True for an item that the updating design reads as this entity, and writes otherwise."""
    is_read = stored.reader is not None and stored.reader.name == reader
    return is_read and not stored.is_as_wanted


def _updatable(stored: StoredRecord, codec: Records) -> Iterator[tuple[Field[Any], Field[Any]]]:
    """Fields that an update can set, each with the field of the design that stored the item."""
    for name, source in stored.sources.items():
        field = codec.entity.by_name[name]
        if field.stored and name not in codec.key_inputs and not field.secret:
            yield field, source


def _change(field: Field[Any], value: Any) -> Set:
    """A change of a field to another value; raises InvalidValue if it has no other."""
    for other in boundary_values(field)[:3]:
        if not is_same(other, value):
            return Set(field, other)
    raise field.refuse("has one value")


def _compare(
    stored: StoredRecord, changed: Field[Any], codec: Records, after: Item
) -> Iterator[Finding]:
    """Compare an updated item with what the design that stored it would have written."""
    name = f"{stored.entity.name}.{changed.name}"
    try:
        record = codec.to_record(after)
        wanted = codec.clear_item(codec.entity.made(**record))
    except TablewrightError as error:
        example = f"after an update of {changed.name}, {stored.shown()} raises {error}"
        yield finding("update-stale", name, example)
        return
    values = [
        (one, value_in(record, one), value_in(stored.record, one)) for one in codec.entity.fields
    ]
    # Without a value, a record may get the default of the other design.
    stale: list[tuple[str, Any, Any]] = [
        (field.name, now, was)
        for field, now, was in values
        if field is not changed and was is not None and not is_same(was, now)
    ]
    stale += [
        (one, after.get(one), wanted.get(one))
        for one in sorted(_derived(codec))
        if after.get(one) == stored.item.get(one) and after.get(one) != wanted.get(one)
    ]
    for attribute, now, then in stale:
        example = f"after an update of {changed.name}, {attribute} is {now!r:.60}, not {then!r:.60}"
        yield finding("update-stale", name, f"{stored.shown(changed.name)}: {example}")


def _derived(codec: Records) -> set[str]:
    """Attributes that are computed from fields: keys of indexes, and the expiry."""
    indexes = (codec.design.indexes[name] for name in codec.entity.indexed)
    names = {name for index in indexes for name in index.key.names}
    return (names | {codec.design.ttl or ""}) - {*codec.entity.by_stored, ""}
