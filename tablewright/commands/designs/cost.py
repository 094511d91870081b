"""Cost of a design: dollars a month by part, on demand, provisioned and reserved.

    tablewright cost shop.orders:Orders --example > traffic.toml
    tablewright cost shop.orders:Orders --traffic traffic.toml --region eu-west-1
    tablewright cost shop.orders:Orders --traffic traffic.toml --base origin/main --fail-above 10%

The traffic file says how often each pattern is used and what is kept. Capacity units are computed
from the sizes of items, or taken of the measurements that the file names. With --base, the design
of another git revision is priced as well, and what differs is shown by part.

Exit code 0: priced; 1: it costs more by more than --fail-above; 2: cannot tell.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

from tablewright.commands.designs.revision import UnknownRevision, json_at
from tablewright.commands.named import design_place, table_design
from tablewright.costs.estimates.estimate import estimate
from tablewright.costs.estimates.report import (
    Report,
    as_json,
    difference_lines,
    estimate_lines,
    rise,
)
from tablewright.costs.estimates.traffic import InvalidTraffic
from tablewright.costs.estimates.traffic_example import traffic_example
from tablewright.costs.estimates.traffic_file import read_traffic
from tablewright.costs.measuring import InvalidMeasurements, read_measurements
from tablewright.costs.price_lists import US_EAST_1, UnknownRegion, price_list
from tablewright.costs.prices import InvalidPrices, Prices
from tablewright.designs.description.node import one_line


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.example:
        print(traffic_example(table_design(options.design).__design__), end="")
        return 0
    if not options.traffic:
        parser.error("give --traffic FILE; --example prints one for the design")
    if options.fail_above is not None and not (options.base or options.against):
        parser.error("--fail-above needs something to compare with: --base or --against")
    try:
        return _priced(options)
    except (InvalidTraffic, InvalidPrices, InvalidMeasurements, UnknownRevision) as error:
        parser.error(one_line(str(error)))
    except UnknownRegion as error:
        parser.error(f"{error}: --region us-east-1 --prices FILE")


def _priced(options: argparse.Namespace) -> int:
    now, lines = _report(options, options.design, skip_unknown=options.skip_unknown)
    before, name = None, ""
    if options.against:
        name = options.against
        before, _ = _report(options, name, skip_unknown=True)
    elif options.base:
        name = options.base
        before = json_at(name, options.design, _same_command(options))
    if options.json:
        print(json.dumps({**now, "before": before} if before else now, indent=2))
    else:
        print("\n".join(lines))
        if before:
            print("\n" + "\n".join(difference_lines(before, now, name)))
    if before and options.fail_above is not None and rise(before, now) > options.fail_above:
        print(
            f"{options.design} costs {rise(before, now):.1f}% more than {name}, on demand: "
            f"{now['on_demand']} after {before['on_demand']}",
            file=sys.stderr,
        )
        return 1
    return 0


def _report(
    options: argparse.Namespace, place: str, *, skip_unknown: bool
) -> tuple[Report, list[str]]:
    table = table_design(place)
    design = table.__design__
    read = read_traffic(options.traffic, design, skip_unknown=skip_unknown)
    traffic = read.traffic
    for name in read.left_out:
        print(f"{place} has no {name}: left out", file=sys.stderr)
    if untold := [name for name in design.patterns if name not in traffic.patterns]:
        print(f"{place}: no traffic is told of {', '.join(untold)}", file=sys.stderr)
    prices = _prices(options, options.region or traffic.region or US_EAST_1.region)
    measured = None
    if traffic.measured:
        measured = read_measurements(options.traffic.parent / traffic.measured)
    found = estimate(design, traffic, prices, measured)
    report = as_json(found, place, str(sys.modules[table.__module__].__file__), traffic, prices)
    return report, list(estimate_lines(found, place, traffic, prices))


def _prices(options: argparse.Namespace, region: str) -> Prices:
    known = price_list(region)
    if not options.prices:
        return known
    try:
        return Prices.from_file(options.prices, base=known)
    except OSError as error:
        raise InvalidPrices(f"{options.prices} cannot be read: {error.strerror}") from None


def _same_command(options: argparse.Namespace) -> list[str]:
    same = ["cost", options.design, "--skip-unknown", "--json"]
    same += ["--traffic", str(options.traffic.resolve())]
    same += ["--region", options.region] if options.region else []
    return same + (["--prices", str(options.prices.resolve())] if options.prices else [])


def _percent(text: str) -> Decimal:
    try:
        percent = Decimal(text.removesuffix("%"))
    except InvalidOperation:
        percent = Decimal("NaN")
    if not percent.is_finite() or percent < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no percentage: give it as 10%")
    return percent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright cost",
        description="Say what a design costs a month, by part, from its traffic.",
        epilog="For example: tablewright cost shop.orders:Orders --traffic traffic.toml",
    )
    parser.add_argument(
        "design", type=design_place, metavar="DESIGN", help="as package.module:Name"
    )
    parser.add_argument(
        "--example", action="store_true", help="print a traffic file for the design, to change"
    )
    parser.add_argument("--traffic", type=Path, metavar="FILE", help="a file of TOML")
    parser.add_argument("--region", help="by default that of the file, or us-east-1")
    parser.add_argument(
        "--prices", type=Path, metavar="FILE", help="a file of JSON that replaces prices"
    )
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--base", metavar="REV", help="compare with the design of a git revision, such as main"
    )
    other.add_argument(
        "--against", type=design_place, metavar="DESIGN", help="compare with another design"
    )
    parser.add_argument(
        "--fail-above",
        type=_percent,
        metavar="PERCENT",
        help="end with 1 if it costs more by more than that, on demand",
    )
    parser.add_argument(
        "--skip-unknown",
        action="store_true",
        help="leave out patterns and entities that the design does not have, and tell of them",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
