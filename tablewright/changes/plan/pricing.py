"""Pricing of a plan: the units, seconds and dollars of each step, from the size of the table.

Upper bounds: every item counts as one that is in every index and lacks attributes. A sample of the
table shows how many really do (`tablewright backfill --estimate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from tablewright.changes.plan.steps import Estimate, Kind, Step
from tablewright.costs.prices import Prices
from tablewright.model.table import ALL
from tablewright.model.table_form import IndexForm, TableForm

_KB = 1024
_MILLION = 1_000_000


class Size(NamedTuple):
    """What a table holds, how many write units a second may be spent on it, and the replicas that
    each write goes to."""

    items: int
    bytes: int
    write_rate: int = 1000
    read_rate: int = 3000
    replicas: int = 0

    @property
    def average(self) -> int:
        """Bytes of an item."""
        return -(-self.bytes // self.items) if self.items else 0


def priced(
    steps: Sequence[Step], before: TableForm, size: Size, prices: Prices
) -> tuple[Step, ...]:
    """The steps with what each consumes."""
    found = []
    for step in steps:
        found.append(replace(step, estimate=_estimate(step, before, size, prices)))
        before = step.form
    return tuple(found)


def _estimate(step: Step, before: TableForm, size: Size, prices: Prices) -> Estimate:
    scan = -(-size.bytes // (8 * _KB))
    read, written = 0, 0
    if step.kind is Kind.TABLE:
        # DynamoDB reads the table by itself; what it writes to an index is paid for.
        made = (one for name, one in step.form.indexes.items() if name not in before.indexes)
        written = sum(size.items * _entry_units(one, size.average) for one in made)
    elif step.kind is Kind.BACKFILL:
        read = scan
        entries = sum(_entry_units(one, size.average) for one in step.form.indexes.values())
        written = size.items * (_units(size.average) + entries)
    elif step.kind is Kind.REMOVE:
        read, written = scan, size.items * _units(size.average)
    elif step.kind is Kind.VERIFY:
        read = scan * (1 + sum(one.projects == ALL for one in step.form.indexes.values()))
    seconds = max(-(-written // size.write_rate), -(-read // size.read_rate))
    # A replicated write costs what a write does, in each region.
    written *= 1 + size.replicas
    throughput = prices.dynamodb.standard
    dollars = (read * throughput.read_million + written * throughput.write_million) / _MILLION
    return Estimate(read, written, seconds, dollars.quantize(Decimal("0.01")))


def _entry_units(index: IndexForm, average: int) -> int:
    return _units(average) if index.projects == ALL else 1


def _units(size: int) -> int:
    return max(1, -(-size // _KB))
