"""An index that is written more than it is read should have keys alone, and no other."""

from dataclasses import replace
from decimal import Decimal
from math import ceil
from typing import NamedTuple

import pytest

from tablewright.costs.price_lists import US_EAST_1
from tablewright.recommendations import (
    Confidence,
    Kind,
    Recommendation,
    Rules,
    TableUsage,
    recommendations,
)
from tests.unit.recommendations.months import GB, HOURS, daily, index, stage, table, units

MONTH = Decimal(730) / HOURS
# One busy hour a day is cheapest on demand.
BUSY = (1, *(0,) * 23)


class Month(NamedTuple):
    """What is done each second of the busy hour, to entries and items of these sizes."""

    entries_written: int
    read_units: int
    entry_bytes: int
    item_bytes: int
    items: int = 1_000_000

    @property
    def usage(self) -> TableUsage:
        entry_units = ceil(self.entry_bytes / 1024)
        own = index(
            writes=units(daily(*(self.entries_written * entry_units * hour for hour in BUSY))),
            reads=units(daily(*(self.read_units * hour for hour in BUSY))),
            stored_bytes=self.entry_bytes * self.items,
            items=self.items,
            projection="ALL",
        )
        size = self.item_bytes * self.items
        return table(stored_bytes=size, items=self.items, indexes=(own,))

    def costs(self, *, keys_alone: bool) -> Decimal:
        """The index's month, entry by entry."""
        seconds = 28 * 3600 * MONTH
        entry = 200 if keys_alone else self.entry_bytes
        written = self.entries_written * ceil(entry / 1024) * seconds
        read_entries = Decimal(self.read_units * 8192) / self.entry_bytes * seconds
        read = read_entries * entry / 8192
        if keys_alone:
            read += read_entries * ceil(self.item_bytes / 4096) / 2
        price = US_EAST_1.dynamodb.standard
        stored = Decimal(entry * self.items) / GB * price.gb_month
        return (written * price.write_million + read * price.read_million) / 10**6 + stored


MONTHS = {
    "large entries, seldom read": Month(100, 5, 3000, 3000),
    "large entries, often read": Month(10, 5000, 3000, 3000),
    "entries of one unit": Month(100, 5, 900, 900),
    "entries of a little more": Month(100, 5, 1100, 1100),
    "entries of a little more, read": Month(10, 500, 1100, 1100),
    "a few attributes of large items": Month(50, 5, 1500, 200_000),
    "a few attributes of large items, read": Month(50, 50, 1500, 200_000),
}


def advised(one: TableUsage) -> list[Recommendation]:
    found = recommendations(stage(one), US_EAST_1, Rules(commitment_years=0))
    return [one for one in found if one.kind is Kind.PROJECTION]


@pytest.mark.parametrize("name", MONTHS)
def test_the_cheaper_of_both_projections_is_advised(name: str) -> None:
    month = MONTHS[name]
    saving = month.costs(keys_alone=False) - month.costs(keys_alone=True)
    found = advised(month.usage)
    assert bool(found) == (saving >= 1)
    for one in found:
        assert abs(one.saving - saving) < Decimal("0.01")
        assert one.confidence is Confidence.MEDIUM
        assert not one.safe


def test_both_answers_are_among_the_months() -> None:
    assert {bool(advised(month.usage)) for month in MONTHS.values()} == {True, False}


@pytest.mark.parametrize("change", ["keys alone", "unknown", "never read", "provisioned", "empty"])
def test_nothing_is_said_where_nothing_can_be(change: str) -> None:
    one = MONTHS["large entries, seldom read"].usage
    (own,) = one.indexes
    if change == "keys alone":
        own = replace(own, projection="KEYS_ONLY")
    elif change == "unknown":
        own = replace(own, projection="")
    elif change == "never read":
        own = replace(own, reads=units(daily(0)))
    elif change == "empty":
        own = replace(own, items=0)
    changed = replace(one, indexes=(own,))
    if change == "provisioned":
        flat = units(daily(0), provisioned=(1,) * HOURS)
        own = replace(own, reads=replace(own.reads, provisioned=(9000,) * HOURS),
                      writes=replace(own.writes, provisioned=(9000,) * HOURS))  # fmt: skip
        changed = replace(one, reads=flat, writes=flat, indexes=(own,))
    assert advised(changed) == []


def test_a_table_that_should_be_provisioned_is_that_first() -> None:
    steady = units(daily(300))
    busy = MONTHS["large entries, seldom read"].usage
    one = replace(busy, indexes=(replace(busy.indexes[0], writes=steady, reads=units(daily(5))),))
    kinds = {each.kind for each in recommendations(stage(one), US_EAST_1)}
    assert Kind.CAPACITY in kinds
    assert Kind.PROJECTION not in kinds
