"""Chapter on monthly costs of a table's page."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.measuring import Measurement, units_each
from tablewright.costs.monthly_cost import (
    Usage,
    Workload,
    bill,
    monthly,
    stored_bytes,
    table_bytes,
)
from tablewright.costs.prices import Prices
from tablewright.model import Design, Record
from tablewright.pages.markdown import table


class Use(NamedTuple):
    """An access pattern that is used so many times a month, at the cost of this scenario."""

    pattern: str
    what: str
    times: int


class Kept(NamedTuple):
    """So many items like this one."""

    entity: str
    record: Record
    number: int


class Scale(NamedTuple):
    """A size that the table is used at."""

    name: str
    uses: Sequence[Use]
    kept: Sequence[Kept]
    replicas: int = 0


def of_one_kind(design: Design, workload: Workload, reads: str, prices: Prices) -> Iterator[str]:
    """The costs of a table with one kind of item; `reads` says what the workload's reads are."""
    entity = design.entity_list[0]
    costs = monthly(design, entity.name, entity.check(entity.example), workload, prices)
    yield (
        f"{workload.items_per_day:,} new items a day are {workload.items_per_year:,} a year and "
        f"{workload.items_kept:,} kept over {workload.years} years. With {reads}, on demand, at "
        f"the prices of {prices.region} of {prices.dated}, the table at its full size costs:"
    )
    yield table(("", "US dollars a month"), ((name, str(cost)) for name, cost in costs.items()))
    yield "Replicas, backups, streams and contributor insights are not in these figures."


def at_scales(
    design: Design,
    measured: Sequence[Measurement],
    scales: Sequence[Scale],
    prices: Prices,
    *,
    says: str,
    leaves_out: str,
) -> Iterator[str]:
    """What is done a month at each scale, and what that costs; `says` is what the scales are."""
    yield says
    times = [{(use.pattern, use.what): use.times for use in scale.uses} for scale in scales]
    rows = []
    for pattern, what in ((m["pattern"], m["what"]) for m in measured):
        if not any((pattern, what) in scale for scale in times):
            continue
        units = (f"{each:f}" for each in _each(measured, pattern, what))
        used = (f"{scale.get((pattern, what), 0):,}" for scale in times)
        rows.append((f"`{pattern}`", what, *units, *used))
    head = ("pattern", "of", "read units each", "write units each")
    yield table((*head, *(f"{scale.name}, a month" for scale in scales)), rows)
    bills = [bill(usage(design, measured, scale), prices) for scale in scales]
    yield f"On demand, at the prices of {prices.region} of {prices.dated}, in US dollars a month:"
    yield table(
        ("", *(scale.name for scale in scales)),
        ((name, *(one[name] for one in bills)) for name in bills[0]),
    )
    yield leaves_out


def usage(design: Design, measured: Sequence[Measurement], scale: Scale) -> Usage:
    """A month at this scale, by the units that were measured."""
    units = [(use.times, *_each(measured, use.pattern, use.what)) for use in scale.uses]
    return Usage(
        read_units=sum((times * read for times, read, _ in units), Decimal()),
        write_units=sum((times * write for times, _, write in units), Decimal()),
        stored_bytes=sum(stored_bytes(design, e, record) * n for e, record, n in scale.kept),
        backed_up_bytes=sum(table_bytes(design, e, record) * n for e, record, n in scale.kept),
        replicas=scale.replicas,
    )


def _each(measured: Sequence[Measurement], pattern: str, what: str) -> tuple[Decimal, Decimal]:
    """Read and write units of one use."""
    (found,) = (m for m in measured if (m["pattern"], m["what"]) == (pattern, what))
    return units_each(found)
