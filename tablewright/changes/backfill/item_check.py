"""Item check: one item, compared with the records that the new and the old design read of it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.changes.compatibility.mapping import DesignMapping
from tablewright.model.declaration import Entity
from tablewright.model.errors import InvalidRecord, InvalidValue, KeyMismatch
from tablewright.model.fields.base import Field
from tablewright.model.table import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import MalformedItem, SecretUnreadable
from tablewright.runtime.sharding.epochs import StoredEpochs
from tablewright.runtime.store.attribute_values import Wire, comparable
from tablewright.runtime.store.records import UNFIT, Item, Records

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

FOREIGN = "of no entity of the design"

_UNREADABLE = (InvalidRecord, InvalidValue, KeyMismatch, SecretUnreadable, *UNFIT)


class Reading:
    """The codecs of a design, with which it reads items."""

    def __init__(
        self, design: Design, table_name: str, caller: Caller, secrets: Secrets | None
    ) -> None:
        self.design = design
        epochs = StoredEpochs(design, table_name, caller) if design.epochs else None
        self._codecs = [
            Records(design, entity, epochs, secrets=secrets) for entity in design.entity_list
        ]

    def codec(self, item: Item) -> Records | None:
        """The codec of the entity that an item is of."""
        return next((codec for codec in self._codecs if codec.is_one(item, None)), None)


class ItemCheck:
    """Compares items with their records. `mapping` has the entities that continue old ones."""

    def __init__(
        self, new: Reading, old: Reading | None, mapping: DesignMapping | None, *, keep_later: bool
    ) -> None:
        self.design = new.design
        self._new, self._old = new, old
        self._mapping = mapping
        self._keep_later = keep_later

    def of(self, item: Item) -> tuple[str, str | None]:
        """The entity of an item, or FOREIGN, and the first difference."""
        codec = self._new.codec(item)
        before = self._old.codec(item) if self._old else None
        if codec is None:
            if self._mapping is None:
                return FOREIGN, f"{FOREIGN}; name the old design if it has one for them"
            if before is None or before.entity.name not in self._mapping.entities.values():
                return FOREIGN, None
            return FOREIGN, f"{before.entity.name} for the old design, nothing for the new one"
        name = codec.entity.name
        try:
            record = codec.to_record(item)
            if getattr(record, "__unread__", None):
                return name, f"{name} has secret fields: their keys are needed"
            differences = list(self._differences(codec, record, item))
        except MalformedItem as problem:
            return name, f"{name}: {problem.attribute} {problem.rule}"
        except _UNREADABLE as problem:
            return name, f"{name}: {problem}"
        if before and self._mapping and not differences:
            differences = list(self._read_otherwise(codec, record, before, self._mapping, item))
        return name, differences[0] if differences else None

    def _differences(self, codec: Records, record: Entity, item: Item) -> Iterator[str]:
        """The attributes of an item that do not follow from its record."""
        name = codec.entity.name
        for attribute, wire in self._computed(codec, record).items():
            if attribute not in item:
                yield f"{name} lacks {attribute}"
            elif comparable(item[attribute]) != comparable(wire):
                is_expiry = attribute == self.design.ttl
                if not (is_expiry and self._keep_later and _is_later(item[attribute], wire)):
                    yield f"{name} has another {attribute} than its record"

    def _computed(self, codec: Records, record: Entity) -> Item:
        """The attributes that follow from a record: keys, index keys, type and expiry."""
        design, entity = self.design, codec.entity
        values = {field.name: getattr(record, field.name) for field in entity.fields}
        texts = entity.texts(values, {name for key in entity.keys for name in entity.inputs(key)})
        wires = codec.key_item(texts, None)
        for index, key in entity.indexed.items():
            # Without one of these values, an item is not in the index.
            if all(values.get(name) is not None for name in entity.inputs(key)):
                wires |= codec.key_item(texts, index)
        if design.entity_type:
            wires[design.entity_type] = {"S": entity.name}
        if design.ttl and entity.expires and design.ttl not in entity.by_stored:
            since = values.get(entity.expires.field)
            if since is not None:
                moment = entity.expires.at(entity.time_text(since))
                wires[design.ttl] = {"N": str(moment)}
        return wires

    def _read_otherwise(
        self, codec: Records, record: Entity, before: Records, mapping: DesignMapping, item: Item
    ) -> Iterator[str]:
        """The fields that the old design reads with another value."""
        new, old = codec.entity, before.entity
        if mapping.entities.get(new.name) != old.name:
            yield f"{old.name} for the old design, {new.name} for the new one"
            return
        try:
            former = before.to_record(item)
        except (MalformedItem, *_UNREADABLE):
            return  # new code has written what the old design has no form for
        for name, was in mapping.field_names(old, new).items():
            values = (getattr(former, was), getattr(record, name))
            if not _is_same(old.by_name[was], new.by_name[name], *values):
                yield f"{new.name}.{name} is another value for the old design"


def _is_same(old: Field[Any], new: Field[Any], former: Any, value: Any) -> bool:
    if former is None or value is None:
        return former is value
    return bool(former == value or old.to_plain(former) == new.to_plain(value))


def _is_later(stored: Wire, wanted: Wire) -> bool:
    return "N" in stored and Decimal(stored["N"]) > Decimal(wanted["N"])
