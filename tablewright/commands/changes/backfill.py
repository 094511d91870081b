"""Write the items of a live table as its new design writes them.

    tablewright backfill shop.orders:Orders --table NAME --region REGION --from orders.lock.json \\
        --estimate

Programs go on meanwhile: each item is written only if it is as it was read, and whoever writes it
first wins. Can be stopped at any moment and started again: it goes on where it was. Ends with 0,
with 1 when items were left that somebody must look at, with 2 when it could not go on.
"""

import argparse
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill
from tablewright.changes.backfill.estimate import estimate
from tablewright.changes.backfill.refusals import NotBackfillable
from tablewright.commands.changes.earlier import earlier_design
from tablewright.commands.changes.live_table import add_table_options, mark_of, secrets_of
from tablewright.commands.items import segments
from tablewright.commands.numbers import whole
from tablewright.costs.price_lists import UnknownRegion, price_list
from tablewright.costs.prices import Prices
from tablewright.runtime.aws import Caller
from tablewright.runtime.segments.progress import Progress

_IF_IT_WERE_DONE = {"rewritten": "would be rewritten where they are", "moved": "would be moved"}


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    options.earlier = earlier_design(parser, options.earlier, options.design)
    work = {
        "secrets": secrets_of(parser, options, options.design, options.earlier),
        "only_expiry": options.only == "ttl",
        "keep_later": options.keep_later,
    }
    try:
        return segments.carry_out(lambda: _run(options, work))
    except NotBackfillable as error:
        parser.error(str(error))


def _run(options: argparse.Namespace, work: dict[str, Any]) -> int:
    caller = segments.patient_caller(options)
    designs = (options.design, options.earlier)
    if options.estimate:
        expected = estimate(
            *designs,
            options.table,
            caller,
            sample=options.sample,
            segments=options.segments,
            **work,
        )
        print("\n".join(expected.lines(_prices(options.region), options.rate)))
        return 0
    return _backfill(options, caller, work)


def _backfill(options: argparse.Namespace, caller: Caller, work: dict[str, Any]) -> int:
    described = caller.call("DescribeTable", {"TableName": options.table})["Table"]
    progress = _progress(options)
    backfill = Backfill(
        options.design,
        options.earlier,
        options.table,
        caller,
        rate=options.rate,
        progress=progress,
        dry_run=options.dry_run,
        **work,
    )
    done = sum(progress.counts.values())
    # DynamoDB counts its items about every six hours, so the end may come early or late.
    with tqdm(total=described["ItemCount"] or None, initial=done, unit="item") as bar:
        counts = backfill.run(bar)
    progress.finish()
    words = {**OUTCOMES, **_IF_IT_WERE_DONE} if options.dry_run else OUTCOMES
    segments.summary(counts, words, dry_run=options.dry_run)
    for one in backfill.reasons:
        segments.say(f"{one.number} {one.outcome}: {one.text} ({one.example})")
    read, written = (f"{n:,.0f}" for n in (backfill.units.read_units, backfill.units.write_units))
    segments.say(f"{read} read units and {written} write units, as DynamoDB reported them")
    return 1 if any(counts[outcome] for outcome in UNSETTLED) else 0


def _progress(options: argparse.Namespace) -> Progress:
    # Of these designs alone: what one run has passed is not as another pair would have it.
    of = f"{options.table} {mark_of(options.design, options.earlier)} {options.only or 'all'}"
    if options.dry_run:
        return Progress(None, of, options.segments)
    file = Path(options.state or f"backfill-{options.table}.json")
    progress = Progress.open(file, of, options.segments)
    if progress.resumed:
        segments.say(f"Going on where {file} says the last run stopped.")
    return progress


def _prices(region: str) -> Prices | None:
    try:
        return price_list(region)
    except UnknownRegion:
        return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright backfill",
        description="Write the items of a live table as its new design writes them. "
        "Stopped or killed, the same command goes on where it was.",
        epilog="For example: tablewright backfill shop.orders:Orders --table dev-orders "
        "--region eu-west-1 --from orders.lock.json --rate 500 --dry-run",
    )
    add_table_options(parser)
    parser.add_argument(
        "--from",
        dest="earlier",
        metavar="LOCK",
        help="the design that wrote the items: a lock file, or package.module:Name; needed where "
        "keys of the table or attributes of fields change",
    )
    parser.add_argument("--only", choices=["ttl"], help="write nothing but the expiry")
    parser.add_argument(
        "--estimate", action="store_true", help="say units, dollars and time by a sample, only"
    )
    parser.add_argument(
        "--sample",
        type=whole(1, 1_000_000),
        default=2000,
        help="items of the estimate (%(default)s)",
    )
    segments.add_options(
        parser,
        state="backfill-TABLE.json",
        rate="capacity units a second, of reads and of writes each (%(default)s)",
    )
    return parser
