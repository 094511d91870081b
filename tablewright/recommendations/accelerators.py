"""Accelerators: what DAX costs before a table, and what is read of the table without it."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from tablewright.costs.accelerator_cost import AcceleratorSize
from tablewright.costs.prices import Prices
from tablewright.recommendations.autoscaling import SECONDS_PER_HOUR
from tablewright.recommendations.rules import Rules
from tablewright.recommendations.usage import (
    AcceleratorUsage,
    IndexUsage,
    InvalidUsage,
    TableUsage,
    Units,
)


def cluster_cost(cluster: AcceleratorUsage, prices: Prices) -> Decimal:
    """Dollars a month of a cluster that runs: its nodes, and the endpoints of its network."""
    size = AcceleratorSize(cluster.node_type, cluster.nodes, cluster.endpoints)
    try:
        return size.monthly(prices)
    except KeyError:
        raise InvalidUsage(
            f"there is no price of {cluster.node_type}: add it to the prices"
        ) from None


def switched(table: TableUsage, cluster: AcceleratorUsage, rules: Rules) -> TableUsage | None:
    """The table as it would be read without a cluster that runs, or with one that does not.

    None where nobody can tell, because what the cluster answered was never read from the table.
    """
    if not cluster.running:
        return _with_reads(table, lambda part, hour: -rules.hit_rate * part.reads.consumed[hour])
    hits, misses = sum(cluster.hits), sum(cluster.misses)
    read = sum((part.reads.total for part in table.parts), Decimal())
    if not hits:
        return table
    if not misses or not read:
        return None
    each = {part.name: part.reads.total / misses for part in table.parts}
    return _with_reads(table, lambda part, hour: cluster.hits[hour] * each[part.name])


def _with_reads(
    table: TableUsage, more: Callable[[TableUsage | IndexUsage, int], Decimal]
) -> TableUsage:
    """The table with more units read in each hour, or fewer."""

    def reads(part: TableUsage | IndexUsage) -> Units:
        old, hours = part.reads, range(table.hours)
        consumed = tuple(old.consumed[hour] + more(part, hour) for hour in hours)
        peak = tuple(
            old.peak[hour] * consumed[hour] / old.consumed[hour]
            if old.consumed[hour]
            else consumed[hour] / SECONDS_PER_HOUR
            for hour in hours
        )
        return replace(old, consumed=consumed, peak=peak)

    indexes = tuple(replace(index, reads=reads(index)) for index in table.indexes)
    return replace(table, reads=reads(table), indexes=indexes)
