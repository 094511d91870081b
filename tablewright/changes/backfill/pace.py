"""Pace: calls of a table at so many capacity units a second, over all threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.runtime.aws import Caller
from tablewright.runtime.deadline import seconds_left
from tablewright.runtime.errors import Conflict, TransactionCanceled
from tablewright.runtime.meter import Meter

DEFAULT_RATE = 500.0
"""Capacity units a second unless a caller chooses another rate: an eighth of what a new table on
demand has."""

_READS = ("Scan", "Query", "GetItem", "BatchGetItem")
_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")


class Bucket:
    """Units that may be consumed: so many more every second, and never more than a second's.

    What a call consumes is known by its answer. So a call waits until what was consumed before is
    paid for, and its own is on account.
    """

    def __init__(self, per_second: float | None) -> None:
        self._per_second = per_second
        self._paid_at = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait until all that was consumed is paid for."""
        with self._lock:
            pause = self._paid_at - time.monotonic()
        if self._per_second and pause > 0:
            # No longer than an invocation has time: then the call itself is refused.
            time.sleep(max(0.0, min(pause, seconds_left())))

    def consume(self, units: float) -> None:
        """Take units that a call has consumed."""
        if self._per_second:
            with self._lock:
                # What is left over of more than a second ago is forfeited.
                since = max(self._paid_at, time.monotonic() - 1)
                self._paid_at = since + units / self._per_second


class PacedCaller(Meter):
    """A caller that consumes at most `rate` read units and `rate` write units a second, and counts
    them. Without a rate it only counts.

    A write whose condition was not met is billed, and its answer does not say so: it is taken for
    one unit.
    """

    def __init__(self, caller: Caller, rate: float | None) -> None:
        super().__init__(caller)
        self._reads, self._writes = Bucket(rate), Bucket(rate)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation when it may be, and count it."""
        if operation in _READS:
            self._reads.wait()
        elif operation in _WRITES:
            self._writes.wait()
        try:
            return super().call(operation, params)
        except (Conflict, TransactionCanceled):
            self._writes.consume(1)
            raise

    def _count(self, units: Mapping[str, Decimal], *, writes: bool) -> None:
        super()._count(units, writes=writes)
        bucket = self._writes if writes else self._reads
        bucket.consume(float(sum(units.values())))
