"""Transactions: several writes, of any entities and tables, of which all happen or none does.

::

    shop.transact(
        shop.to_put(Shop.place, order),
        shop.to_update(Shop.change, stock, Stock.left.add(-1), when=Stock.left > 0),
        shop.to_check(Shop.customer, name="ann", when=Customer.blocked.is_missing()),
    )
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled, TransactionCanceled, TransactionRefused
from tablewright.runtime.retry import Backoff

MOST_ACTIONS = 100
MOST_BYTES = 4 * 1024 * 1024
_UNFIT = "ConditionalCheckFailed"
# What passes: somebody else was at one of the items, or there was not enough capacity.
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Action(NamedTuple):
    """One write of a transaction, or a check: made by ``to_put``, ``to_update``, ``to_delete`` and
    ``to_check`` of a store. `says` is what is wrong when its condition does not hold."""

    kind: str
    params: dict[str, Any]
    says: str
    size: int


def carry_out(
    caller: Caller, actions: Sequence[Action], backoff: Backoff, token: str | None = None
) -> None:
    """Carry the actions out, all or none; raises TransactionRefused with what was wrong with each.

    With a token, a repetition within ten minutes changes nothing and succeeds.
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
        request["ClientRequestToken"] = token
    for _ in backoff:
        try:
            caller.call("TransactWriteItems", request)
            return
        except TransactionCanceled as canceled:
            unfit = {
                at: actions[at].says
                for at, reason in enumerate(canceled.reasons)
                if reason == _UNFIT
            }
            if unfit:
                raise TransactionRefused(unfit) from canceled
            if not set(canceled.reasons) & _PASSING:
                raise
    raise Throttled("others were at the items of the transaction all the while")
