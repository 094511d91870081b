"""The store: a table's access patterns, run against it.

Every call names the access pattern that it carries out, so that what the code does, what its role
is granted and what the documentation says are one and the same.

>>> orders = Store(Orders, "dev-orders", boto3.client("dynamodb"))          # doctest: +SKIP
>>> orders.put(Orders.place, Order(tenant="acme", order_id="o1", …))        # doctest: +SKIP
>>> orders.get(Orders.order, tenant="acme", order_id="o1")                  # doctest: +SKIP
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from tablewright.model.changes import Change
from tablewright.model.conditions import Condition
from tablewright.model.declaration import Entity
from tablewright.model.patterns import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Check,
    Delete,
    Get,
    Pattern,
    Put,
    Update,
)
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    NotFound,
    Throttled,
    TransactionCanceled,
)
from tablewright.runtime.store import changes as changing
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.batches import (
    delete_request,
    insert_all,
    put_request,
    read_all,
    write_all,
)
from tablewright.runtime.store.conditions import Rendering, given, holds
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.reader import Reader, Where
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.transactions import MOST_ACTIONS, Action, carry_out

# Why an action of a transaction was canceled: its condition, or something that passes.
_UNFIT = "ConditionalCheckFailed"
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_NOTHING: Mapping[str, Any] = {}

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Entity)


class Store(Reader):
    """Runs the access patterns of one table: a reader that also stores items."""

    def put(self, pattern: Put[E], record: E) -> E:
        """Store one record; gives it back as stored. A `create` pattern replaces nothing."""
        records = self._of(pattern, Put)
        record = _sound(records, record)
        try:
            self._caller.call("PutItem", self._put(records, pattern, record))
        except Conflict as error:
            raise AlreadyExists(f"{records.entity.name} with this key exists already") from error
        return record

    def put_along(
        self,
        pattern: Put[E],
        record: E,
        update: Update[F],
        key: F | Mapping[str, Any],
        changes: Mapping[str, Any],
        *,
        when: Where,
    ) -> E:
        """Store a new record and change fields of another one: both, or neither.

        Raises AlreadyExists where the record is there, else Conflict where the other one is not, or
        not as expected. Nothing else may be derived from the fields that change.
        """
        made, changed = self._of(pattern, Put), self._of(update, Update)
        record, todo = _sound(made, record), changing.listed(changed, [changes])
        derived = changing.names_of(todo) & set(self.design.derives_from(changed.entity))
        if derived:
            raise TypeError(f"{', '.join(sorted(derived))} cannot be changed along with another")
        absent = Expressions()
        put: dict[str, Any] = {"TableName": self.table_name, "Item": made.to_item(record)}
        put["ConditionExpression"] = self._absent(made, absent)
        change = self._change(changed, key, todo, given(changed, when))
        actions = [{"Put": absent.into(put)}, {"Update": change}]
        for _ in self._backoff:
            try:
                self._caller.call("TransactWriteItems", {"TransactItems": actions})
                return record
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

    def put_many(self, pattern: BatchPut[E], batch: Sequence[E]) -> int:
        """Store any number of records, replacing what is there; all are checked before the first
        is written. Gives back how many were stored."""
        requests = [put_request(item) for item in self._items(pattern, BatchPut, batch)]
        write_all(self._caller, self.executor, self.table_name, requests, self._backoff)
        return len(requests)

    def create_many(self, pattern: BatchCreate[E], batch: Sequence[E]) -> list[bool]:
        """Store those records whose keys have none yet; all are checked before the first is
        written. Tells of each whether it was stored, in their order."""
        items = self._items(pattern, BatchCreate, batch)
        return insert_all(self._caller, self.executor, self.table_name, items, self._backoff)

    def delete_many(self, pattern: BatchDelete[E], keys: Sequence[E | Mapping[str, Any]]) -> None:
        """Remove the records with these keys; those that are not there are removed already."""
        records = self._of(pattern, BatchDelete)
        once = {self._key_of(key): key for key in (records.key(one) for one in keys)}
        requests = [delete_request(key) for key in once.values()]
        write_all(self._caller, self.executor, self.table_name, requests, self._backoff)

    def write_many(
        self,
        pattern: BatchWrite[E],
        *,
        put: Sequence[E] = (),
        delete: Sequence[E] = (),
    ) -> None:
        """Store records, replacing what is there, and remove others, of the pattern's entities."""
        if self.design.patterns.get(pattern.name) is not pattern:
            raise TypeError(f"{pattern!r} is not a BatchWrite of table '{self.design.id}'")
        requests: dict[tuple[str, ...], dict[str, Any]] = {}
        repeated = []
        for number, record in enumerate((*put, *delete)):
            records = self._records[record.__entity__.name]
            if number < len(put):
                item = records.to_item(_sound(records, record))
                request = put_request(item)
            else:
                item = records.key(record)
                request = delete_request(item)
            repeated += [number] if self._key_of(item) in requests else []
            requests[self._key_of(item)] = request
        if repeated:
            raise DuplicateKeys(repeated)
        every = list(requests.values())
        write_all(self._caller, self.executor, self.table_name, every, self._backoff)

    def get(self, pattern: Get[E], key: Mapping[str, Any] = _NOTHING, /, **fields: Any) -> E | None:
        """The record with this key, or None. A key is given by its fields, or as a mapping."""
        records = self._of(pattern, Get)
        item = self._read(records.key(_key(key, fields)), consistent=pattern.consistent)
        return self._present(records, item)

    def get_many(self, pattern: BatchGet[E], keys: Sequence[Mapping[str, Any]]) -> list[E]:
        """The records that there are with these keys, in no order."""
        records = self._of(pattern, BatchGet)
        items = [records.key(key) for key in keys]
        # DynamoDB refuses a request that names an item twice.
        once = {self._key_of(item): item for item in items}
        found = read_all(
            *(self._caller, self.executor, self.table_name, list(once.values()), self._backoff),
            consistent=pattern.consistent,
        )
        there = (self._present(records, item) for item in found)
        return [record for record in there if record]

    def update(
        self,
        pattern: Update[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> E:
        """Change fields of a record and everything derived from them, in one write.

        ``Order.total.set(5)``, ``Order.visits.add(1)``; or a mapping of fields to their new values,
        of which None removes an optional one. `when` must hold, or Conflict is raised; a change
        that is in place already is done, so that a request whose answer was lost can be repeated,
        unless it adds to what is there. Raises NotFound where there is nothing to change.
        """
        records = self._of(pattern, Update)
        todo = changing.listed(records, changes)
        expected = given(records, when)
        if todo and not changing.names_of(todo) & set(self.design.derives_from(records.entity)):
            # Nothing derived follows from these fields, so the record need not be read first.
            try:
                return self._set(records, key, todo, expected)  # type: ignore[no-any-return]
            except Conflict:
                pass  # absent, not as expected, or done already: look
        for _ in self._backoff:
            old = self._read(records.key(key), consistent=True)
            before = self._present(records, old)
            if old is None or before is None:
                raise NotFound(f"no {records.entity.name} has this key")
            if expected is not None and not holds(expected, before):
                if todo and changing.is_plain(todo) and changing.in_place(todo, before):
                    return before  # type: ignore[no-any-return]
                raise Conflict(f"{records.entity.name} is not as expected")
            try:
                return self._write_change(records, old, todo, expected)  # type: ignore[no-any-return]
            except Conflict:
                continue  # somebody else changed what ours is derived from, or expects: look again
        raise Throttled(f"{records.entity.name} was being changed by others all the while")

    def delete(
        self,
        pattern: Delete[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> None:
        """Remove the record with this key; one that is not there is removed already.

        `when` must hold of one that is there, or Conflict is raised.
        """
        records = self._of(pattern, Delete)
        params = self._delete(records, _key(key, fields), given(records, when))
        self._caller.call("DeleteItem", params)

    def to_put(self, pattern: Put[E], record: E) -> Action:
        """A put, as an action of a transaction."""
        records = self._of(pattern, Put)
        params = self._put(records, pattern, _sound(records, record))
        says = f"{records.entity.name} with this key exists already"
        return _action("Put", params, says)

    def to_update(
        self,
        pattern: Update[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> Action:
        """An update, as an action of a transaction. Where something is derived from what changes,
        the record is read now, and must not change before the transaction."""
        records = self._of(pattern, Update)
        todo, expected = changing.listed(records, changes), given(records, when)
        if changing.names_of(todo) & set(self.design.derives_from(records.entity)):
            old = self._read(records.key(key), consistent=True)
            if old is None or self._present(records, old) is None:
                raise NotFound(f"no {records.entity.name} has this key")
            params, _ = self._rewrite(records, old, todo, expected)
        else:
            params = self._change(records, key, todo, expected)
        says = f"{records.entity.name} is not there, or not as expected"
        return _action("Update", params, says)

    def to_delete(
        self,
        pattern: Delete[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> Action:
        """A removal, as an action of a transaction."""
        records = self._of(pattern, Delete)
        params = self._delete(records, _key(key, fields), given(records, when))
        return _action("Delete", params, f"{records.entity.name} is not as expected")

    def to_check(
        self,
        pattern: Check[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> Action:
        """A condition on an item that the transaction does not write: that it is there, and as
        `when` says."""
        records = self._of(pattern, Check)
        expressions = Expressions()
        conditions = [f"attribute_exists({expressions.name(self.design.pk)})"]
        conditions += self._lifetimes[records.entity.name].not_past(expressions)
        conditions += self._expected(records, expressions, given(records, when))
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": records.key(_key(key, fields)),
            "ConditionExpression": " AND ".join(conditions),
        }
        says = f"{records.entity.name} is not there, or not as expected"
        return _action("ConditionCheck", expressions.into(params), says)

    def transact(self, *actions: Action, token: str | None = None) -> None:
        """Carry out actions of this store and of others: all of them, or none.

        Raises TransactionRefused, a Conflict, that says of each action that did not fit what is
        wrong. With a `token`, a repetition within ten minutes changes nothing and succeeds.
        """
        carry_out(self._caller, actions, self._backoff, token)

    def to_get(
        self, pattern: Get[E], key: Mapping[str, Any] = _NOTHING, /, **fields: Any
    ) -> "Read[E]":
        """A get, as part of `read_together`."""
        records = self._of(pattern, Get)
        where = {"TableName": self.table_name, "Key": records.key(_key(key, fields))}
        return Read(where, lambda item: self._present(records, item))

    @overload
    def read_together(self, one: "Read[E]", two: "Read[F]", /) -> tuple[E | None, F | None]: ...
    @overload
    def read_together(self, *reads: "Read[Any]") -> tuple[Any, ...]: ...
    def read_together(self, *reads: "Read[Any]") -> tuple[Any, ...]:
        """Records as they were at one moment, of this store and of others; None where none is."""
        if not 1 <= len(reads) <= MOST_ACTIONS:
            raise ValueError(f"1 to {MOST_ACTIONS} records are read together, not {len(reads)}")
        request = {"TransactItems": [{"Get": one.params} for one in reads]}
        for _ in self._backoff:
            try:
                answer = self._caller.call("TransactGetItems", request)
            except TransactionCanceled as canceled:
                if not set(canceled.reasons) & _PASSING:
                    raise
                continue
            found = answer["Responses"]
            return tuple(one.made(item.get("Item")) for one, item in zip(reads, found, strict=True))
        raise Throttled("others were at the items that were to be read together all the while")

    def _read(self, key: Item, *, consistent: bool) -> Item | None:
        params = {"TableName": self.table_name, "Key": key, "ConsistentRead": consistent}
        return self._caller.call("GetItem", params).get("Item")

    def _put(self, records: Records, pattern: Put[E], record: E) -> dict[str, Any]:
        params: dict[str, Any] = {"TableName": self.table_name, "Item": records.to_item(record)}
        if pattern.create:
            expressions = Expressions()
            params["ConditionExpression"] = self._absent(records, expressions)
            expressions.into(params)
        return params

    def _delete(
        self, records: Records, key: Mapping[str, Any], expected: Condition | None
    ) -> dict[str, Any]:
        params: dict[str, Any] = {"TableName": self.table_name, "Key": records.key(key)}
        if expected is not None:
            expressions = Expressions()
            absent = self._absent(records, expressions)
            condition = Rendering(records, expressions).condition(expected)
            params["ConditionExpression"] = f"{absent} OR ({condition})"
            expressions.into(params)
        return params

    def _set(
        self,
        records: Records,
        key: Mapping[str, Any],
        changes: Sequence[Change],
        expected: Condition | None,
    ) -> Any:
        params = {**self._change(records, key, changes, expected), "ReturnValues": "ALL_NEW"}
        answer = self._caller.call("UpdateItem", params)
        return records.to_record(answer["Attributes"])

    def _change(
        self,
        records: Records,
        key: Mapping[str, Any],
        changes: Sequence[Change],
        expected: Condition | None,
    ) -> dict[str, Any]:
        """An update of fields that nothing is derived from, of an item that is as expected."""
        expressions = Expressions()
        conditions = [f"attribute_exists({expressions.name(self.design.pk)})"]
        conditions += self._lifetimes[records.entity.name].not_past(expressions)
        conditions += self._expected(records, expressions, expected)
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": records.key(key),
            "ConditionExpression": " AND ".join(conditions),
            "UpdateExpression": changing.expression(records, changes, expressions),
        }
        return expressions.into(params)

    def _items(
        self, pattern: Pattern[E], kind: type[Pattern[Any]], batch: Sequence[E]
    ) -> list[Item]:
        """The items of records, each with a key of its own."""
        records = self._of(pattern, kind)
        items = [records.to_item(_sound(records, record)) for record in batch]
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
        records: Records, expressions: Expressions, expected: Condition | None
    ) -> list[str]:
        if expected is None:
            return []
        return [f"({Rendering(records, expressions).condition(expected)})"]

    def _write_change(
        self,
        records: Records,
        old: Item,
        changes: Sequence[Change],
        expected: Condition | None,
    ) -> Any:
        params, after = self._rewrite(records, old, changes, expected)
        if "UpdateExpression" in params:
            self._caller.call("UpdateItem", params)
        return after

    def _rewrite(
        self,
        records: Records,
        old: Item,
        changes: Sequence[Change],
        expected: Condition | None,
    ) -> tuple[dict[str, Any], Any]:
        """The update that makes an item what changes make of it, and all that follows from them;
        and the record that it then is."""
        before = records.to_record(old)
        after = records.entity.made(**changing.applied(changes, before))
        expressions = Expressions()
        new = records.to_item(after)
        # Attributes that are not the entity's are not ours to remove.
        ours = {name: wire for name, wire in old.items() if name in new or records.owns(name)}
        # What derived attributes were computed from must still be so when they are written.
        unchanged = {name: before.get(name) for name in self.design.derives_from(records.entity)}
        conditions = [f"attribute_exists({expressions.name(self.design.pk)})"]
        conditions += self._expected(records, expressions, given(records, unchanged))
        conditions += self._expected(records, expressions, expected)
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": {name: old[name] for name in self._key_names()},
            "ConditionExpression": " AND ".join(conditions),
        }
        if change := expressions.change(ours, new):
            params["UpdateExpression"] = change
        return expressions.into(params), after


class Read(Generic[E]):
    """One record that is to be read together with others: made by ``to_get``."""

    __slots__ = ("made", "params")

    def __init__(self, params: dict[str, Any], made: Callable[[Item | None], E | None]) -> None:
        self.params = params
        self.made = made


def _action(kind: str, params: dict[str, Any], says: str) -> Action:
    # As DynamoDB counts: the item, or the key and the values of an update.
    parts = (params.get("Item"), params.get("Key"), params.get("ExpressionAttributeValues"))
    size = sum(item_bytes({n: decode(w) for n, w in part.items()}) for part in parts if part)
    return Action(kind, params, says, size)


def _key(key: Mapping[str, Any], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**key, **fields} if fields else key


def _sound(records: Records, record: E) -> E:
    """A record that has been checked: as it is made, but not as it is read."""
    if not isinstance(record, records.entity.made):
        raise TypeError(f"{record!r} is not a record of {records.entity.name}")
    return record if record.__checked__ else type(record)(**record)
