"""Bill: what a system costs a month in all.

``python -m docs.bill forms --region eu-west-1`` prints it; `make docs` writes the page on costs.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from docs.bills.forms import FORMS
from docs.bills.healing import HEALING
from docs.bills.page import COMPARED, PAGE, Section, page, side_by_side
from docs.bills.portal import PORTAL
from docs.bills.sales import SALES
from docs.bills.sentiment import SENTIMENT
from docs.bills.system import BillScale, Lines, System
from docs.idle_cost import REPLICATED, STAGES, Template, idle_cost, templates_of
from tablewright.constructs import Protection
from tablewright.costs.bill import whole_bill
from tablewright.costs.price_lists import PRICE_LISTS
from tablewright.costs.prices import HOURS_PER_MONTH, Prices
from tablewright.pages.archive_cost import archive_bill

SYSTEMS = {system.name: system for system in (SENTIMENT, FORMS, PORTAL, HEALING, SALES)}
# What every system needs beside itself.
SHARED = ("identity", "operations")

CENT = Decimal("0.01")

Stacks = Mapping[str, Template]


def copies_kept() -> int:
    """Whole copies of a table that prod keeps."""
    backups = Protection.protected().backups
    return backups.copies if backups else 0


def own_stacks(system: System, stacks: Stacks) -> Iterator[Template]:
    """What a system owns of the templates of prod, and what all systems share."""
    for name, template in stacks.items():
        owner = name.split("-", 2)[-1]
        if owner in SHARED:
            yield template
        elif owner == system.stack:
            found = template.get("Resources", {}).items()
            yield {"Resources": {id: resource for id, resource in found if system.owns(id)}}


def standing(system: System, scale: BillScale, prices: Prices, stacks: Stacks) -> Lines:
    """Dollars a month by line of what stands, used or not."""
    fixed = idle_cost(own_stacks(system, stacks), prices)
    lines = {name: cost for name, cost in fixed.items() if name != "in all"}
    if size := scale.accelerator:
        nodes = size.nodes * HOURS_PER_MONTH * prices.dax_node_hour[size.node_type]
        lines["nodes of the accelerator"] = nodes
        lines["endpoints of its network"] = size.monthly(prices) - nodes
    return lines


def published_scope(
    system: System, scale: BillScale, prices: Prices, stacks: Stacks
) -> dict[str, Decimal]:
    """The bill of what the document's bill has, by its lines, and in all."""
    fixed = standing(system, scale, prices, stacks)
    costs = {line.name: line.dollars(prices, fixed).quantize(CENT) for line in scale.lines}
    return {**costs, "in all": sum(costs.values(), Decimal())} if costs else {}


def bill_of(system: System, scale: BillScale, prices: Prices, stacks: Stacks) -> dict[str, Decimal]:
    """The whole bill of a system at a scale; `stacks` are prod's."""
    lines = dict(standing(system, scale, prices, stacks))
    if scale.archived:
        lines["archive"] = archive_bill(*scale.archived, prices)["total"]
    return whole_bill(
        fixed=lines,
        tables=scale.tables,
        services=scale.services,
        prices=prices,
        copies=copies_kept(),
    )


def bills(system: System, prices: Prices, stacks: Stacks) -> dict[str, dict[str, Decimal]]:
    """The whole bills of a system by scale."""
    return {scale.name: bill_of(system, scale, prices, stacks) for scale in system.scales}


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
    found = bills(system, prices, templates_of(*STAGES[REPLICATED]))
    shown = {asked.scale: found[asked.scale]} if asked.scale else found
    sys.stdout.write(side_by_side(shown) + "\n")


def write(stacks: Stacks) -> Path:
    """Write the page on costs; gives its path."""
    PAGE.write_text(text(stacks))
    return PAGE


def text(stacks: Stacks) -> str:
    """The page on costs."""
    home = COMPARED[0]
    sections = [
        Section(
            system,
            [published_scope(system, scale, home, stacks) for scale in system.scales],
            {prices.region: bills(system, prices, stacks) for prices in COMPARED},
        )
        for system in SYSTEMS.values()
    ]
    return page(sections, copies_kept())


if __name__ == "__main__":
    main(sys.argv[1:])
