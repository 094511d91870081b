"""Projections: whether an index costs less with keys alone, whose items are fetched when read."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal

from tablewright.costs.prices import Prices
from tablewright.model.capacity import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from tablewright.recommendations.options import GB, MILLION, months, throughput_prices
from tablewright.recommendations.recommendation import (
    Change,
    Confidence,
    Kind,
    Recommendation,
    weaker,
)
from tablewright.recommendations.rules import confidence
from tablewright.recommendations.usage import KEYS_ONLY, IndexUsage, TableUsage

# What the keys of an entry are taken to have.
KEY_BYTES = 200
# A read that need not be consistent, as all reads of an index are.
_HALF = Decimal("0.5")


def projection_advice(table: TableUsage, prices: Prices) -> Iterator[Recommendation]:
    """Indexes of a table on demand that would cost less if they had keys alone."""
    if table.provisioned or not table.items:
        return
    for index in table.indexes:
        if index.projection in ("", KEYS_ONLY) or not index.items or not index.reads.total:
            continue
        saving = keys_only_saving(table, index, prices)
        sure, basis = confidence(index.writes.consumed)
        yield Recommendation(
            kind=Kind.PROJECTION,
            resource=f"{table.name}/{index.name}",
            reason=f"An entry has {index.stored_bytes // index.items:,} bytes and is written more "
            "than it is read: with keys alone, items fetched when read, it costs less.",
            saving=saving,
            # How many entries were read is told by their size, not counted.
            confidence=weaker(sure, Confidence.MEDIUM),
            basis=f"{basis}; entries read reckoned from their mean size",
            risk="A read takes two requests. A projection is not changed in place: it takes a "
            "second index, and readers that switch to it.",
            changes=(Change(words=f"project keys alone into {index.name}"),),
        )


def keys_only_saving(table: TableUsage, index: IndexUsage, prices: Prices) -> Decimal:
    """Dollars a month that keys alone would save; less than nothing where they would cost more."""
    price = throughput_prices(table.table_class, prices)
    write = price.replicated_write_million if table.replicated else price.write_million
    entry = Decimal(index.stored_bytes) / index.items
    writes = index.writes.total / _units(entry, WRITE_UNIT_BYTES)
    read = index.reads.total / _HALF * READ_UNIT_BYTES / entry
    item = Decimal(table.stored_bytes) / table.items
    fetches = read * _HALF * _units(item, READ_UNIT_BYTES)
    keys = read * _HALF * KEY_BYTES / READ_UNIT_BYTES
    units = (index.writes.total - writes) * write
    units -= (fetches + keys - index.reads.total) * price.read_million
    stored = max(index.stored_bytes - KEY_BYTES * index.items, 0) * price.gb_month / GB
    return units / MILLION * months(table) + stored


def _units(size: Decimal, unit: int) -> Decimal:
    return (size / unit).to_integral_value(ROUND_CEILING)
