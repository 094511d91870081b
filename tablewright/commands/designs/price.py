"""Price of a change: what its steps cost at most, on a table of some size."""

import argparse

from tablewright.changes.backfill.pace import DEFAULT_RATE
from tablewright.changes.compatibility.verdict import Outcome
from tablewright.changes.plan.planning import NotInPlace, plan_steps
from tablewright.changes.plan.pricing import Size, priced
from tablewright.changes.plan.report import in_all
from tablewright.commands.designs.before import Compared
from tablewright.costs.price_lists import UnknownRegion, price_list
from tablewright.costs.prices import Prices
from tablewright.designs.description.errors import Indescribable
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import region_of

_REGION = "us-east-1"
# Outcomes that a plan in place leads to.
_PRICED = (Outcome.READERS_FIRST, Outcome.WRITERS_FIRST)
_ITEMS, _AVERAGE = 1_000_000, 1024


def price_of(table: type[Table], beside: Compared, options: argparse.Namespace) -> str | None:
    """What it takes to get from what was before to a design, None where that cannot be said."""
    if beside.verdict.outcome not in _PRICED:
        return None
    try:
        old = beside.old
        there = beside.there.form if beside.there else None
        replicas = beside.there.replicas if beside.there else ()
        steps = plan_steps(table, old, there, replicated=bool(replicas), was=options.was)
        prices = _prices(beside, options)
    except NotInPlace:
        return None  # the verdict says so by itself
    except (Indescribable, UnknownRegion, ValueError):
        return None  # a function of the old design is gone, or the region has no prices
    before = there or TableForm.of((old or table).__design__)
    size = _size(beside, options)
    done = priced(steps, before, size, prices)
    if not done:
        return None
    return f"{table.__name__}, {size.items:,} items of {size.average:,} bytes: {in_all(done)}"


def _prices(beside: Compared, options: argparse.Namespace) -> Prices:
    there = region_of(beside.there.described) if beside.there else ""
    try:
        return price_list(options.region or there or _REGION)
    except UnknownRegion:
        if options.region:
            raise
        return price_list(_REGION)  # the table is on an engine


def _size(beside: Compared, options: argparse.Namespace) -> Size:
    counted = beside.there.described if beside.there else {}
    items = counted.get("ItemCount", _ITEMS) if options.items is None else options.items
    size = counted.get("TableSizeBytes") if options.bytes is None else options.bytes
    replicas = len(beside.there.replicas) if beside.there else 0
    return Size(
        items, items * _AVERAGE if size is None else size, int(DEFAULT_RATE), replicas=replicas
    )
