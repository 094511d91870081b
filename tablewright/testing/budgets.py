"""Budgets: what some work may consume of DynamoDB, and how many calls it may make."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock
from typing import Any

from tablewright.model import Table
from tablewright.testing.edges.calls import AwsCall, Params, Proceed, Watcher
from tablewright.testing.metering import FaithfulMeter

Units = Decimal | int | float


@dataclass(frozen=True)
class Cost:
    """What one call consumed, by "table" and the names of indexes."""

    call: AwsCall
    read: Mapping[str, Decimal]
    written: Mapping[str, Decimal]

    def __str__(self) -> str:
        units = [
            f"{amount.normalize():f} {kind} ({where})"
            for kind, found in (("read", self.read), ("write", self.written))
            for where, amount in found.items()
            if amount
        ]
        return f"{self.call}: {', '.join(units) or 'no units'}"


class Costs:
    """What was consumed while it counted, call by call.

    Units are those that DynamoDB reports, and would bill where a local engine reports others; of
    transactions also in indexes, for `tables` whose designs are told. What a condition refused is
    not among them: DynamoDB bills it and reports nothing.

    Example::

        costs = Costs({"orders": Orders})
        with costs.counting():
            handler(event, context)
        costs.read("orders"), costs.written("orders")
    """

    def __init__(self, tables: Mapping[str, type[Table]] | None = None) -> None:
        self._designs = {name: table.__design__ for name, table in (tables or {}).items()}
        self._lock = Lock()
        self.entries: list[Cost] = []

    @contextmanager
    def counting(self) -> Iterator["Costs"]:
        """Count what is called in the block, over whichever client; there may be more blocks."""
        with Watcher(self._watch).everywhere():
            yield self

    def reset(self) -> None:
        """Count from zero again."""
        self.entries.clear()

    @property
    def read_units(self) -> Decimal:
        """Read capacity units, of all tables and indexes."""
        return _sum(one.read for one in self.entries)

    @property
    def write_units(self) -> Decimal:
        """Write capacity units, of all tables and indexes."""
        return _sum(one.written for one in self.entries)

    @property
    def calls(self) -> Counter[str]:
        """How many calls were made: of tables as ``orders:PutItem``, else ``sqs:SendMessage``."""
        return Counter(
            f"{one.call.target if one.call.service == 'dynamodb' else one.call.service}"
            f":{one.call.operation}"
            for one in self.entries
        )

    def read(self, table: str) -> Decimal:
        """Read capacity units of a table and its indexes."""
        return _sum(one.read for one in self._of(table))

    def written(self, table: str) -> Decimal:
        """Write capacity units of a table and its indexes."""
        return _sum(one.written for one in self._of(table))

    def __str__(self) -> str:
        return "\n".join(f"{number}. {cost}" for number, cost in enumerate(self.entries, 1))

    def _of(self, table: str) -> list[Cost]:
        return [one for one in self.entries if one.call.target == table]

    def _watch(self, call: AwsCall, proceed: Proceed) -> Any:
        if call.service != "dynamodb":
            self._note(Cost(call, {}, {}))
            return proceed(call.operation, call.params)
        meter = FaithfulMeter(_Calling(proceed), self._designs.get)
        try:
            return meter.call(call.operation, call.params)
        finally:
            self._note(Cost(call, dict(meter.read), dict(meter.written)))

    def _note(self, cost: Cost) -> None:
        with self._lock:
            self.entries.append(cost)


@contextmanager
def costs_at_most(
    *,
    read: Units | None = None,
    write: Units | None = None,
    calls: int | None = None,
    tables: Mapping[str, type[Table]] | None = None,
) -> Iterator[Costs]:
    """Assert that the block consumes no more read and write units than these, in so many calls.

    All calls of AWS count, of a `Store`, or of clients and resources of boto3; what is None has no
    bound. `tables` has designs of tables that are written in transactions, whose indexes a local
    engine does not report.

    Example::

        with costs_at_most(read=0.5, write=0, calls=1):
            handler(event, context)
    """
    costs = Costs(tables)
    with costs.counting():
        yield costs
    found = (
        ("read units", read, costs.read_units),
        ("write units", write, costs.write_units),
        ("calls", calls, len(costs.entries)),
    )
    over = [
        f"{_plain(was)} {what} where {_plain(most)} were allowed"
        for what, most, was in found
        if most is not None and was > Decimal(str(most))
    ]
    if over:
        raise AssertionError(f"{', and '.join(over)}:\n{costs}")


class _Calling:
    def __init__(self, proceed: Proceed) -> None:
        self._proceed = proceed

    def call(self, operation: str, params: Params) -> Params:
        answer: Params = self._proceed(operation, params)
        return answer


def _sum(units: Iterable[Mapping[str, Decimal]]) -> Decimal:
    return sum((amount for one in units for amount in one.values()), Decimal())


def _plain(number: Units) -> str:
    return f"{Decimal(str(number)).normalize():f}"
