"""Additions: the attributes that an item lacks and its new design writes.

An item is read as the new design's store reads it, and the record is written again in memory. What
that has and the item lacks is added: index keys, expiry, entity type, defaults. An attribute that
the item has is never an addition. If the new design would write it otherwise, or if an addition
would change the record that the old design reads, the item is left as it is.

There is one exception. If old code updates an item that new code has written, the index keys that
only the new design computes are stale. They are corrected: old code neither reads nor writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.changes.backfill.item_change import ItemChange, same
from tablewright.changes.compatibility.mapping import DesignMapping
from tablewright.model.declaration import Entity, Table
from tablewright.model.entity import EntityModel
from tablewright.model.errors import InvalidRecord, InvalidValue, KeyMismatch, TablewrightError
from tablewright.model.table import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import MalformedItem, SecretUnreadable
from tablewright.runtime.sharding.epochs import StoredEpochs
from tablewright.runtime.store.records import UNFIT, Item, Records

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

_UNREADABLE = (InvalidRecord, InvalidValue, KeyMismatch, MalformedItem, SecretUnreadable, *UNFIT)


class NotAdditive(TablewrightError):
    """An item that cannot be completed without a change of what it has."""


class ForeignItem(TablewrightError):
    """An item of no entity of the new design."""


class Additions:
    """Computes what items lack. `old` is the design that may have written them.

    `was` maps new names to old ones, as `Order` or `Order.state`. With `only_expiry`, nothing but
    the attribute that items expire by is written, and an existing value is replaced by the
    design's. With `keep_later`, an expiry that is later than the design's counts as right.
    """

    def __init__(
        self,
        new: type[Table],
        old: type[Table] | None,
        table_name: str,
        caller: Caller,
        *,
        secrets: Secrets | None = None,
        only_expiry: bool = False,
        keep_later: bool = False,
        was: Mapping[str, str] | None = None,
    ) -> None:
        self.design = new.__design__
        self._only_expiry = only_expiry
        self._keep_later = keep_later
        self._new = codecs(self.design, table_name, caller, secrets)
        # Of each entity: they do not depend on items.
        self._sources = {name: sources_of(codec) for name, codec in self._new.items()}
        self._derived = {
            name: sorted(derived_names(self.design, codec.entity))
            for name, codec in self._new.items()
        }
        self._old = codecs(old.__design__, table_name, caller, secrets) if old else {}
        mapping = DesignMapping(old.__design__, self.design, was or {}) if old else None
        self._names = {was: name for name, was in mapping.entities.items()} if mapping else {}

    def of(self, item: Item) -> ItemChange | None:
        """The change that completes an item, or None; raises NotAdditive and ForeignItem."""
        old, new = self._codecs_of(item)
        clear, wanted = self._written(new, item)
        replaced = self._expiry(new, old, clear, wanted)
        if self._only_expiry:
            added = {n: w for n, w in wanted.items() if n == self.design.ttl and n not in item}
        else:
            replaced |= self._stale(new, old, clear, wanted)
            self._require_unchanged(new, clear, wanted, replaced)
            added = {name: wire for name, wire in wanted.items() if name not in item}
            added = _harmless(old, new, item, added) if old and added else added
        if not added and not replaced:
            return None
        removed = tuple(name for name, wire in replaced.items() if wire is None)
        changed = {name: wire for name, wire in replaced.items() if wire is not None}
        added = new.encrypted(added, key=item)
        sources = self._sources[new.entity.name]
        return ItemChange(self.design.key.names, item, added, sources, changed, removed)

    def wanted(self, item: Item) -> Item:
        """The item that the new design writes for the record in an item, before encryption."""
        return self._written(self._codecs_of(item)[1], item)[1]

    def _written(self, new: Records, item: Item) -> tuple[Item, Item]:
        """An item in clear, and as the new design writes it."""
        try:
            clear = new.decrypted(item)
            if len(clear) < len(item):
                raise NotAdditive(f"{new.entity.name} has secret fields: their keys are needed")
            return clear, new.clear_item(_with_defaults(new.to_record(item), new))
        except _UNREADABLE as problem:
            raise NotAdditive(f"{new.entity.name}: {_text_of(problem)}") from None

    def _codecs_of(self, item: Item) -> tuple[Records | None, Records]:
        old, new = codec_of(self._old, item), codec_of(self._new, item)
        name = self._names.get(old.entity.name) if old else None
        if new is None and name is not None:
            # An entity type that items do not have yet is one of the additions.
            new = self._new[name]
        if new is None:
            raise ForeignItem("of no entity of the design")
        if old is not None and name != new.entity.name:
            raise NotAdditive(
                f"{old.entity.name} for the old design, {new.entity.name} for the new"
            )
        return old, new

    def _stale(
        self, new: Records, old: Records | None, clear: Item, wanted: Item
    ) -> dict[str, Any]:
        """The right values of stale index keys, None to remove one; see the module's docstring."""
        if old is None:
            return {}
        stale = {}
        for name, key in new.entity.indexed.items():
            for attribute, template in self.design.key_attributes(name).of(key):
                own = attribute in self._derived[new.entity.name] and not old.owns(attribute)
                if (
                    not own
                    or attribute not in clear
                    or same(clear[attribute], wanted.get(attribute))
                ):
                    continue
                try:
                    template.parse(clear[attribute].get("S", ""))
                except KeyMismatch:
                    continue  # not a value that the new design writes
                stale[attribute] = wanted.get(attribute)
        return stale

    def _require_unchanged(
        self, new: Records, clear: Item, wanted: Item, replaced: Mapping[str, Any]
    ) -> None:
        """Refuse items with a key, an index key or an entity type that the design writes anew."""
        name = new.entity.name
        if not all(same(clear[key], wanted[key]) for key in self.design.key.names):
            raise NotAdditive(f"{name} has another key than follows from its fields")
        kept = self.design.ttl if self.design.ttl not in new.entity.by_stored else None
        for attribute in self._derived[name]:
            if attribute not in clear or same(clear[attribute], wanted.get(attribute)):
                continue
            if attribute in replaced:
                continue
            if attribute == kept and (attribute not in wanted or self._is_later(clear, wanted)):
                continue
            remedy = ": `tablewright backfill --only ttl` changes it" if attribute == kept else ""
            raise NotAdditive(f"{name} has another {attribute} than the design writes{remedy}")

    def _expiry(
        self, new: Records, old: Records | None, clear: Item, wanted: Item
    ) -> dict[str, Any]:
        """The expiry that replaces another one, None to remove it; empty unless requested."""
        ttl = self.design.ttl
        if not self._only_expiry or not ttl or ttl not in clear or ttl in new.entity.by_stored:
            return {}
        if ttl not in wanted:
            expired = old and old.design.ttl == ttl and old.entity.expires
            return {ttl: None} if expired and not self._keep_later else {}
        if same(clear[ttl], wanted[ttl]) or self._is_later(clear, wanted):
            return {}
        return {ttl: wanted[ttl]}

    def _is_later(self, clear: Item, wanted: Item) -> bool:
        """True for an expiry that stays because it is later than the design's."""
        ttl = self.design.ttl or ""
        if not self._keep_later or ttl not in wanted:
            return False
        if "N" not in clear[ttl]:
            raise NotAdditive(f"{ttl} is not a number")
        return Decimal(clear[ttl]["N"]) > Decimal(wanted[ttl]["N"])


def codecs(
    design: Design, table_name: str, caller: Caller, secrets: Secrets | None
) -> dict[str, Records]:
    """The codec of each entity of a design."""
    epochs = StoredEpochs(design, table_name, caller) if design.epochs else None
    return {
        entity.name: Records(design, entity, epochs, secrets=secrets)
        for entity in design.entity_list
    }


def codec_of(known: Mapping[str, Records], item: Item) -> Records | None:
    """The codec of the entity that an item is of."""
    return next((codec for codec in known.values() if codec.is_one(item, None)), None)


def derived_names(design: Design, entity: EntityModel) -> set[str]:
    """The attributes that a design computes for an entity, beside the key of the table."""
    names = {name for index in entity.indexed for name in design.indexes[index].key.names}
    names |= {design.ttl} if design.ttl and entity.expires else set()
    names |= {design.entity_type} if design.entity_type else set()
    return {name for name in names if name} - {*entity.by_stored, *design.key.names}


def sources_of(codec: Records) -> frozenset[str]:
    """The attributes that those of `derived_names` are computed from."""
    names = codec.design.derives_from(codec.entity)
    return frozenset(codec.stored_names(n for n in names if n in codec.entity.by_name))


def _with_defaults(record: Entity, codec: Records) -> dict[str, Any]:
    """The values of a record, defaults included."""
    values = dict(record)
    for field in codec.entity.fields:
        default = field.new_default() if field.optional else None
        # An empty collection is stored as no attribute.
        if field.name not in values and default not in (None, (), [], {}, set(), frozenset()):
            values[field.name] = default
    return values


def _harmless(old: Records, new: Records, item: Item, added: Item) -> Item:
    """The additions that do not change the record that the old design reads."""
    if not any(old.owns(name) for name in added):
        return added  # it reads none of them
    try:
        before = _values(old, item)
    except _UNREADABLE:
        return added  # new code has written the item
    needed = {name for index in new.entity.indexed for name in new.design.indexes[index].key.names}
    kept = {n: w for n, w in added.items() if n in needed or n not in old.entity.by_stored}
    for some in (added, kept):
        try:
            if _values(old, {**item, **some}) == before:
                return some
        except _UNREADABLE:
            continue
    raise NotAdditive(f"{old.entity.name}: the old design would read another record")


def _values(codec: Records, item: Item) -> dict[str, Any]:
    """The values that a design reads, defaults included."""
    record = codec.to_record(item)
    return {field.name: getattr(record, field.name) for field in codec.entity.fields}


def _text_of(problem: Exception) -> str:
    """The reason in a problem: which attribute, and which rule it breaks."""
    if isinstance(problem, MalformedItem):
        return f"{problem.attribute} {problem.rule}"
    return str(problem) or type(problem).__name__
