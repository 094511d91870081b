"""Keys of a new design for the items of an old one: unique, and free of other items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.stored_records import StoredRecord, key_of
from tablewright.model.entity import EntityModel
from tablewright.model.errors import KeyMismatch
from tablewright.model.validation.keys import can_collide
from tablewright.runtime.store.records import Item, Records, key_text


def key_conflicts(
    stored: Sequence[StoredRecord], codecs: Mapping[str, Records]
) -> Iterator[Finding]:
    """Find items that would share a key, and keys that pass from one item to another."""
    keys = {
        one.mark: key
        for one in stored
        if one.reader is not None and (key := key_of(one, codecs[one.reader.name], None))
    }
    yield from _collisions(stored, keys)
    moved = {one.reader.name for one in stored if one.reader is not None and _moves(one, keys)}
    continued = {one.reader.name for one in stored if one.reader is not None}
    for name, codec in codecs.items():
        if name in moved or name not in continued:
            yield from _reused(name, codec, stored)
        if name not in continued:
            yield from _shared(codec.entity, stored)


def _collisions(stored: Sequence[StoredRecord], keys: Mapping[str, Item]) -> Iterator[Finding]:
    holders: dict[str, StoredRecord] = {}
    for one in stored:
        if one.mark not in keys:
            continue
        key = ", ".join(f"{name}={key_text(wire)!r}" for name, wire in keys[one.mark].items())
        holder = holders.setdefault(key, one)
        if any(holder.item[name] != one.item[name] for name in keys[one.mark]):
            example = f"{holder.shown()} and {one.shown()} both get {key}"
            yield finding("keys-collide", one.entity.name, example)


def _reused(name: str, codec: Records, stored: Sequence[StoredRecord]) -> Iterator[Finding]:
    """Stored items whose key, in the new design, is that of another item of an entity."""
    type_attribute = codec.design.entity_type
    for one in stored:
        # The key alone counts: the item may be rewritten under the type of another entity.
        key = {
            attribute: wire for attribute, wire in one.item.items() if attribute != type_attribute
        }
        is_own = one.reader is not None and one.reader.name == name
        if codec.is_one(key, None) and not (is_own and _has_same_texts(codec, one)):
            written = one.written(*codec.design.key.names)
            example = f"{one.shown()} has {written}, which becomes the key of another {name}"
            yield finding("keys-reused", name, example)


def _shared(added: EntityModel, stored: Sequence[StoredRecord]) -> Iterator[Finding]:
    """New entities that can have the key of an old one: old code would replace their items."""
    for entity in {one.entity.name: one.entity for one in stored}.values():
        if can_collide(added, entity):
            yield finding(
                "keys-reused", added.name, f"{added.name} can have a key of {entity.name}"
            )


def _moves(stored: StoredRecord, keys: Mapping[str, Item]) -> bool:
    key = keys.get(stored.mark, {})
    return any(stored.item.get(name) != wire for name, wire in key.items())


def _has_same_texts(codec: Records, stored: StoredRecord) -> bool:
    """True if the new design reads the fields of the same record from an item's key."""
    texts = codec.entity.texts(stored.expected, codec.key_inputs)
    try:
        read = codec.key_texts(stored.item, None)
    except KeyMismatch:
        return False
    return all(texts.get(name, text) == text for name, text in read.items())
