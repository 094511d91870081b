"""Bill: what a system costs a month in all.

``python -m docs.bill forms --region eu-west-1`` prints it; `make docs` writes the page on costs.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from docs.bills.forms import FORMS
from docs.bills.page import COMPARED, PAGE, page, side_by_side
from docs.bills.portal import PORTAL
from docs.bills.sales import SALES
from docs.bills.sentiment import SENTIMENT
from docs.bills.system import BillScale, System
from docs.idle_cost import ACCELERATED, REPLICATED, STAGES, Template, idle_cost, templates_of
from tablewright.constructs import Protection
from tablewright.costs.bill import whole_bill
from tablewright.costs.price_lists import PRICE_LISTS
from tablewright.costs.prices import Prices
from tablewright.pages.archive_cost import archive_bill

SYSTEMS = {system.name: system for system in (FORMS, SENTIMENT, SALES, PORTAL)}
# What every system needs beside itself.
SHARED = ("identity", "operations")

Stacks = Mapping[str, Template]


def copies_kept() -> int:
    """Whole copies of a table that prod keeps: of each day, and of each month of a year."""
    backups = Protection.protected().backups
    assert backups  # noqa: S101 - for the type checker
    return backups.daily_days + backups.monthly_days // 30


def own_stacks(system: System, stacks: Stacks) -> Iterator[Template]:
    """The templates of a system and of what all share; in all regions, where it stands there."""
    for name, template in stacks.items():
        _, _, owner, *region = name.split("-")
        if owner in (system.name, *SHARED) and (system.regions or not region):
            yield template


def bill_of(system: System, scale: BillScale, prices: Prices, stacks: Stacks) -> dict[str, Decimal]:
    """The bill of a system at a scale; `stacks` are prod's, accelerated where the scale is."""
    fixed = idle_cost(own_stacks(system, stacks), prices)
    lines = {name: cost for name, cost in fixed.items() if name != "in all"}
    if scale.archived:
        lines["archive"] = archive_bill(*scale.archived, prices)["total"]
    return whole_bill(
        fixed=lines,
        tables=scale.tables,
        services=scale.services,
        prices=prices,
        copies=copies_kept(),
    )


def bills(
    system: System, prices: Prices, plain: Stacks, accelerated: Stacks
) -> dict[str, dict[str, Decimal]]:
    """The bills of a system by scale."""
    return {
        scale.name: bill_of(system, scale, prices, accelerated if scale.accelerated else plain)
        for scale in system.scales
    }


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.bill", description=__doc__)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--region", choices=PRICE_LISTS, default="us-east-1")
    parser.add_argument("--scale", help="one of the system's scales, all by default")
    parser.add_argument("--prices", type=Path, help="a file of JSON that replaces prices")
    asked = parser.parse_args(arguments)
    prices = PRICE_LISTS[asked.region]
    if asked.prices:
        prices = Prices.from_file(asked.prices, base=prices)
    system = SYSTEMS[asked.system]
    names = [scale.name for scale in system.scales]
    if asked.scale and asked.scale not in names:
        parser.error(f"{system.name} has no scale {asked.scale}, but: {'; '.join(names)}")
    plain, accelerated = (templates_of(*STAGES[name]) for name in (REPLICATED, ACCELERATED))
    found = bills(system, prices, plain, accelerated)
    shown = {asked.scale: found[asked.scale]} if asked.scale else found
    sys.stdout.write(side_by_side(shown) + "\n")


def write(plain: Stacks, accelerated: Stacks) -> Path:
    """Write the page on costs; gives its path."""
    PAGE.write_text(text(plain, accelerated))
    return PAGE


def text(plain: Stacks, accelerated: Stacks) -> str:
    """The page on costs."""
    sections = [
        (
            system,
            {prices.region: bills(system, prices, plain, accelerated) for prices in COMPARED},
        )
        for system in SYSTEMS.values()
    ]
    return page(sections, copies_kept())


if __name__ == "__main__":
    main(sys.argv[1:])
