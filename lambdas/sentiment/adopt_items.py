"""Adopt items that another program wrote into the table: each source gets the guard that it lacks.

    python -m lambdas.sentiment.adopt_items --table NAME --region REGION --dry-run

Ingestion finds an adopted source known and does not store it again. A pending item is analyzed by
its text, one without a status is analyzed already and gets the status. Stopped or killed, the same
command goes on where it was; run again it changes nothing.
"""

import argparse
import sys
from collections import Counter
from contextlib import suppress

from lambdas.sentiment.analysis import ITEM_KIND, Analysis, Request
from lambdas.sentiment.ingestion.items import one_line
from lambdas.sentiment.sentiment_model import Model
from tablewright.catalog.sentiment.items import (
    ANALYZED,
    CLAIMED,
    GUARD_KEY,
    MAX_TEXT,
    PENDING,
    SETTLED,
    Guard,
    Item,
    Items,
    items_table,
)
from tablewright.changes.backfill.pace import PacedCaller
from tablewright.commands.items import segments
from tablewright.commands.numbers import whole
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Item as Image
from tablewright.runtime.store.store import Store

OUTCOMES = {
    "adopted": "adopted",
    "known": "known already",
    "copy": "left as they are: their source has an item of another moment",
    "guard": "guards",
    "unsound": "left as they are: their key is not one of an item",
}
"""What can become of an item, and its words in the summary."""


class ItemAdoption:
    """Writes the guards of items that have none, and completes these items.

    A source is claimed, its item completed and the claim settled, as ingestion does. So a run that
    is killed is finished by the next run, or by ingestion when it meets the source.
    """

    def __init__(self, items: Store, *, dry_run: bool = False) -> None:
        self._items = items
        self._analysis = Analysis([items], Model())
        self._dry_run = dry_run

    def settle(self, images: list[Image]) -> Counter[str]:
        """Adopt the items of a page; count them by OUTCOMES."""
        counts = Counter(map(_kind, images))
        items = [image for image in images if _kind(image) == "item"]
        sources = dict.fromkeys(image["source_id"]["S"] for image in items)
        keys = [{"source_id": source_id} for source_id in sources]
        guards = {one.source_id: one for one in self._items.get_many(Items.known_sources, keys)}
        for image in items:
            source_id = image["source_id"]["S"]
            before = guards.get(source_id)
            guard = guards[source_id] = before or self._claim(image)
            counts[self._complete(image, before, guard)] += 1
        del counts["item"]
        return counts

    def _claim(self, image: Image) -> Guard:
        """The guard of a source that had none, or that of whoever was first."""
        is_complete = _status(image) == ANALYZED
        guard = Guard(
            source_id=image["source_id"]["S"],
            item_ingested_at=image["ingested_at"]["S"],
            state=SETTLED if is_complete else CLAIMED,
            text=None if is_complete else _text(image) or None,
        )
        if self._dry_run:
            return guard
        try:
            return self._items.put(Items.claim_source, guard)
        except AlreadyExists:
            return self._items.get(Items.claimed_source, guard) or guard

    def _complete(self, image: Image, before: Guard | None, guard: Guard) -> str:
        if guard.item_ingested_at != image["ingested_at"]["S"]:
            return "copy"
        is_open = guard.state == CLAIMED or _status(image) is None
        if is_open and not self._dry_run:
            self._analyze(image, guard)
            self._items.put_many(Items.settle_sources, [_settled(guard)])
        return "adopted" if is_open or before is None else "known"

    def _analyze(self, image: Image, guard: Guard) -> None:
        key = {"source_id": guard.source_id, "ingested_at": guard.item_ingested_at}
        if _status(image) == PENDING:
            self._analysis.carry_out(Request(ITEM_KIND, key, guard.text or _text(image)))
        elif _status(image) is None:
            # It may have been completed, or deleted, meanwhile.
            with suppress(Conflict, NotFound):
                self._items.update(
                    Items.record_analysis, key, {"status": ANALYZED}, when=Item.status.is_missing()
                )


def _settled(guard: Guard) -> Guard:
    """The guard without what its claim held."""
    return Guard(source_id=guard.source_id, item_ingested_at=guard.item_ingested_at, state=SETTLED)


def _kind(image: Image) -> str:
    moment = image["ingested_at"]["S"]
    if moment == GUARD_KEY:
        return "guard"
    is_item = Item.source_id.accepts_text(image["source_id"]["S"])
    return "item" if is_item and Item.ingested_at.accepts_text(moment) else "unsound"


def _status(image: Image) -> str | None:
    return image.get("status", {}).get("S")


def _text(image: Image) -> str:
    return one_line(image.get("text_snippet", {}).get("S", ""))[:MAX_TEXT]


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _adopt(options))


def _adopt(options: argparse.Namespace) -> int:
    caller = PacedCaller(segments.patient_caller(options), options.rate)
    described = caller.call("DescribeTable", {"TableName": options.table})["Table"]
    # What other programs wrote is in clear; `tablewright reencrypt` encrypts it.
    design = items_table(days=options.days)
    store = Store(design, options.table, caller, secrets=Secrets.in_clear())
    counts = segments.go_through(
        options,
        caller,
        {"TableName": options.table, "ConsistentRead": True},
        ItemAdoption(store, dry_run=options.dry_run).settle,
        of=f"{options.table} adoption",
        state=f"adopt-{options.table}.json",
        items=described["ItemCount"],
    )
    segments.summary(counts, OUTCOMES, dry_run=options.dry_run)
    return 1 if counts["unsound"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lambdas.sentiment.adopt_items",
        description="Adopt items that another program wrote: ingestion finds their sources known.",
    )
    parser.add_argument("--table", required=True, help="the table of items")
    parser.add_argument("--region", required=True, help="its region")
    parser.add_argument(
        "--days", type=whole(1, 9999), help="how long items are kept, in tables whose items expire"
    )
    segments.add_options(
        parser,
        state="adopt-TABLE.json",
        rate="capacity units a second, of reads and of writes each (%(default)s)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
