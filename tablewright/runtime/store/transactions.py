"""Transactions: several writes, of any entities and tables, of which all happen or none does.

::

    shop.transact_write(
        shop.to_put(Shop.place, order),
        shop.to_update(Shop.change, stock, Stock.left.add(-1), when=Stock.left > 0),
        shop.to_check(Shop.customer, name="ann", when=Customer.blocked.is_missing()),
    )
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from tablewright.model.declaration import Entity
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import (
    DuplicateKeys,
    StoreError,
    Throttled,
    TransactionCanceled,
    TransactionRefused,
)
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport

E = TypeVar("E", bound=Entity)
Refusal = Callable[["Item | None", bool], "Action | StoreError"]
MOST_ACTIONS = 100
LONGEST_TOKEN = 36
MOST_BYTES = 4 * 1024 * 1024
_UNFIT = "ConditionalCheckFailed"
# What passes: somebody else was at one of the items, or there was not enough capacity.
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Action:
    """One write or check of an item: made by ``to_put``, ``to_update``, ``to_delete`` and
    ``to_check`` of a store.

    `refusal` gets the item that failed the condition. It returns the error, or an action to try in
    place of this one, unless that must not be tried. Applying a `repeatable` action twice is as
    good as once. A `computed` one follows from an item that must not change before a transaction.
    """

    __slots__ = ("_refusal", "computed", "key", "kind", "params", "pattern", "repeatable")

    def __init__(
        self,
        kind: str,
        params: dict[str, Any],
        pattern: str,
        key: Item,
        refusal: Refusal,
        *,
        repeatable: bool = True,
        computed: bool = False,
    ) -> None:
        if "ConditionExpression" in params:
            params["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        self.kind = kind
        self.params = params
        self.pattern = pattern
        self.key = key
        self.repeatable = repeatable
        self.computed = computed
        self._refusal = refusal

    def refused(self, item: Item | None, *, may_retry: bool) -> Action | StoreError:
        """The action to try instead, or the error with its context."""
        result = self._refusal(item, may_retry)
        if isinstance(result, StoreError):
            self.describe(result)
        return result

    def describe(self, error: StoreError) -> None:
        """Add the context of this action to an error."""
        error.describe(self.params["TableName"], self.pattern, plain_key(self.key), self.kind)

    @property
    def size(self) -> int:
        """Bytes as DynamoDB counts them: of the item, or of key and values of an update."""
        names = ("Item", "Key", "ExpressionAttributeValues")
        parts = (self.params.get(name) for name in names)
        return sum(item_bytes({n: decode(w) for n, w in part.items()}) for part in parts if part)


def plain_key(key: Item) -> dict[str, Any]:
    return {name: decode(wire) for name, wire in key.items()}


class Read(Generic[E]):
    """One record that is read together with others: made by ``to_get`` of a store."""

    __slots__ = ("made", "params")

    def __init__(self, params: dict[str, Any], made: Callable[[Item | None], E | None]) -> None:
        self.params = params
        self.made = made


def carry_out(transport: Transport, actions: Sequence[Action], token: str | None = None) -> None:
    """Carry the actions out, all or none; raises TransactionRefused with what was wrong with each.

    With a token, a repetition within ten minutes changes nothing and succeeds. Raises TokenUsed
    where it is not quite the same: what has expired is compared with the time of each request.
    """
    if not 1 <= len(actions) <= MOST_ACTIONS:
        raise ValueError(f"a transaction has 1 to {MOST_ACTIONS} actions, not {len(actions)}")
    size = sum(action.size for action in actions)
    if size > MOST_BYTES:
        raise ValueError(f"a transaction has at most {MOST_BYTES} bytes, not {size}")
    _refuse_repeated(actions)
    request: dict[str, Any] = {}
    if token is not None:
        if not 1 <= len(token) <= LONGEST_TOKEN:
            raise ValueError(f"a token has 1 to {LONGEST_TOKEN} characters, not {len(token)}")
        request["ClientRequestToken"] = token
    pending = list(actions)
    for _ in transport.attempts():
        request["TransactItems"] = [{action.kind: action.params} for action in pending]
        try:
            transport.call("TransactWriteItems", request)
            return
        except TransactionCanceled as canceled:
            _retry_or_raise(pending, canceled, may_be_applied=token is None)
        except StoreError as error:
            _describe(error, actions)
            raise
    tables = ", ".join(_tables(actions))
    failure = Throttled(
        f"TransactWriteItems on {tables} conflicted with other writers on every attempt. Retry "
        "later, or reduce concurrent writers."
    )
    _describe(failure, actions)
    raise failure


def _retry_or_raise(
    pending: list[Action], canceled: TransactionCanceled, *, may_be_applied: bool
) -> None:
    """Prepare the next attempt, or raise why there is none.

    Without a token, an attempt whose answer was lost may have been applied: no other may follow.
    """
    lost = may_be_applied and canceled.maybe_applied
    problems: dict[int, StoreError] = {}
    retries: dict[int, Action] = {}
    for at, (reason, item) in enumerate(zip(canceled.reasons, canceled.items, strict=True)):
        if reason == _UNFIT:
            may_retry = not (lost or pending[at].computed)
            result = pending[at].refused(item, may_retry=may_retry)
            if isinstance(result, StoreError):
                problems[at] = result
            else:
                retries[at] = result
    if problems:
        refused = TransactionRefused(problems)
        refused.maybe_applied = lost
        _describe(refused, pending)
        raise refused from canceled
    if lost or not (retries or set(canceled.reasons) & _PASSING):
        canceled.maybe_applied = lost
        _describe(canceled, pending)
        raise canceled
    for at, action in retries.items():
        pending[at] = action


def _describe(error: StoreError, actions: Sequence[Action]) -> None:
    if len(actions) == 1:
        actions[0].describe(error)
        return
    patterns = dict.fromkeys(action.pattern for action in actions)
    error.describe(", ".join(_tables(actions)), ", ".join(patterns))


def _tables(actions: Sequence[Action]) -> list[str]:
    return list(dict.fromkeys(action.params["TableName"] for action in actions))


def _refuse_repeated(actions: Sequence[Action]) -> None:
    seen: set[tuple[Any, ...]] = set()
    repeated = []
    for position, action in enumerate(actions):
        values = tuple((name, decode(wire)) for name, wire in action.key.items())
        place = (action.params["TableName"], *values)
        repeated += [position] if place in seen else []
        seen.add(place)
    if repeated:
        error = DuplicateKeys(repeated, "transaction")
        actions[repeated[0]].describe(error)
        raise error


def read_at_once(transport: Transport, reads: Sequence[Read[Any]]) -> tuple[Any, ...]:
    """What the reads find, all at one moment."""
    gets = [{"Get": one.params} for one in reads]
    if not 1 <= len(gets) <= MOST_ACTIONS:
        raise ValueError(f"a transaction has 1 to {MOST_ACTIONS} reads, not {len(gets)}")
    request = {"TransactItems": gets}
    for _ in transport.attempts():
        try:
            answer = transport.call("TransactGetItems", request)
        except TransactionCanceled as canceled:
            if not set(canceled.reasons) & _PASSING:
                raise
            continue
        return tuple(
            one.made(found.get("Item"))
            for one, found in zip(reads, answer["Responses"], strict=True)
        )
    raise Throttled(
        "TransactGetItems conflicted with writers on every attempt. Retry later, or reduce "
        "concurrent writers."
    )
