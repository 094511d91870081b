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
from itertools import islice
from typing import Any, Generic, TypeVar

from tablewright.model.declaration import Entity
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import (
    Throttled,
    TransactionCanceled,
    TransactionRefused,
)
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.transport import Transport

E = TypeVar("E", bound=Entity)
MOST_ACTIONS = 100
LONGEST_TOKEN = 36
MOST_BYTES = 4 * 1024 * 1024
UNFIT = "ConditionalCheckFailed"
# What passes: somebody else was at one of the items, or there was not enough capacity.
PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Action:
    """One write of a transaction, or a check: made by ``to_put``, ``to_update``, ``to_delete`` and
    ``to_check`` of a store. `says` is what is wrong when its condition does not hold."""

    __slots__ = ("kind", "params", "says")

    def __init__(self, kind: str, params: dict[str, Any], says: str) -> None:
        self.kind = kind
        self.params = params
        self.says = says

    @property
    def size(self) -> int:
        """Bytes as DynamoDB counts them: of the item, or of key and values of an update."""
        names = ("Item", "Key", "ExpressionAttributeValues")
        parts = (self.params.get(name) for name in names)
        return sum(item_bytes({n: decode(w) for n, w in part.items()}) for part in parts if part)


class Read(Generic[E]):
    """One record that is read together with others: made by ``to_get`` of a store. `made` takes
    the items that are found by each of `params`."""

    __slots__ = ("made", "params")

    def __init__(self, made: Callable[..., E | None], *params: dict[str, Any]) -> None:
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
    request: dict[str, Any] = {
        "TransactItems": [{action.kind: action.params} for action in actions]
    }
    if token is not None:
        if not 1 <= len(token) <= LONGEST_TOKEN:
            raise ValueError(f"a token has 1 to {LONGEST_TOKEN} characters, not {len(token)}")
        request["ClientRequestToken"] = token
    for _ in transport.attempts():
        try:
            transport.call("TransactWriteItems", request)
            return
        except TransactionCanceled as canceled:
            unfit = {
                at: actions[at].says
                for at, reason in enumerate(canceled.reasons)
                if reason == UNFIT
            }
            if unfit:
                raise TransactionRefused(unfit) from canceled
            if not set(canceled.reasons) & PASSING:
                raise
    raise Throttled("others were at the items of the transaction all the while")


def read_at_once(transport: Transport, reads: Sequence[Read[Any]]) -> tuple[Any, ...]:
    """What the reads find, all at one moment."""
    gets = [{"Get": params} for one in reads for params in one.params]
    if not 1 <= len(gets) <= MOST_ACTIONS:
        raise ValueError(f"a transaction has 1 to {MOST_ACTIONS} reads, not {len(gets)}")
    request = {"TransactItems": gets}
    for _ in transport.attempts():
        try:
            answer = transport.call("TransactGetItems", request)
        except TransactionCanceled as canceled:
            if not set(canceled.reasons) & PASSING:
                raise
            continue
        found = (item.get("Item") for item in answer["Responses"])
        return tuple(one.made(*islice(found, len(one.params))) for one in reads)
    raise Throttled("others were at the items of the transaction all the while")
