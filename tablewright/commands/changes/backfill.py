"""Add to the items of a live table the attributes that they lack for a new design.

    tablewright backfill shop.orders:Orders --table NAME --region REGION --from orders.lock.json \\
        --estimate

No attribute that old code reads changes, whatever the designs say: such an item is left, counted
and named. Only `--only ttl` replaces an expiry that items have. Programs go on meanwhile: each item
is written only if it is as it was read. Can be stopped at any moment and started again: it goes on
where it was. Ends with 0, with 1 when items were left that somebody must look at, with 2 when it
could not go on.
"""

import argparse
from collections.abc import Callable
from typing import Any

from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill
from tablewright.changes.backfill.estimate import estimate
from tablewright.changes.backfill.pace import DEFAULT_RATE
from tablewright.changes.backfill.refusals import NotBackfillable
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.plan.planning import NotInPlace, require_in_place
from tablewright.changes.state import LeaseHeld, MigrationState
from tablewright.commands.changes.earlier import earlier_design
from tablewright.commands.changes.live_table import add_table_options, mark_of, secrets_of
from tablewright.commands.changes.migration_state import (
    add_state_options,
    held,
    state_of,
)
from tablewright.commands.changes.progress_bar import progress_bar
from tablewright.commands.changes.renames import add_was, renames_of
from tablewright.commands.items import segments
from tablewright.commands.numbers import whole
from tablewright.costs.price_lists import UnknownRegion, price_list
from tablewright.costs.prices import Prices
from tablewright.designs.description.node import printable
from tablewright.runtime.aws import Caller

_IF_IT_WERE_DONE = {
    "completed": "would be completed",
    "expiry changed": "would get another expiry",
}


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    options.earlier = earlier_design(parser, options.earlier, options.design)
    was = renames_of(parser, options)
    only_expiry = options.only == "ttl"
    work = {
        "secrets": secrets_of(parser, options, options.design, options.earlier),
        "only_expiry": only_expiry,
        "keep_later": options.keep_later,
        "was": was,
    }
    try:
        if options.earlier and not only_expiry:
            require_in_place(options.design, options.earlier, was)
        return segments.carry_out(lambda: _run(options, work))
    except NotInPlace as error:
        segments.say("\n".join(printable(reason) for reason in error.reasons))
        return 2
    except LeaseHeld as error:
        segments.say(f"Stopped: {error}")
        return 2
    except (NotBackfillable, ValueError) as error:
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
    if options.dry_run:
        return _ended(options, caller, work, StateProgress({}, options.segments, lambda _: None))
    of = f"backfill {mark_of(options.design, options.earlier)} {options.only or 'all'}"
    state = state_of(caller, options.table, of, options.control_table)
    with held(state):
        progress = StateProgress(state.load().get("items", {}), options.segments, _saving(state))
        if progress.resumed:
            segments.say("Going on where the last run stopped.")
        code = _ended(options, caller, work, progress)
        # Another run goes through the whole table again.
        state.save({"counts": progress.outcomes})
        return code


def _saving(state: MigrationState) -> Callable[[dict[str, Any]], None]:
    return lambda items: state.save({"items": items})


def _ended(
    options: argparse.Namespace, caller: Caller, work: dict[str, Any], progress: StateProgress
) -> int:
    described = caller.call("DescribeTable", {"TableName": options.table})["Table"]
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
    with progress_bar(described["ItemCount"], progress, options.region) as bar:
        counts = backfill.run(bar)
    words = {**OUTCOMES, **_IF_IT_WERE_DONE} if options.dry_run else OUTCOMES
    segments.summary(counts, words, dry_run=options.dry_run)
    for one in backfill.reasons:
        segments.say(f"{one.number} {one.outcome}: {one.text} ({one.example})")
    segments.say(f"{bar.text}, as DynamoDB reported them")
    return 1 if any(counts[outcome] for outcome in UNSETTLED) else 0


def _prices(region: str) -> Prices | None:
    try:
        return price_list(region)
    except UnknownRegion:
        return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright backfill",
        description="Add to the items of a live table the attributes that they lack. "
        "Stopped or killed, the same command goes on where it was.",
        epilog="For example: tablewright backfill shop.orders:Orders --table dev-orders "
        "--region eu-west-1 --from orders.lock.json --rate 500 --dry-run",
    )
    add_table_options(parser)
    parser.add_argument(
        "--from",
        dest="earlier",
        metavar="LOCK",
        help="the design that wrote the items: a lock file, or package.module:Name",
    )
    add_was(parser)
    parser.add_argument(
        "--only", choices=["ttl"], help="write nothing but the expiry, and replace existing ones"
    )
    parser.add_argument(
        "--estimate", action="store_true", help="say units, dollars and time by a sample, only"
    )
    parser.add_argument(
        "--sample",
        type=whole(1, 1_000_000),
        default=2000,
        help="items of the estimate (%(default)s)",
    )
    parser.add_argument("--dry-run", action="store_true", help="count what would be done, only")
    segments.add_scan_options(
        parser, rate="capacity units a second, of reads and of writes each (%(default)g)"
    )
    parser.set_defaults(rate=DEFAULT_RATE)
    add_state_options(parser)
    return parser
