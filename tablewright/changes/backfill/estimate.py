"""Estimate of a backfill before it is begun: capacity units, dollars and time, from a sample.

Signatures::

    estimate(new, old, table_name, caller, *, sample=2000, segments=4, items=None, secrets=None,
             only_expiry=False, keep_later=False) -> BackfillEstimate
    BackfillEstimate.items, .sampled, .read_units, .write_units, .written   # .written by part
    BackfillEstimate.dollars(prices) -> Decimal
    BackfillEstimate.seconds(rate) -> float
    BackfillEstimate.lines(prices=None, rate=None) -> list[str]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.backfill.entries import index_entries, size_of, units_to_write
from tablewright.changes.backfill.rewriting import Rewriting
from tablewright.costs.prices import Prices
from tablewright.model.capacity import READ_UNIT_BYTES
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.rederivation import NotRederivable
from tablewright.runtime.segments.walk import PAGE, Patient
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# The sample is taken from so many places of the table.
_PLACES = 64
_PAGE_BYTES = 1024 * 1024
_MILLION = 1_000_000
_CENT = Decimal("0.01")
_INFREQUENT = "STANDARD_INFREQUENT_ACCESS"


class BackfillEstimate(NamedTuple):
    """What a backfill would read and write, by a sample of a table's items.

    `outcomes` has how many items of the table would come to what, `written` the write units of the
    table and of each index.
    """

    items: int
    sampled: int
    outcomes: Mapping[str, int]
    read_units: int
    written: Mapping[str, int]
    table_class: str = "STANDARD"

    @property
    def write_units(self) -> int:
        """Write units, of the table and all indexes."""
        return sum(self.written.values())

    def dollars(self, prices: Prices) -> Decimal:
        """What the units cost on demand, in the region that the prices are of."""
        dynamodb = prices.dynamodb
        infrequent = self.table_class == _INFREQUENT
        each = dynamodb.infrequent_access if infrequent else dynamodb.standard
        units = self.write_units * each.write_million + self.read_units * each.read_million
        return units / _MILLION

    def seconds(self, rate: float) -> float:
        """How long it takes at so many units a second, of reads and of writes each."""
        return max(self.read_units, self.write_units) / rate

    def lines(self, prices: Prices | None = None, rate: float | None = None) -> list[str]:
        """What there is to say, for people."""
        by = "all" if self.sampled == self.items else f"a sample of {self.sampled:,}"
        lines = [f"{self.items:,} items, by {by} of them:"]
        lines += [f"  {count:12,} {outcome}" for outcome, count in self.outcomes.items()]
        lines += [f"  {self.read_units:12,} read units"]
        lines += [f"  {units:12,} write units of {part}" for part, units in self.written.items()]
        if prices:
            dollars = self.dollars(prices)
            told = "less than 0.01" if 0 < dollars < _CENT else f"{dollars:,.2f}"
            lines += [f"{told} dollars on demand in {prices.region}, by prices of {prices.dated}"]
        if rate:
            lines += [f"{_duration(self.seconds(rate))} at {rate:g} units a second"]
        return lines


def estimate(
    new: type[Table],
    old: type[Table] | None,
    table_name: str,
    caller: Caller,
    *,
    sample: int = 2000,
    segments: int = 4,
    items: int | None = None,
    secrets: Secrets | None = None,
    only_expiry: bool = False,
    keep_later: bool = False,
) -> BackfillEstimate:
    """What a backfill would cost, by a `sample` of items from all over the table.

    How many items there are is what DynamoDB says, which counts them every six hours, unless it is
    given as `items`. A table that the sample holds all of is counted by it. Retries, and items that
    others change meanwhile, are not in it.

    Example::

        expected = estimate(Orders, OrdersBefore, "dev-orders", caller)
        expected.write_units, expected.dollars(price_list("eu-west-1"))
    """
    caller = Patient(caller)
    rewriting = Rewriting(
        new,
        old,
        table_name,
        caller,
        secrets=secrets,
        only_expiry=only_expiry,
        keep_later=keep_later,
    )
    described = caller.call("DescribeTable", {"TableName": table_name})["Table"]
    found, is_whole = _sample(caller, table_name, sample)
    indexes = index_entries(TableForm.described(described, None))
    outcomes: Counter[str] = Counter()
    written: Counter[str] = Counter()
    read = moved = 0
    for item in found:
        read += size_of(item)
        try:
            rederived = rewriting.of(item)
        except (NotRederivable, SecretUnreadable):
            outcomes["not rederivable"] += 1
            continue
        written += units_to_write(rederived, indexes)
        moved += size_of(rederived.after) if rederived.is_moved else 0
        outcome = "moved" if rederived.is_moved else "rewritten"
        outcomes[outcome if rederived.changed else "unchanged"] += 1
    known = len(found) if is_whole else max(described.get("ItemCount", 0), len(found))
    number = known if items is None else items
    return BackfillEstimate(
        number,
        len(found),
        _scaled(outcomes, number, len(found)),
        _units_to_read(number, read / len(found), moved / len(found), segments) if found else 0,
        _scaled(written, number, len(found)),
        (described.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
    )


def _sample(caller: Caller, table_name: str, size: int) -> tuple[list[Item], bool]:
    """Items from places all over the table, and whether they are all."""
    each = ceil(size / _PLACES)

    def read(place: int) -> tuple[list[Item], bool]:
        found: list[Item] = []
        request: dict[str, Any] = {
            "TableName": table_name,
            "Segment": place,
            "TotalSegments": _PLACES,
        }
        while len(found) < each:
            page = caller.call("Scan", {**request, "Limit": each - len(found)})
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return found, True
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        return found, False

    read_places = in_parallel(read, range(_PLACES))
    found = [item for items, _ in read_places for item in items]
    return found, all(is_whole for _, is_whole in read_places)


def _units_to_read(number: int, each: float, moved: float, segments: int) -> int:
    """Read units of a consistent scan of so many items, each page of which is rounded up.

    Half of what is moved goes to pages that are read only then, and is read once more.
    """
    pages = max(1, number / PAGE / segments, number * each / _PAGE_BYTES / segments)
    again = moved / 2 * (1 - 1 / pages)
    return ceil(number * (each + again) / READ_UNIT_BYTES + pages * segments / 2)


def _scaled(sampled: Counter[str], number: int, size: int) -> dict[str, int]:
    return {name: round(count * number / size) for name, count in sorted(sampled.items())}


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{ceil(seconds)} seconds" if seconds > 1 else "a second"
    return f"{ceil(seconds / 60)} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
