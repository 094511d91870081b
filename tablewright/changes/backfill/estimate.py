"""Estimate of a backfill before it is begun: capacity units, dollars and time, from a sample.

Signatures::

    estimate(new, old, table_name, caller, *, sample=2000, segments=4, items=None, secrets=None,
             only_expiry=False, keep_later=False, was=None) -> BackfillEstimate
    BackfillEstimate.items, .sampled, .read_units, .write_units, .written   # .written by part
    BackfillEstimate.dollars(prices) -> Decimal
    BackfillEstimate.seconds(rate) -> float
    BackfillEstimate.lines(prices=None, rate=None) -> list[str]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.backfill.additions import Additions, ForeignItem, NotAdditive
from tablewright.changes.backfill.entries import IndexEntries, index_entries, size_of
from tablewright.changes.backfill.item_change import ItemChange, same
from tablewright.changes.backfill.refusals import refuse
from tablewright.costs.prices import Prices
from tablewright.model.capacity import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.segments.walk import PAGE, Patient
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# The sample is taken from so many places of the table.
_PLACES = 64
_PAGE_BYTES = 1024 * 1024
_MILLION = 1_000_000
_TABLE = "table"
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
    was: Mapping[str, str] | None = None,
) -> BackfillEstimate:
    """What a backfill would cost, by a `sample` of items from all over the table.

    How many items there are is what DynamoDB says, which counts them every six hours, unless it is
    given as `items`. A table that the sample holds all of is counted by it. Retries, and items that
    others change meanwhile, are not in it.

    Example::

        expected = estimate(Orders, OrdersBefore, "dev-orders", caller)
        expected.write_units, expected.dollars(price_list("eu-west-1"))
    """
    refuse(new.__design__, old.__design__ if old else None, only_expiry=only_expiry)
    caller = Patient(caller)
    additions = Additions(
        new,
        old,
        table_name,
        caller,
        secrets=secrets,
        only_expiry=only_expiry,
        keep_later=keep_later,
        was=was,
    )
    described = caller.call("DescribeTable", {"TableName": table_name})["Table"]
    found, is_whole = take_sample(caller, table_name, sample)
    indexes = index_entries(TableForm.described(described, None))
    outcomes: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for item in found:
        try:
            change = additions.of(item)
        except (ForeignItem, NotAdditive) as problem:
            outcomes["left" if isinstance(problem, NotAdditive) else "foreign"] += 1
            continue
        outcomes["completed" if change else "unchanged"] += 1
        written += _units_to_write(change, indexes) if change else Counter()
    known = len(found) if is_whole else max(described.get("ItemCount", 0), len(found))
    number = known if items is None else items
    average = sum(map(size_of, found)) / max(1, len(found))
    return BackfillEstimate(
        number,
        len(found),
        _scaled(outcomes, number, len(found)),
        _units_to_read(number, average, segments) if found else 0,
        _scaled(written, number, len(found)),
        (described.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
    )


def take_sample(caller: Caller, table_name: str, size: int) -> tuple[list[Item], bool]:
    """Items from places all over a table, and whether these are all of its items."""
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


def _units_to_write(change: ItemChange, indexes: Sequence[IndexEntries]) -> Counter[str]:
    """The write units of a change, by table and index.

    An entry that gets another key is removed and written, an entry that keeps it is written if it
    shows the change.
    """
    units: Counter[str] = Counter()
    before, after = change.item, change.after
    units[_TABLE] = max(_units(before), _units(after))
    for index in indexes:
        was, is_now = index.of(before), index.of(after)
        if not _same(was, is_now, index.key):
            units[index.name] = sum(_units(entry) for entry in (was, is_now) if entry is not None)
        elif was is not None and is_now is not None and not _same(was, is_now):
            units[index.name] = max(_units(was), _units(is_now))
    return units


def _same(one: Item | None, other: Item | None, names: Iterable[str] | None = None) -> bool:
    if one is None or other is None:
        return one is other
    compared = one.keys() | other.keys() if names is None else names
    return all(same(one.get(name), other.get(name)) for name in compared)


def _units(item: Item) -> int:
    return ceil(size_of(item) / WRITE_UNIT_BYTES)


def _units_to_read(number: int, average: float, segments: int) -> int:
    """Read units of a consistent scan, each page of which is rounded up."""
    pages = max(1, number / PAGE / segments, number * average / _PAGE_BYTES / segments)
    return ceil(number * average / READ_UNIT_BYTES + pages * segments / 2)


def _scaled(sampled: Counter[str], number: int, size: int) -> dict[str, int]:
    return {name: round(count * number / size) for name, count in sorted(sampled.items())}


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{ceil(seconds)} seconds" if seconds > 1 else "a second"
    return f"{ceil(seconds / 60)} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
