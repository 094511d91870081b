"""Items of one table as items of the other: by the functions of a migration, and only if exact."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.compatibility.mapping import is_same, value_in
from tablewright.changes.copying.migration_file import (
    IncompleteMigration,
    MapRecord,
    MigrationFile,
)
from tablewright.model.declaration import Table, is_checked
from tablewright.model.errors import KeyMismatch, TablewrightError
from tablewright.runtime.errors import MalformedItem, SecretUnreadable
from tablewright.runtime.store.attribute_values import Wire, comparable, decode
from tablewright.runtime.store.records import UNFIT, Item, Records

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets


class NotMapped(TablewrightError):
    """An item has no counterpart in the other table; the message is the reason."""


class Dropped(NotMapped):
    """The migration leaves the item out on purpose: LOSES names its entity."""


class TableSide:
    """One of the two tables: its name, its design, and the codecs of its entities."""

    def __init__(self, table: type[Table], name: str, secrets: Secrets | None = None) -> None:
        self.name, self.design = name, table.__design__
        self.codecs = {
            entity.name: Records(self.design, entity, secrets=secrets, table_name=name)
            for entity in self.design.entity_list
        }

    def key(self, item: Item) -> Item:
        """The primary key of an item."""
        return {name: item[name] for name in self.design.key.names}

    def read(self, item: Item) -> tuple[Records, Any]:
        """The codec and the record of an item; raises NotMapped."""
        codec = next((one for one in self.codecs.values() if one.is_one(item, None)), None)
        if codec is None:
            raise NotMapped(f"the item is of no entity of design {self.design.id}")
        try:
            record = codec.to_record(item)
        except (MalformedItem, KeyMismatch, SecretUnreadable) as problem:
            text = getattr(problem, "log_text", str(problem))
            raise NotMapped(f"the item does not fit {codec.entity.name}: {text}") from None
        if getattr(record, "__unread__", None):
            raise NotMapped(f"{codec.entity.name} has secret fields, and their keys are missing")
        return codec, record


class MappedItem(NamedTuple):
    """What an item is in the other table: as stored, and before encryption.

    `inexact` says what of the item cannot be restored from it.
    """

    item: Item
    clear: Item
    inexact: str | None
    codec: Records

    def is_stored(self, stored: Item) -> bool:
        """True if an item of the table is this one, however it is encrypted."""
        try:
            clear = self.codec.decrypted(stored)
        except SecretUnreadable:
            return False
        return same_item(clear, self.clear)


class ItemMapping:
    """Maps items of the source table to the target table, and finds the source of a target item."""

    def __init__(
        self, migration: MigrationFile, source: TableSide, target: TableSide, *, forward: bool
    ) -> None:
        self.source, self.target = source, target
        functions = migration.upgrade, migration.downgrade
        self._map, self._restore = functions if forward else functions[::-1]
        self._loses = migration.loses

    def map(self, item: Item) -> MappedItem:
        """The counterpart of an item; raises NotMapped."""
        try:
            return self._mapped(item)
        except UNFIT as problem:
            # A value that an older rule let through, and that no key or expiry can be made of.
            raise NotMapped(f"the item cannot be written anew: {problem}") from None

    def _mapped(self, item: Item) -> MappedItem:
        codec, record = self.source.read(item)
        target, mapped = self._apply(self._map, codec, record, self.target)
        clear = target.clear_item(mapped)
        self._keep_expiry(codec, record, item, target, clear)
        self._keep_unknown(codec, item, target, clear)
        stored = target.encrypted(clear)
        back, restored = self._restored(stored)
        if self.source.key(back.clear_item(restored)) != self.source.key(item):
            raise NotMapped(
                f"{codec.entity.name}: mapped there and back, the item has another key, so that "
                "its source cannot be found again"
            )
        lost = self._lost(codec, record, back, restored)
        names = ", ".join(lost)
        inexact = f"{names} cannot be restored: list it in LOSES if that is meant" if lost else None
        return MappedItem(stored, clear, inexact, target)

    def source_key(self, item: Item) -> Item:
        """The key of the source item of a target item; raises NotMapped."""
        codec, record = self._restored(item)
        return self.source.key(codec.clear_item(record))

    def expires_early(self, item: Item, mapped: MappedItem, now: float) -> bool:
        """True if DynamoDB would delete the mapped item, and not the item itself."""
        return _has_expired(mapped.clear, self.target.design.ttl, now) and not _has_expired(
            item, self.source.design.ttl, now
        )

    def may_expire(self, mapped: MappedItem) -> bool:
        """True if LOSES accepts that items of this entity expire early."""
        return f"{mapped.codec.entity.name}:expired" in self._loses

    def _restored(self, item: Item) -> tuple[Records, Any]:
        codec, record = self.target.read(item)
        return self._apply(self._restore, codec, record, self.source)

    def _apply(
        self, functions: Mapping[str, MapRecord], codec: Records, record: Any, side: TableSide
    ) -> tuple[Records, Any]:
        name = codec.entity.name
        if name not in functions:
            raise Dropped(f"the migration leaves out items of {name}")
        function = functions[name]
        try:
            result = function(record)
            made = side.codecs[type(result).__entity__.name].entity.made
            if not isinstance(result, made):
                raise TypeError("returned a record of another design")
            return side.codecs[made.__entity__.name], (
                result if is_checked(result) else made(**result)
            )
        except IncompleteMigration as problem:
            raise IncompleteMigration(f"{function.__name__}: {problem}") from None
        except Exception as error:  # whatever a function of the user may raise
            # Reasons can quote values, and those of secret fields are not for the state.
            text = "" if codec.entity.secrets else f": {error}"
            raise NotMapped(f"{function.__name__} raised {type(error).__name__}{text}") from None

    def _lost(self, codec: Records, record: Any, back: Records, restored: Any) -> list[str]:
        name = codec.entity.name
        if back is not codec:
            return [name]
        fields = (
            f"{name}.{one.name}" for one in codec.entity.fields if not _equal(record, restored, one)
        )
        return [field for field in fields if field not in self._loses]

    def _keep_expiry(
        self, codec: Records, record: Any, item: Item, target: Records, clear: Item
    ) -> None:
        """Carry over an expiry that is not the one that the design writes."""
        ttl, to = self.source.design.ttl, self.target.design.ttl
        if not ttl or not to or ttl in codec.entity.by_stored or to in target.entity.by_stored:
            return
        stored = item.get(ttl)
        if not same(stored, codec.clear_item(record).get(ttl)):
            clear.pop(to, None)
            clear.update({to: stored} if stored else {})

    def _keep_unknown(self, codec: Records, item: Item, target: Records, clear: Item) -> None:
        """Carry over attributes that the source's design does not know; they are never lost."""
        design = self.target.design
        written = {design.ttl, design.entity_type, *design.key.names}
        written |= {name for index in design.index_list for name in index.key.names}
        for name in item.keys() - set(self.source.design.key.names):
            if codec.owns(name):
                continue
            if name in written or target.owns(name):
                raise NotMapped(
                    f"attribute '{name}' is not of design {self.source.design.id}, and design "
                    f"{design.id} writes one of that name"
                )
            clear[name] = item[name]


def same(one: Wire | None, other: Wire | None) -> bool:
    """True if DynamoDB finds two values equal: sets in any order, numbers by value."""
    if one is None or other is None:
        return one is other
    return comparable(one) == comparable(other)


def same_item(one: Item | None, other: Item | None) -> bool:
    """True if two items have the same attributes."""
    if one is None or other is None:
        return one is other
    return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)


def key_text(key: Item) -> str:
    """A key for people, and as a name in the state."""
    return ", ".join(f"{name} {decode(wire)}" for name, wire in sorted(key.items()))


def to_json(key: Item) -> dict[str, Any]:
    """A key as JSON."""
    return {
        name: {"B": b64encode(decode(wire)).decode()} if "B" in wire else wire
        for name, wire in key.items()
    }


def from_json(key: Item) -> Item:
    """The key that `to_json` wrote."""
    return {
        name: {"B": b64decode(wire["B"])} if "B" in wire else wire for name, wire in key.items()
    }


def _equal(record: Any, restored: Any, field: Any) -> bool:
    return is_same(value_in(record, field), value_in(restored, field))


def _has_expired(item: Item, ttl: str | None, now: float) -> bool:
    wire = item.get(ttl) if ttl else None
    return wire is not None and "N" in wire and Decimal(wire["N"]) <= Decimal(now)
