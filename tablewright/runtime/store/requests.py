"""Requests about the items of one entity: what is written, and on which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from tablewright.model.arguments import described
from tablewright.model.changes import Change, Remove, Set
from tablewright.model.conditions import Condition
from tablewright.model.declaration import refuse_partial
from tablewright.model.errors import InvalidRecord, TablewrightError
from tablewright.model.operands import Operand
from tablewright.model.sharding.epochs import EpochSource
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    NotFound,
    OutOfBounds,
    StoreError,
)
from tablewright.runtime.store import bounds
from tablewright.runtime.store import changes as changing
from tablewright.runtime.store.attribute_values import Wire, encode
from tablewright.runtime.store.condition_text import condition_text, values_text
from tablewright.runtime.store.conditions import Rendering, as_in
from tablewright.runtime.store.evaluation import compiled
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records, key_text
from tablewright.runtime.store.transactions import Action, Refusal

Params = dict[str, Any]


class Requests:
    """Writes the parameters of requests about one entity, and reads the items of their answers.

    An item that is past its lifetime, or that is of another entity with keys of the same form, is
    not there.
    """

    def __init__(self, records: Records, table_name: str, lifetime: Lifetime) -> None:
        self.records = records
        self.lifetime = lifetime
        self.name = records.entity.name
        self._table_name = table_name
        self._pk = records.design.pk

    def with_epochs(self, epochs: EpochSource) -> Requests:
        """The same requests, with keys whose shards follow from these epochs."""
        requests = copy(self)
        requests.records = copy(self.records)
        requests.records.epochs = epochs
        return requests

    def key(self, key: Mapping[str, Any]) -> Params:
        return {"TableName": self._table_name, "Key": self.records.key(key)}

    def present(
        self,
        item: Item | None,
        *,
        expired: bool = False,
        unread: frozenset[str] = frozenset(),
    ) -> Any | None:
        """The record in an item of the table, if it exists."""
        if item is None or not self._exists(item, expired=expired):
            return None
        return self.records.to_record(item, unread=unread)

    def _exists(self, item: Item, *, expired: bool = False) -> bool:
        if not expired and self.lifetime.is_past(item):
            return False
        return not self.records.shares_keys or self.records.is_one(item, None)

    def put(
        self,
        pattern: str,
        item: Item,
        *,
        create: bool,
        refusal: Refusal | None = None,
        repeatable: bool = True,
    ) -> Action:
        params: Params = {"TableName": self._table_name, "Item": item}
        expressions = Expressions()
        if create or self.records.shares_keys:
            conditions = [self._absent(expressions), *([] if create else self._own(expressions))]
            params["ConditionExpression"] = " OR ".join(conditions)
            expressions.into(params)
        key = {name: item[name] for name in self.records.design.key.names}
        refusal = refusal or (lambda found, _: self._already(key, found))
        return Action("Put", params, pattern, key, refusal, repeatable=repeatable)

    def delete(
        self,
        pattern: str,
        key: Mapping[str, Any],
        expected: Condition | None,
        *,
        missing_ok: bool = True,
    ) -> Action:
        if not missing_ok:
            return self.check(pattern, key, expected, kind="Delete")
        params = self.key(key)
        expressions = Expressions()
        conditions = [*self._own(expressions), *self._expected(expressions, expected)]
        if conditions:
            absent = self._absent(expressions)
            params["ConditionExpression"] = f"{absent} OR {' AND '.join(conditions)}"
        return self._action("Delete", pattern, expressions.into(params), expected)

    def check(
        self,
        pattern: str,
        key: Mapping[str, Any],
        expected: Condition | None,
        *,
        kind: str = "ConditionCheck",
    ) -> Action:
        expressions = Expressions()
        conditions = self._there(expressions, expected)
        return self._action(
            kind, pattern, self._when(self.key(key), expressions, conditions), expected
        )

    def _action(
        self, kind: str, pattern: str, params: Params, expected: Condition | None
    ) -> Action:
        where = params["Key"]
        return Action(
            kind, params, pattern, where, lambda item, _: self.refusal(where, item, expected)
        )

    def needs_item(self, changes: Sequence[Change]) -> bool:
        """True if an attribute is derived from a field that changes and from one that does not."""
        changed = changing.names_of(changes)
        known = {change.operand.field.name for change in changes if changing.is_plain([change])}
        return any(
            not changed.isdisjoint(group) and not known.issuperset(group)
            for group in self.records.design.derived_together(self.records.entity)
        )

    def change(
        self,
        pattern: str,
        key: Mapping[str, Any],
        changes: Sequence[Change],
        expected: Condition | None,
        known: Item | None = None,
    ) -> Action:
        """An update of an item that exists. What is derived, and whether elements are new to a set,
        follows from the `known` item, which must not have changed."""
        where, derived = self.records.key(key), self.needs_item(changes)
        expressions = Expressions()
        if derived and known is not None:
            params = self._rewrite(known, changes, expected)
        else:
            params = self.key(key)
            conditions = self._there(expressions, expected)
            conditions += self._bounds(expressions, changes, known)
            if changes:
                new, gone = self._following(key, changes)
                params["UpdateExpression"] = changing.expression(
                    self.records, changes, expressions, new, gone, key=where
                )
            self._when(params, expressions, conditions)

        def refusal(item: Item | None, may_retry: bool) -> Action | StoreError:
            error = self.refusal(where, item, expected, changes)
            outdated = self._is_outdated(error, known, item, expected, changes, derived=derived)
            if may_retry and outdated:
                return self.change(pattern, key, changes, expected, item)
            return error

        once = not changing.is_plain(changes) or expected is not None
        return Action(
            "Update", params, pattern, where, refusal, repeatable=not once, computed=derived
        )

    def _rewrite(self, old: Item, changes: Sequence[Change], expected: Condition | None) -> Params:
        """The update that makes an item what changes make of it, and all that follows from them."""
        records = self.records
        before = records.to_record(old)
        refuse_partial(before)
        names = records.design.key.names
        key = {name: old[name] for name in names}
        if error := self._out_of_bounds(key, before, changes):
            raise error
        after = records.entity.made(**changing.applied(changes, before))
        expressions = Expressions()
        new = self._rewritten(old, after)
        # Attributes that are not the entity's are not ours to remove.
        ours = {name: wire for name, wire in old.items() if name in new or records.owns(name)}
        # What derived attributes were computed from must still be so when they are written, and
        # what is added to, whose sum is computed here.
        conditions = [f"attribute_exists({expressions.name(self._pk)})", *self._own(expressions)]
        for operand in self._sources(changes, derived=True):
            conditions += self._as_was(expressions, old, before, operand)
        conditions += self._expected(expressions, expected)
        params: Params = {"TableName": self._table_name, "Key": key}
        if change := expressions.change(ours, new):
            params["UpdateExpression"] = change
        return self._when(params, expressions, conditions)

    def _sources(self, changes: Sequence[Change], *, derived: bool) -> list[Operand[Any]]:
        """What an update reads before it writes: see `change`."""
        if not derived:
            return bounds.sets(self.records, changes)
        entity = self.records.entity
        fields = [entity.by_name[name] for name in self.records.design.derives_from(entity)]
        return [*fields, *(one.operand for one in changes if not changing.is_plain([one]))]

    def _is_outdated(
        self,
        error: StoreError,
        known: Item | None,
        item: Item | None,
        expected: Condition | None,
        changes: Sequence[Change],
        *,
        derived: bool,
    ) -> bool:
        """True if a write failed because the item is not the one that it was computed from."""
        sources = self._sources(changes, derived=derived)
        if type(error) is not Conflict or item is None or not sources:
            return False
        if expected is not None and not compiled(expected, self.records)(item):
            return False
        return known is None or any(
            self._raw(known, one) != self._raw(item, one) for one in sources
        )

    def _raw(self, item: Item, operand: Operand[Any]) -> Any:
        stored = operand.field.stored
        if stored and not operand.path:
            return item.get(stored)
        return bounds.value_at(self.current(item) or {}, operand)

    def _bounds(
        self, expressions: Expressions, changes: Sequence[Change], known: Item | None
    ) -> list[str]:
        return bounds.conditions(self.records, changes, expressions, self.current(known))

    def current(self, item: Item | None) -> Any | None:
        """The record in an item that failed a condition; None if it does not exist or cannot be
        read, which must not hide why the write failed."""
        try:
            return self.present(item)
        except (TablewrightError, ArithmeticError, TypeError, ValueError):
            return None

    def refusal(
        self,
        key: Item,
        item: Item | None,
        expected: Condition | None = None,
        changes: Sequence[Change] = (),
    ) -> StoreError:
        """The error of a write whose condition failed on this item."""
        place = self._place(key)
        if item is None or not self._exists(item):
            return NotFound(f"no {self.name} has the key {place}")
        current, entity = self.current(item), self.records.entity
        excess = self._out_of_bounds(key, current, changes) if current is not None else None
        text = f"{place} was changed by another writer: read it again"
        if expected is not None:
            text = f"{place} did not satisfy {condition_text(entity, expected)}"
            text += f" ({values_text(entity, expected, current)})" if current is not None else ""
        error = excess or Conflict(text)
        error.current = current
        return error

    def _already(self, key: Item, item: Item | None) -> StoreError:
        current = self.current(item)
        also = "" if current is not None else f", and is not a {self.name}"
        error = AlreadyExists(f"{self._place(key)} exists already{also}")
        error.current = current
        return error

    def _out_of_bounds(
        self, key: Item, record: Mapping[str, Any], changes: Sequence[Change]
    ) -> OutOfBounds | None:
        excess = bounds.excess(self.records, changes, record)
        if excess is None:
            return None
        name, bound, value, amount = excess
        text = f"{self._place(key)}: {self.name}.{name} is {value}, so adding {amount} would pass"
        error = OutOfBounds(f"{text} its bound {bound}", *excess)
        error.current = record or None
        return error

    def _place(self, key: Item) -> str:
        return f"{'/'.join(map(key_text, key.values()))} in {self._table_name}"

    def _rewritten(self, old: Item, record: Mapping[str, Any]) -> Item:
        """The item for a record, in which what does not change is as it is stored."""
        was, clear = self.records.decrypted(old), self.records.clear_item(record)
        same = {name: old[name] for name, wire in clear.items() if was.get(name) == wire}
        changed = {name: wire for name, wire in clear.items() if name not in same}
        return {**same, **self.records.encrypted(changed, key=old)}

    def _as_was(
        self, expressions: Expressions, old: Item, record: Mapping[str, Any], operand: Operand[Any]
    ) -> list[str]:
        """The condition that an operand has the value that it had when the item was read."""
        stored = operand.field.stored
        if stored and not operand.path:
            # As it is stored: no two encryptions of a value are the same, and a field may have
            # been stored in another form than it has now.
            return [expressions.matches(stored, old.get(stored))]
        return self._expected(expressions, as_in(record, operand))

    def upsert(
        self,
        pattern: str,
        key: Mapping[str, Any],
        changes: Sequence[Change],
        expected: Condition | None,
        existing: Item | None = None,
    ) -> Action:
        """The update that also makes the item, if it is not there."""
        records, expressions, params = self.records, Expressions(), self.key(key)
        known = self._known(key, changes)
        missing = [
            field.refuse("is required")
            for field in records.entity.fields
            if not field.optional
            and field.name not in known
            and field.name not in changing.names_of(changes)
        ]
        if missing:
            raise InvalidRecord(self.name, missing)
        derived = self._derived(known, changes)
        own = {name: encode(value) for name, value in derived.items()}
        gone = [name for name in self._underived(changes) if name not in own]
        todo = [*changes, *self._implied(known, changes)]
        params["UpdateExpression"] = changing.expression(
            records, todo, expressions, own, gone, key=params["Key"]
        )
        conditions = [
            *(self.lifetime.not_past(expressions) if self.made_anew_when_past else ()),
            *self._own(expressions),
            *self._expected(expressions, expected),
        ]
        within = self._bounds(expressions, changes, existing)
        if conditions:
            absent = expressions.matches(self._pk, None)
            within.append(f"({absent} OR {' AND '.join(conditions)})")
        if within:
            params["ConditionExpression"] = " AND ".join(within)
        where, repeatable = params["Key"], changing.is_plain(changes) and expected is None

        def again(item: Item | None, may_retry: bool) -> Action | StoreError:
            # Another writer was first: change that one's record.
            if may_retry:
                return self.upsert(pattern, key, changes, expected)
            return self._already(where, item)

        def refusal(item: Item | None, may_retry: bool) -> Action | StoreError:
            if item is None or (self.made_anew_when_past and self.lifetime.is_past(item)):
                error: StoreError | None = self._out_of_bounds(where, {}, changes)
                if error or not may_retry:
                    return error or self._already(where, item)
                new = records.to_item(self.made_anew(key, changes))
                return self.put(pattern, new, create=True, refusal=again, repeatable=repeatable)
            if not self._exists(item, expired=True):
                return self._already(where, item)
            error = self.refusal(where, item, expected, changes)
            outdated = self._is_outdated(error, existing, item, expected, changes, derived=False)
            if may_retry and outdated:
                return self.upsert(pattern, key, changes, expected, item)
            return error

        params = expressions.into(params)
        return Action("Update", params, pattern, where, refusal, repeatable=repeatable)

    @property
    def made_anew_when_past(self) -> bool:
        """Whether an upsert finds items that are past: not where the key says when they are."""
        expires = self.records.entity.expires
        return expires is not None and expires.field not in self.records.key_inputs

    def made_anew(self, key: Mapping[str, Any], changes: Sequence[Change]) -> Any:
        """The record that an upsert makes where there is none."""
        known = {name: key[name] for name in self.records.key_inputs}
        return self.records.entity.made(**changing.applied(changes, known))

    def _known(self, key: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
        """The values that the item will have, whatever it has now."""
        values = {name: key[name] for name in self.records.key_inputs if name in key}
        values = self.records.check_some(values)
        return values | {
            change.operand.field.name: change.value
            for change in changes
            if isinstance(change, Set) and not change.if_missing and not change.operand.path
        }

    def _implied(self, known: Mapping[str, Any], changes: Sequence[Change]) -> list[Change]:
        """The fields of the key, where they are stored beside it, and what has a default."""
        design, changed = self.records.design, changing.names_of(changes)
        implied: list[Change] = []
        for field in self.records.entity.fields:
            if not field.stored or field.stored in design.key.names or field.name in changed:
                continue
            if field.name in known:
                implied.append(Set(field, known[field.name]))
            elif field.default is not None:
                implied.append(Set(field, field.default, if_missing=True))
        return implied

    def _derived(self, known: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
        """The attributes that follow from fields: all of these fields must be known."""
        design, entity = self.records.design, self.records.entity
        changed = changing.names_of(changes)
        for name in design.derives_from(entity):
            field = entity.by_name[name]
            if name in self._removed(changes):
                continue
            if name not in known and (name in changed or field.default is not None):
                raise TypeError(f"{name} must be set by an upsert: something is derived from it")
        derived = design.derived(entity, known, self.records.epochs)
        if design.entity_type:
            derived[design.entity_type] = self.name
        return {name: value for name, value in derived.items() if name not in design.key.names}

    def _following(
        self, key: Mapping[str, Any], changes: Sequence[Change]
    ) -> tuple[dict[str, Wire], list[str]]:
        """The derived attributes that follow from changes alone: those to set and to remove."""
        design, entity = self.records.design, self.records.entity
        changed = changing.names_of(changes)
        if changed.isdisjoint(design.derives_from(entity)):
            return {}, []
        known = self.records.check_some(self._known(key, changes))
        before = {name: value for name, value in known.items() if name not in changed}
        same = design.derived(entity, before, self.records.epochs).keys()
        after = design.derived(entity, known, self.records.epochs)
        new = {name: encode(value) for name, value in after.items() if name not in same}
        return new, [name for name in self._underived(changes) if name not in new]

    @staticmethod
    def _removed(changes: Sequence[Change]) -> set[str]:
        """The fields that are taken away."""
        whole = (change for change in changes if not change.operand.path)
        return {change.operand.field.name for change in whole if isinstance(change, Remove)}

    def _underived(self, changes: Sequence[Change]) -> list[str]:
        """The attributes that follow from fields of which one is taken away."""
        design, entity = self.records.design, self.records.entity
        removed, own = self._removed(changes), {*design.key.names, *entity.by_stored}
        indexes = [name for name, key in entity.indexed.items() if removed & {*entity.inputs(key)}]
        found = [name for index in indexes for name in design.indexes[index].key.names]
        if design.ttl and entity.expires and entity.expires.field in removed:
            found.append(design.ttl)
        return [name for name in dict.fromkeys(found) if name not in own]

    def _there(self, expressions: Expressions, expected: Condition | None) -> list[str]:
        """The conditions that the item is there, and as expected."""
        return [
            f"attribute_exists({expressions.name(self._pk)})",
            *self.lifetime.not_past(expressions),
            *self._own(expressions),
            *self._expected(expressions, expected),
        ]

    def _absent(self, expressions: Expressions) -> str:
        """The condition that nothing is there, or only what is past."""
        past = self.lifetime.past(expressions)
        return " OR ".join([expressions.matches(self._pk, None), *past])

    def _own(self, expressions: Expressions) -> list[str]:
        """The condition that the item is of this entity, where its key does not tell."""
        attribute = self.records.design.entity_type
        if not attribute or not self.records.shares_keys:
            return []
        kind: Wire = {"S": self.name}
        return [expressions.equal(attribute, kind)]

    def _expected(self, expressions: Expressions, expected: Condition | None) -> list[str]:
        if expected is None:
            return []
        return [f"({Rendering(self.records, expressions).condition(expected)})"]

    @staticmethod
    def _when(params: Params, expressions: Expressions, conditions: Sequence[str]) -> Params:
        params["ConditionExpression"] = " AND ".join(conditions)
        return expressions.into(params)


def whole_key(key: Mapping[str, Any], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """A key that is given as a mapping, by its fields, or both."""
    if type(key) is not dict and not isinstance(key, Mapping):
        raise TypeError(f"a key must be a mapping of fields to values, not {described(key)}")
    for name in fields:
        if name in key:
            raise TypeError(f"{name} is in the key and a keyword too: pass it once")
    return {**key, **fields} if fields else key
