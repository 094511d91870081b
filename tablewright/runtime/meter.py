"""Capacity units, counted as DynamoDB reports them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from threading import Lock
from typing import Any

from tablewright.runtime.aws import Caller

_WRITES = {
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
}
_READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}
# By what they say they read or write.
_STATEMENTS = {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}


class Meter:
    """Passes calls on and adds up what they consumed, by table and index.

    Example::

        meter = Meter(Boto3Client(client))
        Store(Orders, "dev-orders", meter).get(Orders.order, tenant="acme", order_id="o1")
        meter.read_units        # Decimal("0.5")
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Count from zero again."""
        self.calls = 0
        self.read: dict[str, Decimal] = defaultdict(Decimal)
        self.written: dict[str, Decimal] = defaultdict(Decimal)

    @property
    def read_units(self) -> Decimal:
        """Read capacity units, of the table and all indexes."""
        return sum(self.read.values(), Decimal())

    @property
    def write_units(self) -> Decimal:
        """Write capacity units, of the table and all indexes."""
        return sum(self.written.values(), Decimal())

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, and count it."""
        if operation in _WRITES | _READS | _STATEMENTS:
            params = {**params, "ReturnConsumedCapacity": "INDEXES"}
        answer = self._caller.call(operation, params)
        writes = operation in _WRITES or (operation in _STATEMENTS and not _selects(params))
        self._count(_consumed(answer), writes=writes)
        return answer

    def _count(self, units: Mapping[str, Decimal], *, writes: bool) -> None:
        """Add what one call consumed, by table and index."""
        totals = self.written if writes else self.read
        with self._lock:
            self.calls += 1
            for part, some in units.items():
                totals[part] += some


def _selects(params: dict[str, Any]) -> bool:
    parts = params.get("Statements") or params.get("TransactStatements") or [params]
    return str(parts[0]["Statement"]).lstrip().upper().startswith("SELECT")


def _consumed(answer: dict[str, Any]) -> dict[str, Decimal]:
    """What an answer says that its call consumed, by table and index."""
    consumed = answer.get("ConsumedCapacity", [])
    units: dict[str, Decimal] = defaultdict(Decimal)
    for report in consumed if isinstance(consumed, list) else [consumed]:
        _add(units, "table", report.get("Table"))
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, part in (report.get(kind) or {}).items():
                _add(units, index, part)
    return units


def _add(totals: dict[str, Decimal], where: str, report: dict[str, Any] | None) -> None:
    units = Decimal(str((report or {}).get("CapacityUnits", 0)))
    if units:
        totals[where] += units
