"""The store: a table's access patterns, run against it.

Every call names the access pattern that it carries out, so that what the code does, what its role
is granted and what the documentation says are one and the same.

>>> orders = Store(Orders, "dev-orders")                                  # doctest: +SKIP
>>> orders.put(Orders.place, Order(tenant="acme", order_id="o1", …))        # doctest: +SKIP
>>> orders.get(Orders.order, tenant="acme", order_id="o1")                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from tablewright.model.arguments import check_arguments, described
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
    MalformedItem,
    NotFound,
    StoreError,
    Throttled,
)
from tablewright.runtime.store import changes as changing
from tablewright.runtime.store.batches import delete_request, insert_all, put_request, write_all
from tablewright.runtime.store.conditions import given
from tablewright.runtime.store.reader import Reader, Where
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.requests import Params, Requests, whole_key
from tablewright.runtime.store.transactions import Action, carry_out, plain_key

_NOTHING: Mapping[str, Any] = {}

E = TypeVar("E", bound=Entity)


@check_arguments("put")
class Store(Reader):
    """Runs the access patterns of one table: a reader that also stores items.

    Example::

        store = Store(Orders, "dev-orders")
        store.put(Orders.place, Order(tenant="acme", order_id="o1", total=Decimal("9.90")))
    """

    def put(self, pattern: Put[E], record: E) -> E:
        """Store one record; gives it back as stored. A `create` pattern replaces nothing: it
        raises AlreadyExists, which has the current record."""
        record = _sound(self._of(pattern, Put), record)
        self._run(self.to_put(pattern, record))
        return record

    def replace(self, pattern: Put[E], record: E) -> E | None:
        """Store one record; gives back the one that it replaces, or None."""
        requests = self._of(pattern, Put)
        replaced = self._run(self.to_put(pattern, record), "ALL_OLD")
        with self._applied(pattern):
            return requests.present(replaced)

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
        of which None removes an optional one. Returns the record as it is then, or as it was.

        DynamoDB evaluates `when` together with the update, so of several callers that compete for
        an item exactly one succeeds. The others get Conflict, with the `current` record. If
        `maybe_applied` is True, an earlier attempt whose answer was lost may have succeeded: then
        compare the current record with what this call writes. Raises NotFound where there is
        nothing to change, and OutOfBounds where an addition would pass a bound of its field.

        Example::

            store.update(Orders.change, order, Order.state.set(State.PAID), Order.visits.add(1),
                         when=Order.state == State.OPEN)
        """
        requests = self._of(pattern, Update)
        action, item = self._to_update(pattern, key, changes, when)
        if item is None or when is not None or "UpdateExpression" in action.params:
            item = self._run(action, f"ALL_{returning.upper()}")
        with self._applied(pattern):
            return requests.records.to_record(item or {})  # type: ignore[no-any-return]

    def upsert(
        self,
        pattern: Upsert[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> E:
        """Change fields of a record, or create it: additions to a field without a value begin at
        its default, or at zero, an empty set or list. Returns the record as it is then.

        The changes name all fields outside the key that are required, and all that something is
        derived from. `when` must hold of a record that exists, or Conflict is raised, as by
        `update`. What is added is added again by a repetition: for events that may come twice there
        is `Count`.

        Example::

            store.upsert(Pages.count, {"page": "home"}, Page.views.add(1))
        """
        requests = self._of(pattern, Upsert)
        item = self._run(self.to_update(pattern, key, *changes, when=when), "ALL_NEW")
        if item is not None:
            with self._applied(pattern):
                return requests.records.to_record(item)  # type: ignore[no-any-return]
        # Put in place of an item that had expired.
        return requests.made_anew(key, changing.listed(requests.records, changes))  # type: ignore[no-any-return]

    def delete(
        self,
        pattern: Delete[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> E | None:
        """Remove the record with this key, and return it; None if it does not exist.

        If a record exists, `when` must hold, or Conflict is raised, as by `update`. None also means
        that an earlier attempt removed it and its answer was lost.
        """
        requests = self._of(pattern, Delete)
        try:
            item = self._run(self.to_delete(pattern, key, when=when, **fields), "ALL_OLD")
        except NotFound:
            return None
        with self._applied(pattern):
            return requests.present(item)

    def put_many(self, pattern: BatchPut[E], batch: Sequence[E]) -> int:
        """Store any number of records, replacing what is there; all are checked before the first
        is written. Gives back how many were stored."""
        writes = [put_request(item) for item in self._items(pattern, BatchPut, batch)]
        self._write_all(pattern, writes)
        return len(writes)

    def create_many(self, pattern: BatchCreate[E], batch: Sequence[E]) -> list[bool]:
        """Store those records whose keys have none yet; all are checked before the first is
        written. Returns for each whether it was stored, in their order: False also for one that an
        earlier attempt stored, whose answer was lost."""
        items = self._items(pattern, BatchCreate, batch)
        with self._describing(pattern):
            stored = insert_all(self._transport, self.table_name, items)
        if not pattern.replaces_expired:
            return stored
        # A statement that inserts looks at the key alone. A put also sees whether an item expired.
        put = self._of(pattern, BatchCreate).put
        taken = [at for at, is_stored in enumerate(stored) if not is_stored]
        puts = [put(pattern.name, items[at], create=True) for at in taken]
        for at, is_stored in zip(
            taken, self._transport.in_parallel(self._creates, puts), strict=True
        ):
            stored[at] = is_stored
        return stored

    def _creates(self, action: Action) -> bool:
        try:
            self._run(action)
        except AlreadyExists:
            return False
        return True

    def delete_many(self, pattern: BatchDelete[E], keys: Sequence[E | Mapping[str, Any]]) -> None:
        """Remove the records with these keys; those that are not there are removed already."""
        records = self._of(pattern, BatchDelete).records
        items = (records.key(one) for one in keys)
        once = {self.design.key_values(item): item for item in items}
        self._write_all(pattern, [delete_request(item) for item in once.values()])

    def write_many(
        self, pattern: BatchWrite[E], *, put: Sequence[E] = (), delete: Sequence[E] = ()
    ) -> None:
        """Store records, replacing what is there, and remove others, of the pattern's entities.

        Example::

            store.write_many(Orders.move, put=[order, *lines], delete=old_lines)
        """
        self._of(pattern, BatchWrite)
        put, delete = list(put), list(delete)
        for one in (*put, *delete):
            if not isinstance(one, pattern.kinds):
                names = " or ".join(pattern.entities)
                raise TypeError(f"{described(one)} is not a record of {names}")
        kinds = self._requests
        puts = [
            kinds[one.__entity__.name].records.to_item(_sound(kinds[one.__entity__.name], one))
            for one in put
        ]
        keys = [kinds[one.__entity__.name].records.key(one) for one in delete]
        self._refuse_repeated([*puts, *keys])
        self._write_all(pattern, [*map(put_request, puts), *map(delete_request, keys)])

    def to_put(self, pattern: Put[E], record: E) -> Action:
        """A put, as an action of a transaction."""
        requests = self._of(pattern, Put)
        item = requests.records.to_item(_sound(requests, record))
        return requests.put(pattern.name, item, create=pattern.create)

    def to_update(
        self,
        pattern: Update[E] | Upsert[E],
        key: E | Mapping[str, Any],
        *changes: Change | Mapping[str, Any],
        when: Where = None,
    ) -> Action:
        """An update or upsert, as an action of a transaction. Where something is derived from what
        an update changes, the record is read now, and must not change before the transaction."""
        if isinstance(pattern, Update) and not any(changes):
            raise ValueError(f"to_update needs a change of {pattern.entity}. Use to_check for none")
        return self._to_update(pattern, key, changes, when)[0]

    def _to_update(
        self,
        pattern: Update[E] | Upsert[E],
        key: Mapping[str, Any],
        changes: Sequence[Change | Mapping[str, Any]],
        when: Where,
    ) -> tuple[Action, Item | None]:
        """The action, and the item if it was read."""
        requests = self._of(pattern, Upsert if isinstance(pattern, Upsert) else Update)
        todo, expected = changing.listed(requests.records, changes), given(requests.records, when)
        if isinstance(pattern, Update) and not todo and expected is None:
            raise ValueError(f"update needs a change of {pattern.entity}. Use get to read it")
        if isinstance(pattern, Upsert):
            return requests.upsert(pattern.name, key, todo, expected), None
        with self._describing(pattern, requests.records.key(key)):
            item = None
            if requests.needs_item(todo):
                item = self._read(requests, key, consistent=True)
                if requests.present(item) is None:
                    raise requests.refusal(requests.records.key(key), None)
            return requests.change(pattern.name, key, todo, expected, item), item

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
        """A removal, as an action of a transaction. One that does not exist is removed already,
        which is `missing_ok` or refuses the transaction."""
        requests = self._of(pattern, Delete)
        expected, key = given(requests.records, when), whole_key(key, fields)
        return requests.delete(pattern.name, key, expected, missing_ok=missing_ok)

    def to_check(
        self,
        pattern: Check[E],
        key: E | Mapping[str, Any] = _NOTHING,
        /,
        *,
        when: Where = None,
        **fields: Any,
    ) -> Action:
        """A condition on an item that the transaction does not write: that it exists, and that
        `when` holds."""
        requests = self._of(pattern, Check)
        return requests.check(pattern.name, whole_key(key, fields), given(requests.records, when))

    def transact_write(self, *actions: Action, token: str | None = None) -> None:
        """Carry out actions of this store and of others: all of them, or none.

        Raises TransactionRefused, a Conflict, whose `problems` have the errors of the actions whose
        conditions failed. With a `token`, a repetition within ten minutes changes nothing and
        succeeds.
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

    def _run(self, action: Action, returning: str | None = None) -> Item | None:
        """Run an action alone, and return the item that DynamoDB returns.

        After an attempt whose answer was lost, nothing is added again.
        """
        lost, busy = False, None
        # Twice without a wait: the item that fails the first try is the newest for the second.
        for _ in (None for _ in self._transport.attempts() for _ in range(2)):
            params = action.params
            if returning and (action.kind != "Put" or returning == "ALL_OLD"):
                params = {**params, "ReturnValues": returning}
            try:
                return self._transport.call(f"{action.kind}Item", params).get("Attributes")
            except StoreError as error:
                lost = error.maybe_applied = lost or error.maybe_applied
                action.describe(error)
                may_retry = action.repeatable or not lost
                busy = error if isinstance(error, ItemBusy) and may_retry else None
                if busy:
                    continue
                if type(error) is not Conflict:
                    raise
                result = action.refused(error.item, may_retry=may_retry)
                if isinstance(result, StoreError):
                    result.maybe_applied = lost
                    raise result from error
                action = result
        failure = busy or Throttled(
            f"{action.kind}Item on {self.table_name} met other writers on every attempt. Retry "
            "later, or reduce concurrent writers of the item."
        )
        failure.maybe_applied = lost
        action.describe(failure)
        raise failure

    @contextmanager
    def _describing(self, pattern: Pattern[Any], key: Item | None = None) -> Iterator[None]:
        """Add the context of a write to the errors of a block."""
        try:
            yield
        except StoreError as error:
            error.describe(self.table_name, pattern.name, key and plain_key(key))
            raise

    @contextmanager
    def _applied(self, pattern: Pattern[Any]) -> Iterator[None]:
        """Mark the error of a malformed item that a write returned: the write was applied."""
        try:
            yield
        except MalformedItem as error:
            error.maybe_applied = True
            error.describe(self.table_name, pattern.name)
            raise

    def _write_all(self, pattern: Pattern[Any], writes: Sequence[Params]) -> None:
        with self._describing(pattern):
            write_all(self._transport, self.table_name, writes)

    def _items(
        self, pattern: Pattern[E], kind: type[Pattern[Any]], batch: Sequence[E]
    ) -> list[Item]:
        """The items of records, each with a key of its own."""
        requests = self._of(pattern, kind)
        items = [requests.records.to_item(_sound(requests, record)) for record in batch]
        with self._describing(pattern):
            self._refuse_repeated(items)
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
        fix = f"Pass {requests.name}(…)"
        raise TypeError(f"{described(record)} is not a record of {requests.name}. {fix}")
    if is_checked(record):
        return record
    refuse_partial(record)
    return type(record)(**record)
