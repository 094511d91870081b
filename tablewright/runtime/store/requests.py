"""Requests about the items of one entity: what is written, and on which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.model.changes import Change, Remove, Set
from tablewright.model.conditions import Condition
from tablewright.model.declaration import refuse_partial
from tablewright.model.errors import InvalidRecord
from tablewright.model.operands import Operand
from tablewright.runtime.store import changes as changing
from tablewright.runtime.store.attribute_values import Wire, encode
from tablewright.runtime.store.conditions import Rendering, as_in
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records

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
        self.exists = f"{self.name} with this key exists already"
        self._table_name = table_name
        self._pk = records.design.pk

    def key(self, key: Mapping[str, Any]) -> Params:
        return {"TableName": self._table_name, "Key": self.records.key(key)}

    def present(
        self,
        item: Item | None,
        *,
        expired: bool = False,
        unread: frozenset[str] = frozenset(),
    ) -> Any | None:
        """The record in an item of the table, if it is there."""
        if item is None or (not expired and self.lifetime.is_past(item)):
            return None
        if self.records.shares_keys and not self.records.is_one(item, None):
            return None
        return self.records.to_record(item, unread=unread)

    def put(self, record: Mapping[str, Any], *, create: bool) -> Params:
        params: Params = {"TableName": self._table_name, "Item": self.records.to_item(record)}
        if not create and not self.records.shares_keys:
            return params
        expressions = Expressions()
        conditions = [self._absent(expressions)]
        if not create:
            conditions += self._own(expressions)
        params["ConditionExpression"] = " OR ".join(conditions)
        return expressions.into(params)

    def delete(
        self, key: Mapping[str, Any], expected: Condition | None, *, missing_ok: bool = True
    ) -> Params:
        params = self.key(key)
        expressions = Expressions()
        if not missing_ok:
            return self._when(params, expressions, self._there(expressions, expected))
        conditions = [*self._own(expressions), *self._expected(expressions, expected)]
        if conditions:
            absent = self._absent(expressions)
            params["ConditionExpression"] = f"{absent} OR {' AND '.join(conditions)}"
        return expressions.into(params)

    def check(self, key: Mapping[str, Any], expected: Condition | None) -> Params:
        expressions = Expressions()
        return self._when(self.key(key), expressions, self._there(expressions, expected))

    def change(
        self, key: Mapping[str, Any], changes: Sequence[Change], expected: Condition | None
    ) -> Params:
        """An update of fields that nothing is derived from, of an item that is as expected."""
        expressions = Expressions()
        conditions = self._there(expressions, expected)
        params = self.key(key)
        params["UpdateExpression"] = changing.expression(
            self.records, changes, expressions, key=params["Key"]
        )
        return self._when(params, expressions, conditions)

    def rewrite(self, old: Item, changes: Sequence[Change], expected: Condition | None) -> Params:
        """The update that makes an item what changes make of it, and all that follows from them."""
        records = self.records
        before = records.to_record(old)
        refuse_partial(before)
        after = records.entity.made(**changing.applied(changes, before))
        expressions = Expressions()
        new = self._rewritten(old, after)
        # Attributes that are not the entity's are not ours to remove.
        ours = {name: wire for name, wire in old.items() if name in new or records.owns(name)}
        # What derived attributes were computed from must still be so when they are written.
        sources = records.design.derives_from(records.entity)
        conditions = [f"attribute_exists({expressions.name(self._pk)})", *self._own(expressions)]
        for name in sources:
            field = records.entity.by_name[name]
            conditions += self._as_was(expressions, old, before, field)
        # So must what is added to, whose sum is computed here.
        for one in changes:
            if not changing.is_plain([one]):
                conditions += self._as_was(expressions, old, before, one.operand)
        conditions += self._expected(expressions, expected)
        names = records.design.key.names
        params: Params = {
            "TableName": self._table_name,
            "Key": {name: old[name] for name in names},
        }
        if change := expressions.change(ours, new):
            params["UpdateExpression"] = change
        return self._when(params, expressions, conditions)

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
        self, key: Mapping[str, Any], changes: Sequence[Change], expected: Condition | None
    ) -> Params:
        """The update that also makes the item, if it is not there."""
        records, expressions = self.records, Expressions()
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
        params = self.key(key)
        todo = [*changes, *self._implied(known, changes)]
        params["UpdateExpression"] = changing.expression(
            records, todo, expressions, own, gone, key=params["Key"]
        )
        conditions = [
            *(self.lifetime.not_past(expressions) if self.made_anew_when_past else ()),
            *self._own(expressions),
            *self._expected(expressions, expected),
        ]
        if not conditions:
            return expressions.into(params)
        absent = expressions.matches(self._pk, None)
        params["ConditionExpression"] = f"{absent} OR {' AND '.join(conditions)}"
        return expressions.into(params)

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
    return {**key, **fields} if fields else key
