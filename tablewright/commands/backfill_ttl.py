"""Give expiry to items that were stored before their table had it.

    python -m tablewright.commands.backfill_ttl --table NAME --region REGION --dry-run

Never shortens an item's life: an expiry that is missing or earlier than the design's is set, a
later one is left alone. Can be stopped at any moment and started again: it goes on where it was.
"""

import argparse
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.commands.progress import Progress, ProgressMismatch
from tablewright.designs import Entity, Table
from tablewright.designs.errors import InvalidValue, KeyMismatch
from tablewright.runtime.dynamo import Caller, Dynamo, client_config
from tablewright.runtime.errors import Conflict, StoreError, Throttled
from tablewright.runtime.expressions import Expressions
from tablewright.runtime.records import Item
from tablewright.runtime.retry import Backoff

# What can become of an item, and how it is put in the summary.
OUTCOMES = {
    "set": "expiry set",
    "right": "had the right expiry",
    "later": "kept a later expiry",
    "changed": "changed or deleted meanwhile, left alone",
    "foreign": "not of an entity that expires",
    "unreadable": "without a readable date",
}


class Rate:
    """Lets so many writes a second through, over all threads."""

    def __init__(self, per_second: float) -> None:
        self._interval = 1 / per_second
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        time.sleep(turn - now)


class Backfill:
    """Scans a table in segments and sets the expiry of each item that needs it."""

    def __init__(
        self,
        design: Table,
        table: str,
        caller: Caller,
        progress: Progress,
        *,
        rate: Rate,
        dry_run: bool,
        page: int = 250,
    ) -> None:
        self._design = design
        self._table = table
        self._caller = caller
        self._progress = progress
        self._rate = rate
        self._dry_run = dry_run
        self._page = page
        self._expiring = [entity for entity in design.entity_list if entity.expires]

    def run(self, bar: Any) -> Counter[str]:
        segments = self._progress.unfinished()
        with ThreadPoolExecutor(max_workers=max(1, len(segments))) as executor:
            for done in [executor.submit(self._segment, segment, bar) for segment in segments]:
                done.result()
        return self._progress.counts

    def _segment(self, segment: int, bar: Any) -> None:
        position = self._progress.position(segment)
        while True:
            page = self._scan(segment, position)
            counts = Counter(self._settle(item) for item in page["Items"])
            position = page.get("LastEvaluatedKey")
            # Saved after the page's writes: a kill before this line does the page again, which
            # changes nothing.
            self._progress.advance(segment, position, counts)
            bar.update(len(page["Items"]))
            if position is None:
                return

    def _scan(self, segment: int, position: Item | None) -> dict[str, Any]:
        expressions = Expressions()
        names = [self._design.pk, self._design.sk, self._design.ttl]
        for entity in self._expiring:
            names.append(_expiry_field(entity).stored)
        params: dict[str, Any] = {
            "TableName": self._table,
            "Segment": segment,
            "TotalSegments": self._progress.segments,
            "Limit": self._page,
            "ProjectionExpression": expressions.projection([name for name in names if name]),
        }
        if position:
            params["ExclusiveStartKey"] = position
        return self._retried("Scan", expressions.into(params))

    def _settle(self, item: Item) -> str:
        """Set the item's expiry if it needs it; gives what became of it."""
        entity = self._entity_of(item)
        if entity is None or entity.expires is None or self._design.ttl is None:
            return "foreign"
        field = _expiry_field(entity)
        try:
            since = field.check(item.get(field.stored, {}).get("S"))
        except InvalidValue:
            return "unreadable"
        expiry = entity.expires.at(since)
        there = item.get(self._design.ttl, {}).get("N")
        if there is not None and float(there) >= expiry:
            return "right" if float(there) == expiry else "later"
        if self._dry_run:
            return "set"
        return self._write(item, field.stored, expiry)

    def _write(self, item: Item, seen: str, expiry: int) -> str:
        expressions, new = Expressions(), {"N": str(expiry)}
        pk, ttl = self._design.pk, expressions.name(str(self._design.ttl))
        value = expressions.value(new)
        params = {
            "TableName": self._table,
            "Key": {n: item[n] for n in (pk, self._design.sk) if n},
            "UpdateExpression": f"SET {ttl} = {value}",
            # Without the first part, an item deleted since the scan would come back to life.
            "ConditionExpression": f"attribute_exists({expressions.name(pk)}) AND "
            f"{expressions.equal(seen, item[seen])} AND "
            f"(attribute_not_exists({ttl}) OR {ttl} < {value})",
        }
        self._rate.wait()
        try:
            self._retried("UpdateItem", expressions.into(params))
        except Conflict:
            return "changed"
        return "set"

    def _retried(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        for _ in Backoff(attempts=10, first=0.1, longest=10):
            try:
                return self._caller.call(operation, params)
            except Throttled as error:
                throttled = error
        raise throttled

    def _entity_of(self, item: Item) -> Entity | None:
        for entity in self._expiring:
            templates = ((self._design.pk, entity.key.pk), (self._design.sk, entity.key.sk))
            try:
                for attribute, template in templates:
                    if attribute and template:
                        template.parse(item[attribute]["S"])
            except KeyMismatch:
                continue
            return entity
        return None


def _expiry_field(entity: Entity) -> Any:
    return entity.by_name[entity.expires.field] if entity.expires else None


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    state = Path(options.state or f"backfill-{options.table}.json")
    try:
        design = _design(options.design)
        session = boto3.session.Session(region_name=options.region)
        client = session.client("dynamodb", config=client_config())
        dynamo = Dynamo(client)
        about = dynamo.call("DescribeTable", {"TableName": options.table})["Table"]
        if options.dry_run:
            progress = Progress(None, options.table, options.segments)
        else:
            progress = Progress.open(state, options.table, options.segments)
        if progress.resumed:
            _say(f"Going on where {state} says the last run stopped.")
        backfill = Backfill(
            design,
            options.table,
            dynamo,
            progress,
            rate=Rate(options.rate),
            dry_run=options.dry_run,
        )
        done = sum(progress.counts.values())
        # DynamoDB counts its items about every six hours, so the end may come early or late.
        with tqdm(total=about["ItemCount"] or None, initial=done, unit="item") as bar:
            counts = backfill.run(bar)
    except (StoreError, BotoCoreError, ProgressMismatch) as error:
        _say(f"Stopped: {error}")
        _say("Nothing is lost: the same command goes on from here.")
        return 2
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on from here.")
        return 130
    progress.finish()
    _summary(counts, dry_run=options.dry_run)
    return 1 if counts["unreadable"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="backfill_ttl",
        description="Give expiry to items that were stored before their table had it. "
        "Stopped or killed, the same command goes on where it was.",
    )
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--region", required=True, help="the table's region")
    parser.add_argument("--design", default="sales", help="its design (default: %(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="count what would be done, only")
    parser.add_argument("--segments", type=_count, default=4, help="parallel scans (%(default)s)")
    parser.add_argument("--rate", type=_rate, default=100.0, help="writes a second (%(default)s)")
    parser.add_argument("--state", help="where progress is kept (backfill-TABLE.json)")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 100")
    return int(text)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0
    if not 0 < rate <= 40_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0 and up to 40000")
    return rate


def _design(name: str) -> Table:
    try:
        module = import_module(f"tablewright.designs.{name}")
        design: Table = getattr(module, name.upper())
    except (ImportError, AttributeError):
        raise ProgressMismatch(f"there is no table design named '{name}'") from None
    return design


def _summary(counts: Counter[str], *, dry_run: bool) -> None:
    _say(
        f"{sum(counts.values())} items looked at"
        + (", none changed (dry run):" if dry_run else ":")
    )
    for outcome, words in OUTCOMES.items():
        if counts[outcome]:
            shown = words.replace("expiry set", "expiry would be set") if dry_run else words
            _say(f"  {counts[outcome]:10} {shown}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
