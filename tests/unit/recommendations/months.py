"""Synthetic months, and the cheapest way to run them, found by trying everything.

Written apart from the library: plain loops over every bound, target, class, mode, reservation and
accelerator, each hour priced by itself. Loads are whole units a second, so that all is exact.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from tablewright.costs.prices import Prices
from tablewright.recommendations import (
    AcceleratorUsage,
    IndexUsage,
    StageUsage,
    TableUsage,
    Units,
)

DAYS = 28
HOURS = DAYS * 24
GB = 10**9


def units(rates: Sequence[int], peaks: Sequence[int] = (), **more: Any) -> Units:
    """So many units a second in each hour; the busiest five minutes like the rest of it."""
    return Units(
        consumed=tuple(Decimal(rate * 3600) for rate in rates),
        peak=tuple(Decimal(peak) for peak in peaks or rates),
        **more,
    )


def daily(*hours: int) -> list[int]:
    """A day that repeats itself; of fewer hours than 24, over and over."""
    return [hours[hour % 24 % len(hours)] for hour in range(HOURS)]


NONE = units(daily(0))


def table(name: str = "t", **more: Any) -> TableUsage:
    usual: dict[str, Any] = {"reads": NONE, "writes": NONE, "stored_bytes": 0}
    return TableUsage(**{"name": name, "setting_name": name, **usual, **more})


def index(name: str = "i", **more: Any) -> IndexUsage:
    return IndexUsage(**{"name": name, "reads": NONE, "writes": NONE, "stored_bytes": 0, **more})


def stage(*tables: TableUsage, **more: Any) -> StageUsage:
    usual: dict[str, Any] = {"stage": "test", "region": "us-east-1", "ended": "2026-06-30"}
    return StageUsage(**{**usual, "hours": HOURS, "tables": tables, **more})


class Way(NamedTuple):
    """One way to run one table: what it costs, and the units of each hour that can be reserved."""

    dollars: Decimal
    reads: list[int]
    writes: list[int]


def as_is(usage: StageUsage, prices: Prices) -> Decimal:
    """What the stage's tables and accelerators cost now."""
    tables = sum((run_now(one, prices).dollars for one in usage.tables), Decimal())
    return tables + sum(
        (cluster(one, prices) for one in usage.accelerators if one.running), Decimal()
    )


def cheapest(usage: StageUsage, prices: Prices, years: int = 1) -> Decimal:
    """The least that they can cost."""
    return min(everything(usage, prices, years))


def everything(usage: StageUsage, prices: Prices, years: int) -> Iterator[Decimal]:
    for switches in product((False, True), repeat=len(usage.accelerators)):
        tables = {one.name: one for one in usage.tables}
        fixed = Decimal()
        for one, switch in zip(usage.accelerators, switches, strict=True):
            if switch:
                tables[one.table] = reread(tables[one.table], one)
            if one.running != switch:
                fixed += cluster(one, prices)
        for ways in product(*(ways_of(one, prices) for one in tables.values())):
            dollars = sum((way.dollars for way in ways), fixed)
            yield dollars
            for term in (1, 3):
                if term <= years:
                    yield dollars - reserved(ways, prices, term)


def reserved(ways: Sequence[Way], prices: Prices, years: int) -> Decimal:
    price = prices.dynamodb.reserved_1_year if years == 1 else prices.dynamodb.reserved_3_years
    assert price
    standard = prices.dynamodb.standard
    found = Decimal()
    for hours, unit, upfront, hourly in (
        ([way.reads for way in ways], standard.read_unit_hour, price.read_upfront, price.read_hour),
        (
            [way.writes for way in ways],
            standard.write_unit_hour,
            price.write_upfront,
            price.write_hour,
        ),
    ):
        together = [sum(hour) for hour in zip(*(one or [0] * HOURS for one in hours), strict=True)]
        savings = []
        for hundreds in range(max(together) // 100 + 2):
            used = sum(min(hour, 100 * hundreds) for hour in together)
            paid = hundreds * (upfront / 12 / years + 730 * hourly)
            savings.append(used * unit * 730 / HOURS - paid)
        found += max(savings)
    return found


def ways_of(one: TableUsage, prices: Prices) -> list[Way]:
    found = [run_now(one, prices)]
    reads = bounds(tuple(part.reads for part in one.parts))
    writes = bounds(tuple(part.writes for part in one.parts))
    for name in ("STANDARD", "STANDARD_INFREQUENT_ACCESS"):
        found += [on_demand(one, prices, name), provisioned(one, prices, name, reads, writes)]
    return found


def run_now(one: TableUsage, prices: Prices) -> Way:
    if not one.writes.provisioned:
        return on_demand(one, prices, one.table_class)
    reads = [sum(hour) for hour in zip(*(p.reads.provisioned for p in one.parts), strict=True)]
    writes = [sum(hour) for hour in zip(*(p.writes.provisioned for p in one.parts), strict=True)]
    return provisioned(one, prices, one.table_class, reads, writes)


def priced(prices: Prices, name: str) -> Any:
    both = prices.dynamodb
    return both.standard if name == "STANDARD" else both.infrequent_access


def on_demand(one: TableUsage, prices: Prices, name: str) -> Way:
    price = priced(prices, name)
    dollars = Decimal(sum(part.stored_bytes for part in one.parts)) / GB * price.gb_month
    for part in one.parts:
        for read, write in zip(part.reads.consumed, part.writes.consumed, strict=True):
            hour = (read * price.read_million + write * price.write_million) / 10**6
            dollars += hour * 730 / HOURS
    return Way(dollars, [], [])


def provisioned(
    one: TableUsage, prices: Prices, name: str, reads: list[int], writes: list[int]
) -> Way:
    price = priced(prices, name)
    dollars = Decimal(sum(part.stored_bytes for part in one.parts)) / GB * price.gb_month
    for read, write in zip(reads, writes, strict=True):
        hour = read * price.read_unit_hour + write * price.write_unit_hour
        dollars += hour * 730 / HOURS
    return Way(dollars, reads, writes) if name == "STANDARD" else Way(dollars, [], [])


@cache
def bounds(parts: tuple[Units, ...]) -> list[int]:
    """Capacity by the hour, of the cheapest target and least capacity that serve all parts."""
    best: list[int] | None = None
    for target in (40, 50, 60, 70):
        for least in range(1, 1 + max(1, *(-(-int(max(p.peak)) * 100 // target) for p in parts))):
            hours = [simulated(part, target, least) for part in parts]
            if all(hours):
                summed = [sum(one) for one in zip(*(found or [] for found in hours), strict=True)]
                best = min(best or summed, summed, key=sum)
                break  # more costs more
    assert best is not None
    return best


def simulated(part: Units, target: int, least: int) -> list[int] | None:
    """What is paid for in each hour; None where a rise is not served."""
    means = [int(one) // 3600 for one in part.consumed]
    peaks = [int(one) for one in part.peak]
    paid = []
    for hour, (mean, peak) in enumerate(zip(means, peaks, strict=True)):
        level = max(least, -(-peak * 100 // target), -(-mean * 100 // target))
        if hour:
            level = max(level, -(-means[hour - 1] * 100 // target))
            quiet = min(means[hour - 1], mean)
            there = max(least, -(-quiet * 100 // target))
            # c + (c - quiet) * 300 / 240 has to be as much as the peak.
            if 9 * there - 5 * quiet < 4 * peak:
                return None
        paid.append(level)
    return paid


def cluster(one: AcceleratorUsage, prices: Prices) -> Decimal:
    nodes = 730 * one.nodes * prices.dax_node_hour[one.node_type]
    return nodes + 730 * one.endpoints * prices.network.endpoint_hour


def reread(one: TableUsage, accelerator: AcceleratorUsage) -> TableUsage:
    """A table without indexes whose reads an accelerator answers, or no longer does."""
    assert not one.indexes
    rates = [int(hour) // 3600 for hour in one.reads.consumed]
    if not accelerator.running:
        changed = [rate - rate * 4 // 5 for rate in rates]
    else:
        each = Decimal(sum(rates) * 3600) / (sum(accelerator.misses) or 1)
        more = [int(hits * each) // 3600 for hits in accelerator.hits]
        changed = [rate + one for rate, one in zip(rates, more, strict=True)]
    return table(
        one.name,
        reads=units(changed, provisioned=one.reads.provisioned),
        writes=one.writes,
        stored_bytes=one.stored_bytes,
    )
