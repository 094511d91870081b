"""Partial updates by one design of items that the other design stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tablewright.changes.compatibility.boundary_records import boundary_values
from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.mapping import UNFIT, is_same, value_in
from tablewright.changes.compatibility.memory_table import MemoryTable, updated
from tablewright.changes.compatibility.stored_records import StoredRecord, codecs_of, open_store
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
    requests = open_store(updater, items)._requests
    codecs = codecs_of(open_store(owner, items))
    patterns = updater.__design__.pattern_list
    changed = {one.entity for one in patterns if isinstance(one, Update | Upsert)}
    for name in changed:
        for record in [one for one in stored if _is_changed(one, name)][:_MOST_ITEMS]:
            codec = codecs[record.entity.name]
            for field, source in _updatable(record, requests[name].records):
                change = _other_value(field, record.expected.get(field.name))
                if change is None:
                    continue
                try:
                    known = record.item if requests[name].derives([change]) else None
                    key = {n: record.expected[n] for n in requests[name].records.key_inputs}
                    action = requests[name].change("", key, [change], None, known)
                except (*UNFIT, TablewrightError):
                    continue  # found by the reads
                after = updated(record.item, dict(action.params))
                yield from _compare(record, source, codec, after)


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


def _other_value(field: Field[Any], value: Any) -> Set | None:
    values = (one for one in boundary_values(field)[:3] if not is_same(one, value))
    return next((Set(field, one) for one in values), None)


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
    for field in codec.entity.fields:
        was, now = value_in(stored.record, field), value_in(record, field)
        # Without a value, a record may get the default of the other design.
        if field is not changed and was is not None and not is_same(was, now):
            example = (
                f"after an update of {changed.name}, {field.name} is {now!r:.60}, not {was!r:.60}"
            )
            yield finding("update-stale", name, f"{stored.shown()}: {example}")
    for attribute in _derived(codec):
        is_kept = after.get(attribute) == stored.item.get(attribute)
        if is_kept and after.get(attribute) != wanted.get(attribute):
            values: list[Mapping[str, Any]] = [after.get(attribute, {}), wanted.get(attribute, {})]
            texts = [next((f"{v!r:.60}" for v in one.values()), "no value") for one in values]
            example = (
                f"after an update of {changed.name}, {attribute} is {texts[0]}, not {texts[1]}"
            )
            yield finding("update-stale", name, f"{stored.shown(changed.name)}: {example}")


def _derived(codec: Records) -> set[str]:
    """Attributes that are computed from fields: keys of indexes, and the expiry."""
    indexes = (codec.design.indexes[name] for name in codec.entity.indexed)
    names = {name for index in indexes for name in index.key.names}
    return (names | {codec.design.ttl or ""}) - {*codec.entity.by_stored, ""}
