"""Table pointer: says which of two tables is written, and refuses writes to the other.

The pointer is an item of the control table. Clients read it again after `max_age` seconds, so that
`max_age` plus `longest_call` seconds after it changed, no write of the former version is accepted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tablewright.changes.state import CONTROL_TABLE
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import (
    Conflict,
    InvalidState,
    ResourceMissing,
    StoreError,
    Throttled,
)

OLD, NEW, CLOSING = "old", "new", "closing"
_READS = {"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"}


class TableMoved(InvalidState):
    """Another version of the table is active: use the store of that version.

    If `maybe_applied` is True, the write took so long that it may have reached a table that is not
    active any more. Repeat it in the active version.
    """


class TableClosing(Throttled):
    """A cut-over is under way, and neither version accepts writes: try again in a few seconds."""


class PointerState(NamedTuple):
    """The version that accepts writes, or CLOSING; the times that clients keep to; and the run that
    closed the tables."""

    active: str
    max_age: float = 5.0
    longest_call: float = 30.0
    run: str = ""


def _clock() -> float:
    # The monotonic clock stands still while a machine sleeps; this one does not.
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class TablePointer:
    """The pointer of a migration, for clients of its tables.

    `table_arn` is the ARN of the old table, also after the cut-over. Reads are never refused.

    Example::

        pointer = TablePointer(caller, table_arn, "0003_orders_by_state")
        stores = {
            "old": Store(OrdersBefore, "dev-orders", pointer.guard(caller, "old")),
            "new": Store(Orders, "dev-orders-2", pointer.guard(caller, "new")),
        }
        stores[pointer.active()].put(...)
    """

    def __init__(
        self,
        caller: Caller,
        table_arn: str,
        migration: str,
        *,
        control_table: str = CONTROL_TABLE,
        clock: Callable[[], float] = _clock,
    ) -> None:
        self._caller = caller
        self._name = migration
        self._table = control_table
        self._key = {"table_arn": {"S": table_arn}, "migration": {"S": f"{migration}#pointer"}}
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[float, PointerState] | None = None

    def active(self) -> str:
        """The version to use: "old" or "new"; raises TableClosing during a cut-over."""
        state = self._current()[1]
        if state.active == CLOSING:
            raise self._closing()
        return state.active

    def guard(self, caller: Caller, version: str) -> Caller:
        """A caller whose writes are refused when the version, "old" or "new", is not active."""
        if version not in (OLD, NEW):
            raise ValueError(f"version must be '{OLD}' or '{NEW}', not '{version}'")
        return _Guard(self, caller, version)

    def require(self, version: str) -> tuple[float, PointerState]:
        """When the pointer was read, and its state; raises if the version is not active."""
        at, state = self._current()
        if state.active == CLOSING:
            raise self._closing()
        if state.active != version:
            raise TableMoved(
                f"migration {self._name}: version '{version}' of the table is not active, "
                f"'{state.active}' is. Use the store of that version"
            )
        return at, state

    def confirm(self, version: str, at: float, state: PointerState) -> None:
        """Raise TableMoved if a write that began at a time may have come too late."""
        if self._clock() - at <= state.max_age + state.longest_call:
            return
        with self._lock:
            self._known = None
        try:
            self.require(version)
        except StoreError as error:
            late: StoreError = error
            if isinstance(error, TableMoved | TableClosing):
                late = TableMoved(
                    f"migration {self._name}: a write to version '{version}' took longer than "
                    f"{state.longest_call:g} seconds, and the table has moved since. Repeat the "
                    "write in the active version"
                )
            late.maybe_applied = True
            raise late from error

    def read(self) -> PointerState | None:
        """The state as it is stored now; None before the migration began."""
        request = {"TableName": self._table, "Key": self._key, "ConsistentRead": True}
        try:
            item = self._caller.call("GetItem", request).get("Item")
        except ResourceMissing:
            return None
        if item is None:
            return None
        age, call = (float(item[name]["N"]) for name in ("max_age", "longest_call"))
        return PointerState(item["active"]["S"], age, call, item["run"]["S"])

    def move(self, expected: PointerState | None, to: PointerState) -> None:
        """Store a state in place of the one that is expected; raises Conflict for another."""
        values: dict[str, Any] = {"max_age": {"N": str(to.max_age)}}
        values |= {"longest_call": {"N": str(to.longest_call)}}
        values |= {"active": {"S": to.active}, "run": {"S": to.run}}
        request = {"TableName": self._table, "Item": {**self._key, **values}}
        request["ConditionExpression"] = "attribute_not_exists(active)"
        if expected:
            request["ConditionExpression"] = "active = :active AND #run = :run"
            request["ExpressionAttributeNames"] = {"#run": "run"}
            request["ExpressionAttributeValues"] = {
                ":active": {"S": expected.active},
                ":run": {"S": expected.run},
            }
        try:
            self._caller.call("PutItem", request)
        except Conflict:
            if self.read() != to:  # otherwise an answer was lost
                raise

    def _current(self) -> tuple[float, PointerState]:
        with self._lock:
            now = self._clock()
            if self._known is None or not 0 <= now - self._known[0] < self._known[1].max_age:
                state = self.read()
                if state is None:
                    raise InvalidState(
                        f"migration {self._name} has no pointer in {self._table}. "
                        "`tablewright migration run` makes it"
                    )
                # Counted from before the read: the pointer may have changed since.
                self._known = now, state
            return self._known

    def _closing(self) -> TableClosing:
        return TableClosing(
            f"migration {self._name}: a cut-over is under way. Retry the write in a few seconds"
        )


class _Guard:
    """A caller for the writers of one version."""

    def __init__(self, pointer: TablePointer, caller: Caller, version: str) -> None:
        self._pointer, self._caller, self._version = pointer, caller, version

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, if it reads or if the version is active; raises StoreError."""
        if operation in _READS:
            return self._caller.call(operation, params)
        at, state = self._pointer.require(self._version)
        answer = self._caller.call(operation, params)
        self._pointer.confirm(self._version, at, state)
        return answer
