"""Plan of a change: the ordered steps that lead a live table from one design to another.

    tablewright plan shop.orders:Orders --from orders.lock.json -o orders.plan.json
    tablewright plan shop.orders:Orders --stage prod -o orders.plan.json

A plan only adds to items until its last steps. It says what each step consumes, which code may run,
and how to go back; `tablewright apply` carries it out. A change that needs more than additions is
refused, with the reasons. Without --from, the old design is the lock file next to the design's
module; without that, the plan starts from the table's own description.

Exit code 0: planned, or there is nothing to do; 1: not in place; 2: cannot tell.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from botocore.exceptions import BotoCoreError

from tablewright.changes.backfill.pace import DEFAULT_RATE
from tablewright.changes.plan.live_table import LiveTable
from tablewright.changes.plan.plan import Plan
from tablewright.changes.plan.planning import NotInPlace, plan_steps
from tablewright.changes.plan.pricing import Size, priced
from tablewright.changes.plan.report import plan_lines
from tablewright.changes.plan.taken_attributes import taken_attributes
from tablewright.commands.changes.earlier import earlier_design, locked_design
from tablewright.commands.changes.renames import add_was, renames_of
from tablewright.commands.changes.stages import Stage, add_stage, told_stage
from tablewright.commands.named import sound_design
from tablewright.commands.numbers import whole
from tablewright.costs.price_lists import UnknownRegion, price_list
from tablewright.designs.description.design import describe
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.node import printable
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.errors import StoreError

_REGION = "us-east-1"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    new: type[Table] = options.design
    stage = told_stage(parser, options, new.__design__.id)
    try:
        old = earlier_design(parser, options.earlier, new) or locked_design(parser, new)
        if old is None and stage is None:
            parser.error(
                "say what to plan from: --from LOCK.json, --from package.module:Old, or a table "
                "that exists, by --stage or --table"
            )
        return _planned(options, new, old, stage, renames_of(parser, options))
    except NotInPlace as error:
        for reason in error.reasons:
            print(printable(reason), file=sys.stderr)
        return 1
    except UnknownRegion as error:
        parser.error(f"{error}: give --region {_REGION} for prices of another one")
    except (BotoCoreError, Indescribable, OSError, StoreError, ValueError) as error:
        parser.error(printable(str(error)))


def _planned(
    options: argparse.Namespace,
    new: type[Table],
    old: type[Table] | None,
    stage: Stage | None,
    was: Mapping[str, str],
) -> int:
    live = LiveTable(stage.caller, stage.table) if stage else None
    there = live.form if live else None
    replicas = len(live.replicas) if live else 0
    steps = plan_steps(
        new,
        old,
        there,
        replicated=bool(replicas),
        was=was,
        remove_attributes=options.remove_attributes,
    )
    if stage and there and not new.__design__.has_secrets:
        reasons = taken_attributes(new, old, stage.table, stage.caller, there, was=was)
        if reasons:
            raise NotInPlace(reasons)
    items, size = live.size if live else (0, 0)
    before = there or TableForm.of((old or new).__design__)
    total = Size(
        items if options.items is None else options.items,
        size if options.bytes is None else options.bytes,
        options.rate,
        replicas=replicas,
    )
    prices = price_list((stage and stage.region) or options.region or _REGION)
    plan = Plan(
        describe(old) if old else None,
        describe(new),
        before,
        priced(steps, before, total, prices),
        was,
    )
    if options.output:
        options.output.write_text(plan.to_text(), encoding="utf-8")
    if options.json:
        print(printable(plan.to_text()), end="")
    elif not plan.steps:
        print(f"{new.__design__.id}: nothing is to be done")
    else:
        print(f"{new.__design__.id}, {total.items:,} items of {total.average:,} bytes:")
        print("\n".join(plan_lines(plan.steps)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright plan",
        description="Say the ordered steps from one design of a live table to another.",
        epilog="For example: tablewright plan shop.orders:Orders --stage prod -o orders.plan.json",
    )
    parser.add_argument("design", type=sound_design, metavar="DESIGN", help="package.module:Name")
    parser.add_argument(
        "--from",
        dest="earlier",
        metavar="LOCK|DESIGN",
        help="the old design: its lock file, or package.module:Name; by default the lock "
        "file next to the design's module, if there is one",
    )
    add_stage(parser)
    parser.add_argument("--items", type=whole(), help="of the table; by default as DynamoDB counts")
    parser.add_argument("--bytes", type=whole(), help="of all items; by default as DynamoDB counts")
    parser.add_argument(
        "--rate",
        type=whole(1),
        default=int(DEFAULT_RATE),
        help="write units a second (%(default)s)",
    )
    add_was(parser)
    parser.add_argument(
        "--remove-attributes",
        action="store_true",
        help="as the last step, remove attributes that only the old design computed",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write it")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
