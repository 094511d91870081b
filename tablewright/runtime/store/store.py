"""The store: a table's access patterns, run against it.

Every call names the access pattern that it carries out, so that what the code does, what its role
is granted and what the documentation says are one and the same.

>>> orders = Store(Orders, "dev-orders")                                  # doctest: +SKIP
>>> orders.put(Orders.place, Order(tenant="acme", order_id="o1", …))        # doctest: +SKIP
>>> orders.get(Orders.order, tenant="acme", order_id="o1")                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from tablewright.model.changes import Change
from tablewright.model.declaration import Entity, is_checked, refuse_partial
from tablewright.model.patterns import (
    BatchCreate,
    BatchDelete,
    BatchPut,
    BatchWrite,
    Check,
    Delete,
    Pattern,
    Put,
    Update,
    Upsert,
)
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    ItemBusy,
    NotFound,
    Throttled,
)
from tablewright.runtime.store import changes as changing
from tablewright.runtime.store.batches import delete_request, insert_all, put_request, write_all
from tablewright.runtime.store.conditions import given
from tablewright.runtime.store.evaluation import compiled
from tablewright.runtime.store.reader import Reader, Where
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.requests import Params, Requests, whole_key
from tablewright.runtime.store.transactions import Action, carry_out

_NOTHING: Mapping[str, Any] = {}

E = TypeVar("E", bound=Entity)


class Store(Reader):
    """Runs the access patterns of one table: a reader that also stores items.

    Example::

        store = Store(Orders, "dev-orders")
        store.put(Orders.place, Order(tenant="acme", order_id="o1", total=Decimal("9.90")))
    """

    def put(self, pattern: Put[E], record: E) -> E:
        """Store one record; gives it back as stored. A `create` pattern replaces nothing."""
        requests = self._of(pattern, Put)
        record = _sound(requests, record)
        self._put(requests, self._to_put(requests, pattern, record))
        return record

    def replace(self, pattern: Put[E], record: E) -> E | None:
        """Store one record; gives back the one that it replaces, or None."""
        requests = self._of(pattern, Put)
        params = self._to_put(requests, pattern, _sound(requests, record))
        replaced = self._put(requests, {**params, "ReturnValues": "ALL_OLD"})
        if replaced and self._former:
            replaced = self._former.converted(replaced)
        return requests.present(replaced)

    def _to_put(self, requests: Requests, pattern: Put[E], record: E) -> Params:
        if self._former:
            blind = not pattern.create and not requests.records.shares_keys
            self._former.bring_over(requests.name, [requests.records.key(record)], blind=blind)
        return requests.put(record, create=pattern.create)

    def _put(self, requests: Requests, params: Params) -> Item | None:
        try:
            return self._write("PutItem", params).get("Attributes")
        except Conflict as error:
            raise AlreadyExists(requests.exists) from error

    def update(
        self,
        pattern: Update[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
        returning: Literal["new", "old"] = "new",
    ) -> E:
        """Change fields of a record and everything derived from them, in one write.

        ``Order.total.set(5)``, ``Order.visits.add(1)``; or a mapping of fields to their new values,
        of which None removes an optional one. `when` must hold, or Conflict is raised; a change
        that is in place already is done, so that a request whose answer was lost can be repeated,
        unless it adds to what is there. Raises NotFound where there is nothing to change. Gives the
        record as it is then, or as it was.

        Example::

            store.update(Orders.change, order, Order.state.set(State.PAID), Order.visits.add(1),
                         when=Order.state == State.OPEN)
        """
        requests = self._of(pattern, Update)
        records = requests.records
        todo, expected = changing.listed(records, changes), given(records, when)
        self._bring_over(requests, key)
        if todo and not changing.names_of(todo) & set(self.design.derives_from(records.entity)):
            # Nothing derived follows from these fields, so the record need not be read first.
            try:
                params = requests.change(key, todo, expected)
                params["ReturnValues"] = f"ALL_{returning.upper()}"
                return records.to_record(self._write("UpdateItem", params)["Attributes"])  # type: ignore[no-any-return]
            except Conflict:
                pass  # absent, not as expected, or done already: look
        for _ in self._transport.attempts():
            old, before = self._there(requests, key)
            if expected is not None and not compiled(expected, records)(records.decrypted(old)):
                if todo and changing.is_plain(todo) and changing.in_place(todo, before):
                    return before  # type: ignore[no-any-return]
                raise Conflict(f"{requests.name} is not as expected")
            params = requests.rewrite(old, todo, expected)
            if "UpdateExpression" not in params:
                return before  # type: ignore[no-any-return]
            params["ReturnValues"] = f"ALL_{returning.upper()}"
            try:
                return records.to_record(self._write("UpdateItem", params)["Attributes"])  # type: ignore[no-any-return]
            except Conflict:
                continue  # somebody else changed what ours is derived from, or expects: look again
        raise Throttled(f"{requests.name} was being changed by others all the while")

    def upsert(
        self,
        pattern: Upsert[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> E:
        """Change fields of a record, or make it: what has no value yet is added to zero, or to an
        empty set or list. Gives the record as it is then.

        The changes name all fields outside the key that are required, and all that something is
        derived from. `when` must hold of a record that is there, or Conflict is raised.
        What is added is added again by a repetition: for events that may come twice there is
        `Count`.

        Example::

            store.upsert(Pages.count, {"page": "home"}, Page.views.add(1))
        """
        requests = self._of(pattern, Upsert)
        records = requests.records
        todo, expected = changing.listed(records, changes), given(records, when)
        params = {**requests.upsert(key, todo, expected), "ReturnValues": "ALL_NEW"}
        self._bring_over(requests, key)
        for _ in self._transport.attempts():
            try:
                return records.to_record(self._write("UpdateItem", params)["Attributes"])  # type: ignore[no-any-return]
            except Conflict as error:
                if not requests.made_anew_when_past and not records.shares_keys:
                    raise Conflict(f"{requests.name} is not as expected") from error
                item = self._read(requests, key, consistent=True)
                if requests.present(item) is not None:
                    if expected is None:
                        continue
                    raise Conflict(f"{requests.name} is not as expected") from error
                if item is not None and not records.is_one(item, None):
                    raise AlreadyExists(requests.exists) from error
            record: E = requests.made_anew(key, todo)
            try:
                self._write("PutItem", requests.put(record, create=True))
                return record
            except Conflict:
                continue  # somebody else was first: add to theirs
        raise Throttled(f"{requests.name} was being changed by others all the while")

    def delete(
        self,
        pattern: Delete[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> E | None:
        """Remove the record with this key; one that is not there is removed already. Gives back
        what was removed.

        `when` must hold of one that is there, or Conflict is raised.
        """
        requests = self._of(pattern, Delete)
        key = whole_key(key, fields)
        params = requests.delete(key, given(requests.records, when))
        self._bring_over(requests, key)
        try:
            answer = self._write("DeleteItem", {**params, "ReturnValues": "ALL_OLD"})
        except Conflict:
            if when is None:
                return None  # what has this key is of another entity
            raise
        return requests.present(answer.get("Attributes"))

    def put_many(self, pattern: BatchPut[E], batch: Sequence[E]) -> int:
        """Store any number of records, replacing what is there; all are checked before the first
        is written. Gives back how many were stored."""
        writes = [put_request(item) for item in self._items(pattern, BatchPut, batch)]
        write_all(self._transport, self.table_name, writes)
        return len(writes)

    def create_many(self, pattern: BatchCreate[E], batch: Sequence[E]) -> list[bool]:
        """Store those records whose keys have none yet; all are checked before the first is
        written. Tells of each whether it was stored, in their order."""
        items = self._items(pattern, BatchCreate, batch)
        return insert_all(self._transport, self.table_name, items)

    def delete_many(self, pattern: BatchDelete[E], keys: Sequence[E | Mapping[str, Any]]) -> None:
        """Remove the records with these keys; those that are not there are removed already."""
        records = self._of(pattern, BatchDelete).records
        items = (records.key(one) for one in keys)
        once = {self.design.key_values(item): item for item in items}
        if self._former:
            self._former.bring_over(pattern.entity, once.values(), blind=True)
        writes = [delete_request(item) for item in once.values()]
        write_all(self._transport, self.table_name, writes)

    def write_many(
        self, pattern: BatchWrite[E], *, put: Sequence[E] = (), delete: Sequence[E] = ()
    ) -> None:
        """Store records, replacing what is there, and remove others, of the pattern's entities.

        Example::

            store.write_many(Orders.move, put=[order, *lines], delete=old_lines)
        """
        self._of(pattern, BatchWrite)
        foreign = [one for one in (*put, *delete) if one.__entity__.name not in pattern.entities]
        if foreign:
            raise TypeError(f"{foreign[0]!r} is no record of {', '.join(pattern.entities)}")
        kinds = self._requests
        puts = [
            kinds[one.__entity__.name].records.to_item(_sound(kinds[one.__entity__.name], one))
            for one in put
        ]
        keys = [kinds[one.__entity__.name].records.key(one) for one in delete]
        self._refuse_repeated([*puts, *keys])
        if self._former:
            named = [one.__entity__.name for one in (*put, *delete)]
            for name in dict.fromkeys(named):
                every = zip(named, (*puts, *keys), strict=True)
                self._former.bring_over(name, (i for n, i in every if n == name), blind=True)
        writes = [*map(put_request, puts), *map(delete_request, keys)]
        write_all(self._transport, self.table_name, writes)

    def to_put(self, pattern: Put[E], record: E) -> Action:
        """A put, as an action of a transaction."""
        requests = self._of(pattern, Put)
        params = self._to_put(requests, pattern, _sound(requests, record))
        return Action("Put", params, requests.exists)

    def to_update(
        self,
        pattern: Update[E] | Upsert[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> Action:
        """An update or upsert, as an action of a transaction. Where something is derived from what
        an update changes, the record is read now, and must not change before the transaction."""
        requests = self._of(pattern, Upsert if isinstance(pattern, Upsert) else Update)
        records = requests.records
        todo, expected = changing.listed(records, changes), given(records, when)
        self._bring_over(requests, key)
        if isinstance(pattern, Upsert):
            params = requests.upsert(key, todo, expected)
        elif changing.names_of(todo) & set(self.design.derives_from(records.entity)):
            params = requests.rewrite(self._there(requests, key)[0], todo, expected)
        else:
            params = requests.change(key, todo, expected)
        return Action("Update", params, f"{requests.name} is not there, or not as expected")

    def to_delete(
        self,
        pattern: Delete[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        missing_ok: bool = True,
        **fields: Any,
    ) -> Action:
        """A removal, as an action of a transaction. One that is not there is removed already, which
        is `missing_ok` or refuses the transaction."""
        requests = self._of(pattern, Delete)
        expected, key = given(requests.records, when), whole_key(key, fields)
        params = requests.delete(key, expected, missing_ok=missing_ok)
        self._bring_over(requests, key)
        says = "is not as expected" if missing_ok else "is not there, or not as expected"
        return Action("Delete", params, f"{requests.name} {says}")

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
        requests = self._of(pattern, Check)
        key = whole_key(key, fields)
        params = requests.check(key, given(requests.records, when))
        self._bring_over(requests, key)
        says = f"{requests.name} is not there, or not as expected"
        return Action("ConditionCheck", params, says)

    def transact_write(self, *actions: Action, token: str | None = None) -> None:
        """Carry out actions of this store and of others: all of them, or none.

        Raises TransactionRefused, a Conflict, that says of each action that did not fit what is
        wrong. With a `token`, a repetition within ten minutes changes nothing and succeeds.
        Of items that expire it is not quite the same request, since it has another time: then
        TokenUsed is raised, and nothing is changed either.

        Example::

            shop.transact_write(
                shop.to_put(Shop.place, order),
                stock.to_update(Stocks.take, {"thing": "tea"}, Stock.left.add(-1),
                                when=Stock.left > 0),
                shop.to_check(Shop.customer, name="ann", when=Customer.blocked.is_missing()),
                token=request_id,
            )
        """
        carry_out(self._transport, actions, token)

    def _bring_over(self, requests: Requests, key: Mapping[str, Any]) -> None:
        """Have an item in the form that this design writes, before it is looked at and written."""
        if self._former:
            self._former.bring_over(requests.name, [requests.records.key(key)])

    def _write(self, operation: str, params: Params) -> dict[str, Any]:
        """Write an item; while a transaction is at it, wait."""
        for _ in self._transport.attempts():
            try:
                return self._transport.call(operation, params)
            except ItemBusy as error:
                busy = error
        raise busy

    def _there(self, requests: Requests, key: Mapping[str, Any]) -> tuple[Item, Any]:
        """An item as it is now, and its record; raises NotFound where there is none."""
        item = self._read(requests, key, consistent=True)
        record = requests.present(item)
        if item is None or record is None:
            raise NotFound(f"no {requests.name} has this key")
        return item, record

    def _items(
        self, pattern: Pattern[E], kind: type[Pattern[Any]], batch: Sequence[E]
    ) -> list[Item]:
        """The items of records, each with a key of its own."""
        requests = self._of(pattern, kind)
        items = [requests.records.to_item(_sound(requests, record)) for record in batch]
        self._refuse_repeated(items)
        if self._former:
            self._former.bring_over(requests.name, items, blind=True)
        return items

    def _refuse_repeated(self, items: Sequence[Item]) -> None:
        seen: set[tuple[Any, ...]] = set()
        repeated = []
        for position, item in enumerate(items):
            key = self.design.key_values(item)
            repeated += [position] if key in seen else []
            seen.add(key)
        if repeated:
            raise DuplicateKeys(repeated)


def _sound(requests: Requests, record: E) -> E:
    """A record that has been checked: as it is made, but not as it is read."""
    if not isinstance(record, requests.records.entity.made):
        raise TypeError(f"{record!r} is not a record of {requests.name}")
    if is_checked(record):
        return record
    refuse_partial(record)
    return type(record)(**record)
