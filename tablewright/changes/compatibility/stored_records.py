"""Stored records: boundary records as one design writes them, and as the other must read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tablewright.changes.compatibility.boundary_records import EPOCHS, accepted, boundary_records
from tablewright.changes.compatibility.mapping import UNFIT, Direction, is_same, value_in
from tablewright.changes.compatibility.memory_table import (
    MARK,
    Item,
    MemoryTable,
    SequentialTransport,
)
from tablewright.model.declaration import Table
from tablewright.model.entity import EntityModel
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.sharding.epochs import EpochListField, EpochShards
from tablewright.runtime import Store
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.records import Records

# No item is past at this time, and no id was made after the other.
_BEFORE_ALL, _AFTER_ALL = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
_SECRETS = Secrets(Ring("any", {b"key1": b"1" * 32}, writer=b"key1", digest=b"2" * 32))


@dataclass(frozen=True)
class StoredRecord:
    """A record that one design stored, and the record that the other design must read.

    `record` is read by the writing design's own codec. `reader` is the entity that reads it, and
    `sources` has the written field of each of its fields. `expected` has the values to be read;
    `inexact` names fields whose values have no exact counterpart, `missing` required fields without
    a value. `wanted` is the item that the reading design would write, without encryption.
    """

    mark: str
    entity: EntityModel
    record: Mapping[str, Any]
    item: Item
    clear: Item
    reader: EntityModel | None = None
    sources: Mapping[str, Field[Any]] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    inexact: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    wanted: Item | None = None
    refusal: str = ""

    @property
    def is_as_wanted(self) -> bool:
        """True if the item is exactly the one that the reading design would write.

        Such an item needs no reading: the reading design reads its own items.
        """
        if self.reader is None or self.wanted != self.clear:
            return False
        return {one.stored for one in self.entity.secrets} == {
            one.stored for one in self.reader.secrets
        }

    @property
    def has_epochs(self) -> bool:
        """True if the item has the shard epochs by which other items are found."""
        return any(isinstance(one, EpochListField) for one in self.entity.fields)

    def shown(self, *names: str) -> str:
        """The record in text: the fields of its key, and the named ones."""
        shown = dict.fromkeys((*self.entity.inputs(self.entity.key), *names))
        values = (f"{n}={self.record[n]!r:.60}" for n in shown if n in self.record)
        return f"{self.entity.name}({', '.join(values)})"

    def written(self, *attributes: str | None) -> str:
        """The named attributes of the item in text."""
        texts = (
            f"{name}={next(iter(self.item[name].values()))!r:.60}" if name in self.item else name
            for name in attributes
            if name
        )
        return ", ".join(text if "=" in text else f"no {text}" for text in texts)


def open_store(table: type[Table], items: MemoryTable) -> Store:
    """A store of a table in memory, with keys for secrets, in which nothing has expired."""
    epochs = EpochCache(clock=_AFTER_ALL.timestamp)
    transport = SequentialTransport(items)
    now = lambda: _BEFORE_ALL  # noqa: E731
    return Store(table, "any", transport, secrets=_SECRETS, epochs=epochs, now=now)


def codecs_of(store: Store) -> dict[str, Records]:
    """The codec of each entity of a store."""
    return {name: requests.records for name, requests in store._requests.items()}


def stored_records(table: type[Table], direction: Direction) -> list[StoredRecord]:
    """Boundary records of every entity, as a design stores them in a table of its own."""
    items = MemoryTable(table.__design__)
    codecs = codecs_of(open_store(table, items))
    records = {
        entity.name: list(
            boundary_records(entity, _counterparts(direction, entity), _alone(direction, entity))
        )
        for entity in table.__design__.entity_list
    }
    stored: list[StoredRecord] = []
    for entity, record in _epoch_records(table, records):
        for one in _stored(codecs[entity.name], record, len(stored)):
            items.put(one.item, one.mark)
            stored.append(one)
    for entity in table.__design__.entity_list:
        codec = codecs[entity.name]
        for record in records[entity.name]:
            is_old = direction.is_forward and record is records[entity.name][-1]
            stored += _stored(codec, record, len(stored), _late_fields(entity) if is_old else ())
    return stored


def _stored(
    codec: Records, record: Any, number: int, late: Iterable[Field[Any]] = ()
) -> list[StoredRecord]:
    """The stored form of a record, without some fields; none if the table cannot store it."""
    try:
        item, clear = codec.to_item(record), codec.clear_item(record)
        for attribute in (one.stored for one in late):
            item.pop(attribute, None)
            clear.pop(attribute, None)
        return [StoredRecord(str(number), codec.entity, {**codec.to_record(item)}, item, clear)]
    except TablewrightError:
        return []


def _late_fields(entity: EntityModel) -> list[Field[Any]]:
    """Fields that items older than the field lack, and that are read as their default.

    Fields that a key or the expiry is computed from are in every item.
    """
    used = _key_inputs(entity)
    fields = (one for one in entity.fields if one.default is not None and one.stored)
    return [one for one in fields if one.name not in used]


def _counterparts(direction: Direction, entity: EntityModel) -> dict[str, Field[Any]]:
    """The field of the reading design for each field of an entity that continues there."""
    reader = direction.reader_of(entity)
    if reader is None:
        return {}
    sources = direction.sources(entity, reader).items()
    return {source.name: reader.by_name[name] for name, source in sources}


def _alone(direction: Direction, entity: EntityModel) -> set[str]:
    """Fields of an entity that one of the two designs computes a key or the expiry from."""
    names = _key_inputs(entity)
    reader = direction.reader_of(entity)
    if reader is not None:
        sources, used = direction.sources(entity, reader), _key_inputs(reader)
        names |= {source.name for name, source in sources.items() if name in used}
    return names


def _key_inputs(entity: EntityModel) -> set[str]:
    names = {name for key in entity.keys for name in entity.inputs(key)}
    return names | ({entity.expires.field} if entity.expires else set())


def _epoch_records(
    table: type[Table], records: Mapping[str, list[Any]]
) -> Iterator[tuple[EntityModel, Any]]:
    """Records that give several shards to every owner whose items are sharded by epochs."""
    design = table.__design__
    if not design.epochs:
        return
    entity = design.entity(design.patterns[design.epochs])
    owner = entity.key.fields[0]
    (shards,) = (one.name for one in entity.fields if isinstance(one, EpochListField))
    owners = {
        record.get(key.shards.whose): None
        for other in design.entity_list
        for key in other.keys
        if isinstance(key.shards, EpochShards)
        for record in records[other.name]
    }
    for example in records[entity.name][:1]:
        for name in owners:
            if accepted(entity.by_name[owner], name) is not None:
                yield entity, entity.made(**{**example, owner: name, shards: list(EPOCHS)})


def expect(
    stored: StoredRecord, direction: Direction, codecs: Mapping[str, Records]
) -> StoredRecord:
    """The stored record with the values that the other design must read."""
    reader = direction.reader_of(stored.entity)
    if reader is None:
        return stored
    sources = direction.sources(stored.entity, reader)
    expected: dict[str, Any] = {}
    inexact, missing = set(), set()
    for name, target in reader.by_name.items():
        source = sources.get(name)
        value = value_in(stored.record, source) if source else None
        if source is not None and value is not None:
            expected[name] = direction.convert(source, value, target)
            if expected[name] is None:
                del expected[name]
                inexact.add(name)
        elif target.default is not None:
            expected[name] = target.default
        elif not target.optional:
            missing.add(name)
    stored = replace(stored, reader=reader, sources=sources, expected=expected)
    if not inexact and not missing:
        return _rewritten(stored, codecs[reader.name])
    return replace(stored, inexact=frozenset(inexact), missing=frozenset(missing))


def expect_itself(stored: StoredRecord) -> StoredRecord:
    """The stored record as the design that stored it must read it."""
    sources = {field.name: field for field in stored.entity.fields}
    values = {name: value_in(stored.record, field) for name, field in sources.items()}
    expected = {name: value for name, value in values.items() if value is not None}
    return replace(stored, reader=stored.entity, sources=sources, expected=expected, wanted=None)


def _rewritten(stored: StoredRecord, codec: Records) -> StoredRecord:
    """The stored record with the item that the other design would write for it."""
    try:
        wanted = codec.clear_item(codec.entity.made(**stored.expected))
        back = codec.to_record(codec.encrypted(wanted))
    except UNFIT as error:
        return _unfit(stored, error, codec)
    lost = {
        name
        for name, value in stored.expected.items()
        if not is_same(value_in(back, codec.entity.by_name[name]), value)
    }
    return replace(stored, wanted=wanted, inexact=frozenset(lost))


def _unfit(stored: StoredRecord, error: Exception, codec: Records) -> StoredRecord:
    """The stored record for which the other design cannot write an item.

    A new index may refuse a text in its key. Only the table shows whether there are such texts.
    """
    fields = {getattr(one, "field", "") for one in getattr(error, "problems", (error,))}
    missing = frozenset(fields - stored.expected.keys())
    keys = [(None, codec.entity.key), *codec.entity.indexed.items()]
    refusing = {
        index
        for index, key in keys
        if stored.expected.keys() >= {*codec.entity.inputs(key)}
        and key_of(stored, codec, index) is None
    }
    if missing or refusing & {None, *stored.entity.indexed}:
        return replace(stored, missing=missing, inexact=frozenset(fields - missing))
    return replace(stored, refusal=str(error))


def key_of(stored: StoredRecord, codec: Records, index: str | None) -> Item | None:
    """The key that the reading design expects; None if a value is missing."""
    if stored.reader is None or (index and index not in codec.entity.indexed):
        return None
    names = codec.entity.inputs(codec.entity.indexed[index] if index else codec.entity.key)
    if not all(name in stored.expected for name in names):
        return None
    try:
        return codec.key_item(codec.entity.texts(stored.expected, names), index)
    except TablewrightError:
        return None


def mark_of(item: Item) -> str:
    """The mark of the stored record that an item is of."""
    return str(item[MARK]["S"])
