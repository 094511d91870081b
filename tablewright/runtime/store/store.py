"""The store: a design's access patterns, run against its table.

Every call names the access pattern that it carries out, so that what the code does, what its role
is granted and what the documentation says are one and the same.

>>> store = Store(SALES, "bg-remover-dev-sales-intelligence", Dynamo(client))   # doctest: +SKIP
>>> store.put(SALES.put_sale, sale)                                              # doctest: +SKIP
>>> store.query(SALES.brand_sales, {"tenant": "acme", "brand": "Nike"}).items    # doctest: +SKIP
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.model import Pattern, Record
from tablewright.model.patterns import BatchCreate, BatchGet, BatchPut, Delete, Get, Put, Update
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    NotFound,
    Throttled,
    TransactionCanceled,
)
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.batches import insert_all, put_request, read_all, write_all
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.reader import Reader
from tablewright.runtime.store.records import Item, Records

# Why an action of a transaction was canceled: its condition, or something that passes.
_UNFIT = "ConditionalCheckFailed"
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Store(Reader):
    """Runs the access patterns of one design on one table: a reader that also stores items."""

    def put(self, pattern: Pattern, record: Mapping[str, Any]) -> Record:
        """Store one record; gives it back as stored. A `create` pattern replaces nothing."""
        records = self._of(pattern, Put)
        checked = records.entity.check(record)
        params: dict[str, Any] = {"TableName": self.table_name, "Item": records.to_item(checked)}
        if isinstance(pattern, Put) and pattern.create:
            expressions = Expressions()
            params["ConditionExpression"] = self._absent(records, expressions)
            expressions.into(params)
        try:
            self._caller.call("PutItem", params)
        except Conflict as error:
            raise AlreadyExists(f"{records.entity.name} with this key exists already") from error
        return checked

    def put_along(
        self,
        pattern: Pattern,
        record: Mapping[str, Any],
        update: Pattern,
        key: Mapping[str, Any],
        changes: Mapping[str, Any],
        *,
        expect: Mapping[str, Any],
    ) -> Record:
        """Store a new record and change fields of another one: both, or neither.

        Raises AlreadyExists where the record is there, else Conflict where the other one is not, or
        not as expected. Nothing else may be derived from the fields that change.
        """
        made, changed = self._of(pattern, Put), self._of(update, Update)
        checked, changes = made.entity.check(record), changed.check_some(changes)
        derived = changes.keys() & set(self.design.derives_from(changed.entity))
        if derived:
            raise TypeError(f"{', '.join(sorted(derived))} cannot be changed along with another")
        absent = Expressions()
        put: dict[str, Any] = {"TableName": self.table_name, "Item": made.to_item(checked)}
        put["ConditionExpression"] = self._absent(made, absent)
        change = self._change(changed, key, changes, expect)
        actions = [{"Put": absent.into(put)}, {"Update": change}]
        for _ in self._backoff:
            try:
                self._caller.call("TransactWriteItems", {"TransactItems": actions})
                return checked
            except TransactionCanceled as canceled:
                first, second = canceled.reasons
                if first == _UNFIT:
                    exists = f"{made.entity.name} with this key exists already"
                    raise AlreadyExists(exists) from canceled
                if second == _UNFIT:
                    raise Conflict(f"{changed.entity.name} is not as expected") from canceled
                if not {first, second} & _PASSING:
                    raise
        raise Throttled(f"others were at {made.entity.name} or {changed.entity.name} all the while")

    def put_many(self, pattern: Pattern, batch: Sequence[Mapping[str, Any]]) -> int:
        """Store any number of records, replacing what is there; all are checked before the first
        is written. Gives back how many were stored."""
        requests = [put_request(item) for item in self._items(pattern, BatchPut, batch)]
        write_all(self._caller, self.executor, self.table_name, requests, self._backoff)
        return len(requests)

    def create_many(self, pattern: Pattern, batch: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Store those records whose keys have none yet; all are checked before the first is
        written. Tells of each whether it was stored, in their order."""
        items = self._items(pattern, BatchCreate, batch)
        return insert_all(self._caller, self.executor, self.table_name, items, self._backoff)

    def get(self, pattern: Pattern, key: Mapping[str, Any]) -> Record | None:
        """The record with this key, or None."""
        records = self._of(pattern, Get)
        consistent = isinstance(pattern, Get) and pattern.consistent
        item = self._read(records.key(key), consistent=consistent)
        return self._present(records, item)

    def get_many(self, pattern: Pattern, keys: Sequence[Mapping[str, Any]]) -> list[Record]:
        """The records that there are with these keys, in no order."""
        records = self._of(pattern, BatchGet)
        items = [records.key(key) for key in keys]
        # DynamoDB refuses a request that names an item twice.
        once = {self._key_of(item): item for item in items}
        found = read_all(
            *(self._caller, self.executor, self.table_name, list(once.values()), self._backoff),
            consistent=isinstance(pattern, BatchGet) and pattern.consistent,
        )
        there = (self._present(records, item) for item in found)
        return [record for record in there if record]

    def update(
        self,
        pattern: Pattern,
        key: Mapping[str, Any],
        changes: Mapping[str, Any],
        *,
        expect: Mapping[str, Any] | None = None,
    ) -> Record:
        """Change fields of a record and everything derived from them, in one write.

        None removes an optional field. `expect` names fields whose values must be as given, or
        Conflict is raised; a change that is in place already is done, so that a request whose
        answer was lost can be repeated. Raises NotFound where there is nothing to change.
        """
        records = self._of(pattern, Update)
        fixed = [name for name in changes if name in records.entity.key.fields]
        if fixed:
            raise TypeError(f"{', '.join(fixed)} cannot be changed: part of the key")
        changes = records.check_some(changes)
        if changes and not changes.keys() & set(self.design.derives_from(records.entity)):
            # Nothing derived follows from these fields, so the record need not be read first.
            try:
                return self._set(records, key, changes, expect or {})
            except Conflict:
                pass  # absent, not as expected, or done already: look
        for _ in self._backoff:
            old = self._read(records.key(key), consistent=True)
            before = self._present(records, old)
            if old is None or before is None:
                raise NotFound(f"no {records.entity.name} has this key")
            if not _holds(before, expect or {}):
                if changes and _holds(before, changes):
                    return before
                raise Conflict(f"{records.entity.name} is not as expected")
            try:
                return self._write_change(records, old, changes, expect or {})
            except Conflict:
                continue  # somebody else changed what ours is derived from, or expects: look again
        raise Throttled(f"{records.entity.name} was being changed by others all the while")

    def delete(
        self, pattern: Pattern, key: Mapping[str, Any], *, expect: Mapping[str, Any] | None = None
    ) -> None:
        """Remove the record with this key; one that is not there is removed already.

        `expect` names fields whose values must be as given, or Conflict is raised.
        """
        records = self._of(pattern, Delete)
        params: dict[str, Any] = {"TableName": self.table_name, "Key": records.key(key)}
        if expect:
            expressions = Expressions()
            absent = self._absent(records, expressions)
            expected = " AND ".join(self._expected(records, expressions, expect))
            params["ConditionExpression"] = f"{absent} OR ({expected})"
            expressions.into(params)
        self._caller.call("DeleteItem", params)

    def _read(self, key: Item, *, consistent: bool) -> Item | None:
        params = {"TableName": self.table_name, "Key": key, "ConsistentRead": consistent}
        return self._caller.call("GetItem", params).get("Item")

    def _set(
        self,
        records: Records,
        key: Mapping[str, Any],
        changes: Mapping[str, Any],
        expect: Mapping[str, Any],
    ) -> Record:
        params = {**self._change(records, key, changes, expect), "ReturnValues": "ALL_NEW"}
        answer = self._caller.call("UpdateItem", params)
        return records.to_record(answer["Attributes"])

    def _change(
        self,
        records: Records,
        key: Mapping[str, Any],
        changes: Mapping[str, Any],
        expect: Mapping[str, Any],
    ) -> dict[str, Any]:
        """An update of fields that nothing is derived from, of an item that is as expected."""
        expressions = Expressions()
        exists = f"attribute_exists({expressions.name(self.design.pk)})"
        conditions = self._lifetimes[records.entity.name].not_past(expressions)
        conditions += self._expected(records, expressions, expect)
        fields = records.entity.by_name
        removed = {fields[name].stored: {"NULL": True} for name in changes if changes[name] is None}
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": records.key(key),
            "ConditionExpression": " AND ".join([exists, *conditions]),
            "UpdateExpression": expressions.change(removed, records.values(changes)),
        }
        return expressions.into(params)

    def _items(
        self, pattern: Pattern, kind: type[Pattern], batch: Sequence[Mapping[str, Any]]
    ) -> list[Item]:
        """The items of records, each with a key of its own."""
        records = self._of(pattern, kind)
        items = [records.to_item(records.entity.check(record)) for record in batch]
        seen: set[tuple[str, ...]] = set()
        repeated = []
        for position, item in enumerate(items):
            key = self._key_of(item)
            repeated += [position] if key in seen else []
            seen.add(key)
        if repeated:
            raise DuplicateKeys(repeated)
        return items

    def _absent(self, records: Records, expressions: Expressions) -> str:
        """The condition that nothing is there, or only what is past."""
        past = self._lifetimes[records.entity.name].past(expressions)
        return " OR ".join([expressions.matches(self.design.pk, None), *past])

    @staticmethod
    def _expected(
        records: Records, expressions: Expressions, expect: Mapping[str, Any]
    ) -> list[str]:
        return [
            expressions.matches(
                records.stored_names([name])[0], None if value is None else encode(value)
            )
            for name, value in expect.items()
        ]

    def _write_change(
        self, records: Records, old: Item, changes: Mapping[str, Any], expect: Mapping[str, Any]
    ) -> Record:
        before = records.to_record(old)
        after = records.entity.check({**before, **changes})
        expressions = Expressions()
        new = records.to_item(after)
        # Attributes that are not the entity's are not ours to remove.
        ours = {name: wire for name, wire in old.items() if name in new or records.owns(name)}
        # What derived attributes were computed from must still be so when they are written.
        unchanged = {name: before.get(name) for name in self.design.derives_from(records.entity)}
        conditions = self._expected(records, expressions, {**unchanged, **expect})
        change = expressions.change(ours, new)
        if not change:
            return after
        exists = f"attribute_exists({expressions.name(self.design.pk)})"
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": {name: old[name] for name in self._key_names()},
            "ConditionExpression": " AND ".join([exists, *conditions]),
            "UpdateExpression": change,
        }
        self._caller.call("UpdateItem", expressions.into(params))
        return after


def _holds(record: Record, values: Mapping[str, Any]) -> bool:
    return all(record.get(name) == value for name, value in values.items())
