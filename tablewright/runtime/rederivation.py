"""Rederivation: what a design writes for an item that the design before it has written.

Pure: it takes an item as it was read, and says what it would be and by which conditional write. An
item that somebody else writes meanwhile is theirs: the condition fails, and it is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.model.errors import InvalidRecord, InvalidValue, KeyMismatch, TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.sharding.epochs import EpochSource
from tablewright.model.table import Design
from tablewright.runtime.store.attribute_values import Wire, comparable
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import UNFIT, Item, Records

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

Params = dict[str, Any]


class NotRederivable(TablewrightError):
    """An item that a design cannot write: of none of its entities, or without what they need."""


class Rederived(NamedTuple):
    """An item as it is, and as the design writes it.

    `sources` are the attributes that the result follows from, `known` all that are the entity's.
    """

    entity: str
    record: Mapping[str, Any]
    key_names: tuple[str, ...]
    before: Item
    after: Item
    sources: frozenset[str]
    known: frozenset[str]

    @property
    def changed(self) -> frozenset[str]:
        """The attributes that are not as the design writes them."""
        names = self.before.keys() | self.after.keys()
        return frozenset(n for n in names if not same(self.before.get(n), self.after.get(n)))

    @property
    def is_moved(self) -> bool:
        """Whether it belongs under another key."""
        return not self.changed.isdisjoint(self.key_names)

    def update(self, table_name: str) -> Params:
        """The UpdateItem that rewrites it where it is, unless it was written meanwhile."""
        expressions, changed = Expressions(), self.changed
        old, new = ({n: one[n] for n in changed if n in one} for one in (self.before, self.after))
        return self._unless_written(
            {
                "TableName": table_name,
                "Key": self._key(self.before),
                "UpdateExpression": expressions.change(old, new),
            },
            expressions,
            changed | self.sources,
        )

    def move(self, table_name: str) -> Params:
        """The TransactWriteItems that brings it under its key, where nothing may be yet."""
        expressions = Expressions()
        absent = expressions.matches(self.key_names[0], None)
        put = {"TableName": table_name, "Item": self.after, "ConditionExpression": absent}
        delete = self.remove(table_name)
        return {"TransactItems": [{"Put": expressions.into(put)}, {"Delete": delete}]}

    def remove(self, table_name: str) -> Params:
        """The DeleteItem that removes it from where it was, unless it was written meanwhile."""
        params = {"TableName": table_name, "Key": self._key(self.before)}
        return self._unless_written(params, Expressions(), self.known.union(self.before))

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self.key_names}

    def _unless_written(
        self, params: Params, expressions: Expressions, names: frozenset[str]
    ) -> Params:
        # Without the first, an item that was deleted since would come back to life.
        conditions = [f"attribute_exists({expressions.name(self.key_names[0])})"]
        conditions += [
            expressions.matches(name, self.before.get(name))
            for name in sorted(names)
            if name not in self.key_names
        ]
        params["ConditionExpression"] = " AND ".join(conditions)
        return expressions.into(params)


class Rederivation:
    """Says of items what the design `new` writes for them, which may have been written by `old`.

    Entities are the same if their names are. What an item has in the new form is taken from there:
    only new code has written that. `epochs` and `secrets` are as a store's.

    Example::

        rederived = Rederivation(Orders.__design__, OrdersBefore.__design__).of(item)
    """

    def __init__(
        self,
        new: Design,
        old: Design | None = None,
        *,
        epochs: EpochSource | None = None,
        old_epochs: EpochSource | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self.new = new
        self.old = old
        self._new = _codecs(new, epochs, secrets)
        self._old = _codecs(old, old_epochs, secrets) if old else {}

    def of(self, item: Item) -> Rederived:
        """What becomes of an item; raises NotRederivable, and SecretUnreadable as a store does."""
        found = _one_of(self._old, item)
        kept, target = _one_of(self._new, item), self._new.get(found.entity.name) if found else None
        # One that says by its type what it is was written by new code.
        told = kept and self.new.entity_type in item
        target = kept if told or target is None else target
        if target is None:
            raise NotRederivable("of no entity of the design")
        old = found if found and found.entity.name == target.entity.name else None
        in_place = kept is target and _has_key_of(target, item)
        clear = (target if in_place or not old else old).decrypted(item)
        if len(clear) < len(item):
            raise NotRederivable(f"{target.entity.name} has secret fields: their keys are needed")
        try:
            record = target.entity.check(_values(target, old, clear, in_place))
            derived = target.clear_item(record)
        except (InvalidRecord, InvalidValue) as problem:
            raise NotRederivable(str(problem)) from None
        except UNFIT:
            raise NotRederivable(f"a key of {target.entity.name} cannot be read") from None
        gone = _superseded(old, target) if old else frozenset()
        kept_on = {
            name: wire
            for name, wire in clear.items()
            if name not in gone and not _is_written_by(target, name)
        }
        return Rederived(
            target.entity.name,
            record,
            self.new.key.names,
            item,
            _stored(target, item, clear, {**kept_on, **derived}),
            frozenset(_sources(target)) | (frozenset(_sources(old)) if old else frozenset()),
            frozenset(target.entity.by_stored) | frozenset(old.entity.by_stored if old else ()),
        )


def _codecs(
    design: Design, epochs: EpochSource | None, secrets: Secrets | None
) -> dict[str, Records]:
    return {
        entity.name: Records(design, entity, epochs, secrets=secrets)
        for entity in design.entity_list
    }


def _one_of(codecs: Mapping[str, Records], item: Item) -> Records | None:
    return next((one for one in codecs.values() if one.is_one(item, None)), None)


def _values(target: Records, old: Records | None, item: Item, in_place: bool) -> dict[str, Any]:
    """The values of the new fields: as they are stored, or as the old fields were."""
    stored = target.clear_values(item) if in_place else target.values_as_stored(item)
    # One that says by its type what it is may have the new form of key already.
    is_old = old and _has_key_of(old, item)
    before = (old.clear_values if is_old else old.values_as_stored)(item) if old else {}
    values = {}
    for field in target.entity.fields:
        value = _fitting(field, stored.get(field.name))
        if value is None and old and field.name in before:
            former = old.entity.by_name[field.name]
            value = _fitting(field, before[field.name], former)
            value = before[field.name] if value is None else value  # and is refused with a reason
        elif value is None:
            value = stored.get(field.name)
        if value is not None:
            values[field.name] = value
    return values


def _fitting(field: Field[Any], value: Any, former: Field[Any] | None = None) -> Any | None:
    """A value as a field can have it, None where it cannot."""
    if value is None:
        return None
    for form in (_itself, _stored_form, _number, _text, _key_text) if former else (_itself,):
        try:
            return field.check(form(value, former or field, field))
        except (ArithmeticError, AttributeError, InvalidValue, TypeError, ValueError):
            continue
    return None


def _itself(value: Any, former: Field[Any], field: Field[Any]) -> Any:
    return value


def _stored_form(value: Any, former: Field[Any], field: Field[Any]) -> Any:
    return field.from_plain(former.to_plain(value))


def _number(value: Any, former: Field[Any], field: Field[Any]) -> Any:
    return field.from_plain(Decimal(str(former.to_plain(value))))


def _text(value: Any, former: Field[Any], field: Field[Any]) -> Any:
    return field.from_plain(str(former.to_plain(value)))


def _key_text(value: Any, former: Field[Any], field: Field[Any]) -> Any:
    return field.from_text(former.to_text(value))


def _superseded(old: Records, target: Records) -> frozenset[str]:
    """The attributes of the old form whose values the new form has elsewhere, or computes."""
    design, entity = old.design, old.entity
    derived = {name for index in entity.indexed for name in design.indexes[index].key.names}
    derived |= {design.ttl} if design.ttl and entity.expires else set()
    derived |= {design.entity_type} if design.entity_type else set()
    fields = entity.by_stored
    moved = {stored for stored, field in fields.items() if field.name in target.entity.by_name}
    return frozenset(name for name in derived if name and name not in fields) | frozenset(moved)


def _is_written_by(records: Records, attribute: str) -> bool:
    """Whether an attribute is the design's to write, key or not."""
    if attribute == records.design.ttl and not records.entity.expires:
        return attribute in records.entity.by_stored  # others may have items expire all the same
    return attribute in records.design.key.names or records.owns(attribute)


def _has_key_of(records: Records, item: Item) -> bool:
    """Whether an item's key has the form that a design gives to the entity's."""
    try:
        records.key_texts(item, None)
    except KeyMismatch:
        return False
    return True


def _sources(records: Records) -> list[str]:
    """The attributes that those of index keys and expiry are computed from."""
    names = records.design.derives_from(records.entity)
    return records.stored_names(name for name in names if name in records.entity.by_name)


def _stored(target: Records, item: Item, clear: Item, wanted: Item) -> Item:
    """The wanted item, in which what does not change is as it is stored."""
    keys = target.design.key.names
    in_place = all(same(clear.get(name), wanted[name]) for name in keys)
    kept = {
        name: item[name]
        for name, wire in wanted.items()
        if in_place and same(clear.get(name), wire)
    }
    changed = {name: wire for name, wire in wanted.items() if name not in kept}
    return {**kept, **target.encrypted(changed, key=wanted)}


def same(one: Wire | None, other: Wire | None) -> bool:
    """Whether two stored values are the same: sets in any order, numbers by value."""
    if one == other or one is None or other is None:
        return one == other
    return comparable(one) == comparable(other)
