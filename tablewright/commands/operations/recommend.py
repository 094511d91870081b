"""Recommend what would make a stage cost less, from the metrics of its last month.

    tablewright recommend --stage prod --region eu-west-1 \\
        --table prod-orders=sales --table prod-events --save usage.json
    tablewright recommend --from usage.json
    tablewright recommend --from usage.json --settings

Prices every hour of each table on demand and provisioned, in either class, reserved and with an
accelerator, and says which combination costs the least; and what else is paid for in vain. Calls
only what describes: `cloudwatch:GetMetricData`, `DescribeAlarms` and `DescribeAlarmHistory`,
`dynamodb:DescribeTable` and `DescribeTimeToLive`, `logs:DescribeLogGroups`, and with --accelerator
`dax:DescribeClusters` and `ListTags`. With --from it needs a file only, such as `usage.json` in the
bucket of a stage's own weekly run.

--settings prints the settings to deploy with, of what is safe; with --all, of everything.

Exit code 0: nothing to recommend; 1: something is; 2: cannot tell.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.commands.numbers import whole
from tablewright.costs.price_lists import PRICE_LISTS, US_EAST_1
from tablewright.costs.prices import InvalidPrices, Prices
from tablewright.designs.description.node import one_line
from tablewright.model.errors import TablewrightError
from tablewright.recommendations import (
    Rules,
    StageUsage,
    read_usage,
    recommendations,
    setting_lines,
    write_usage,
)
from tablewright.recommendations.reading.reader import UsageReader
from tablewright.recommendations.reading.resources import StageResources, TableName
from tablewright.recommendations.report import report, report_lines
from tablewright.recommendations.rules import TERMS
from tablewright.runtime.aws import connect

# Metrics of a month are long answers.
_READ_TIMEOUT = 30


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if bool(options.file) == bool(options.stage):
        parser.error("give either --from, or --stage with --region and --table")
    if options.stage and not (options.region and options.table):
        parser.error("--stage needs --region, and --table for each table")
    try:
        usage = read_usage(options.file) if options.file else _read(options)
        if options.save:
            write_usage(usage, options.save)
        return _tell(usage, _prices(options, usage.region), options)
    except (TablewrightError, BotoCoreError, InvalidPrices, OSError) as error:
        print(one_line(f"Stopped: {error}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _read(options: argparse.Namespace) -> StageUsage:
    session = boto3.session.Session(region_name=options.region)
    resources = StageResources(
        stage=options.stage,
        region=options.region,
        prefix=options.prefix or f"tablewright-{options.stage}-",
        tables=tuple(options.table),
        accelerated=options.accelerator,
        running=options.accelerator is not None,
    )
    reader = UsageReader(
        resources,
        lambda service: connect(
            session, service, endpoint_url=options.endpoint_url, read_timeout=_READ_TIMEOUT
        ),
    )
    before = read_usage(options.before) if options.before else None
    return reader.read(datetime.now(UTC), days=options.days, before=before)


def _prices(options: argparse.Namespace, region: str) -> Prices:
    known = PRICE_LISTS.get(region, US_EAST_1)
    return Prices.from_file(options.prices, base=known) if options.prices else known


def _tell(usage: StageUsage, prices: Prices, options: argparse.Namespace) -> int:
    rules = Rules(
        minimum_saving=options.minimum, commitment_years=options.commit, log_days=options.log_days
    )
    found = recommendations(usage, prices, rules)
    if options.json:
        print(json.dumps(report(usage, prices, found), indent=2))
    elif options.settings:
        print("\n".join(setting_lines(found, safe_only=not options.all)))
    else:
        print("\n".join(report_lines(usage, prices, found)))
    return 1 if found else 0


def _table(text: str) -> TableName:
    name, _, setting_name = text.partition("=")
    if not name:
        raise argparse.ArgumentTypeError("a table is NAME, or NAME=NAME_IN_SETTINGS")
    return TableName(name=name, setting_name=setting_name or name)


def _dollars(text: str) -> Decimal:
    try:
        dollars = Decimal(text)
    except InvalidOperation:
        dollars = Decimal()
    if not (dollars.is_finite() and dollars > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is not a sum of dollars above nothing")
    return dollars


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright recommend",
        description="Recommend what would make a stage cost less.",
        epilog="For example: tablewright recommend --stage dev --region eu-west-1 "
        "--table dev-orders",
    )
    parser.add_argument(
        "--from", dest="file", type=Path, metavar="FILE", help="take usage that was saved"
    )
    parser.add_argument("--stage", metavar="NAME", help="read the usage of this stage from AWS")
    parser.add_argument("--region", help="the stage's region")
    parser.add_argument(
        "--table",
        action="append",
        type=_table,
        metavar="NAME[=NAME]",
        help="a table, and its name in the setting `capacity`; as often as there are tables",
    )
    parser.add_argument(
        "--prefix", help="how log groups, alarms and stacks begin (default: tablewright-STAGE-)"
    )
    parser.add_argument(
        "--accelerator", metavar="TABLE", help="the table that DAX stands before, or could"
    )
    # Points of five minutes are kept for 63 days.
    parser.add_argument(
        "--days", type=whole(1, 60), default=30, help="days to look at (%(default)s)"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the usage to a file")
    parser.add_argument(
        "--before", type=Path, metavar="FILE", help="usage of an earlier day, to see growth"
    )
    parser.add_argument("--prices", type=Path, metavar="FILE", help="prices of your own, in JSON")
    parser.add_argument(
        "--minimum",
        type=_dollars,
        default=Rules.minimum_saving,
        metavar="DOLLARS",
        help="say nothing of smaller savings a month (%(default)s)",
    )
    parser.add_argument(
        "--commit",
        type=int,
        choices=TERMS,
        default=Rules.commitment_years,
        help="years that capacity may be reserved for at most (%(default)s)",
    )
    parser.add_argument(
        "--log-days",
        type=whole(1, 3653),
        default=Rules.log_days,
        help="days that logs are wanted (%(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--settings", action="store_true", help="print settings to deploy with")
    parser.add_argument("--all", action="store_true", help="settings of what is not safe, too")
    parser.add_argument("--endpoint-url", help="where to find AWS, for an emulator")
    return parser
