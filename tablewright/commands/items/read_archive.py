"""Read items of an archive: print them, or put them back into a table.

    tablewright read-archive --bucket BUCKET --region REGION \\
        --from 2026-01-01 --to 2026-01-31

A line is an item in DynamoDB's own JSON, exactly as it was. With `--into` items are put into a
table that has none of their keys, to stay there until the day that `--until` names; those that
expire again as they are will not be archived twice. Can be stopped at any moment and started again.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time

import boto3

from tablewright.commands.items import segments
from tablewright.commands.items.bring_back import IF_IT_WERE_DONE, OUTCOMES, BringBack, live_table
from tablewright.commands.items.segments import Rate
from tablewright.commands.numbers import per_second
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.archive.reader import ArchiveReader
from tablewright.runtime.archive.rows import exact, mark
from tablewright.runtime.aws import connect
from tablewright.runtime.store.records import Item

_AT_ONCE = 100


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if bool(options.into) != bool(options.until):
        parser.error("--into and --until go together")
    return segments.carry_out(lambda: _read(options))


def _read(options: argparse.Namespace) -> int:
    items = _items(options)
    if options.into:
        return _put_back(options, items)
    for item in items:
        sys.stdout.write(exact(item) + "\n")
    return 0


def _items(options: argparse.Namespace) -> Iterator[Item]:
    archive = open_archive(options)
    for day in archive.days(options.since, options.upto):
        yield from archive.items(day)


def open_archive(options: argparse.Namespace) -> ArchiveReader:
    """The archive that the options name."""
    session = boto3.session.Session(region_name=options.region)
    s3 = connect(session, "s3", endpoint_url=options.endpoint_url, read_timeout=60)
    return ArchiveReader(s3, options.bucket)


def _put_back(options: argparse.Namespace, items: Iterator[Item]) -> int:
    caller = segments.patient_caller(options)
    live = live_table(caller, options.into)
    ends = datetime.combine(date.fromisoformat(options.until), time(), UTC)
    work = BringBack(
        caller,
        live,
        _prepared(live.ttl, int(ends.timestamp())),
        rate=Rate(options.rate),
        dry_run=options.dry_run,
        now=datetime.now(UTC),
    )
    counts: Counter[str] = Counter()
    for some in _batches(items):
        counts += work.settle(some)
    outcomes = IF_IT_WERE_DONE if options.dry_run else OUTCOMES
    segments.summary(counts, outcomes, dry_run=options.dry_run)
    return 1 if counts["refused"] else 0


def _prepared(ttl: str | None, ends: int) -> Callable[[Item], Item]:
    def prepare(item: Item) -> Item:
        expiry = {ttl: {"N": str(ends)}} if ttl else {}
        return {**item, **expiry, RESTORED_FROM: mark(item, ttl)}

    return prepare


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    some: list[Item] = []
    for item in items:
        some.append(item)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def add_archive_options(parser: argparse.ArgumentParser) -> None:
    """The options by which commands find an archive, and days of it."""
    parser.add_argument("--bucket", required=True, help="the archive's bucket")
    parser.add_argument("--region", required=True, help="its region")
    first, last = "the first day, such as 2026-01-31", "the last day"
    begin, end = "0001-01-01", "9999-12-31"
    parser.add_argument("--from", dest="since", type=_day, default=begin, metavar="DAY", help=first)
    parser.add_argument("--to", dest="upto", type=_day, default=end, metavar="DAY", help=last)
    parser.add_argument("--endpoint-url", help="another cloud than AWS, such as a local one")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright read-archive",
        description="Read items of an archive, or put them back into a table.",
        epilog="For example: tablewright read-archive --bucket dev-archive --region "
        "eu-west-1 --from 2026-01-01 --to 2026-01-31",
    )
    add_archive_options(parser)
    parser.add_argument("--into", metavar="TABLE", help="put the items into this table")
    stays = "the day on which they expire there anew"
    parser.add_argument("--until", type=_day, metavar="DAY", help=stays)
    parser.add_argument("--dry-run", action="store_true", help="say what would be put, only")
    parser.add_argument(
        "--rate", type=per_second, default=100.0, help="writes a second (%(default)s)"
    )
    return parser


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2026-01-31") from None
