"""Capacity units, counted as DynamoDB reports them."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from threading import Lock
from typing import Any

from tablewright.runtime.aws import Caller

_WRITES = {
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "BatchExecuteStatement",
    "TransactWriteItems",
}


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
        answer = self._caller.call(operation, {**params, "ReturnConsumedCapacity": "INDEXES"})
        consumed = answer.get("ConsumedCapacity", [])
        reports = consumed if isinstance(consumed, list) else [consumed]
        totals = self.written if operation in _WRITES else self.read
        with self._lock:
            self.calls += 1
            for report in reports:
                _add(totals, "table", report.get("Table"))
                for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
                    for index, part in (report.get(kind) or {}).items():
                        _add(totals, index, part)
        return answer


def _add(totals: dict[str, Decimal], where: str, report: dict[str, Any] | None) -> None:
    units = Decimal(str((report or {}).get("CapacityUnits", 0)))
    if units:
        totals[where] += units
