"""Show that nothing was lost between a table and its archive, and nothing is there twice.

    tablewright verify-archive --bucket BUCKET --table LIVE --region REGION \\
        --copy RESTORED

Every item of the copy, a table that was restored from a backup, must be in the live table or in the
archive, where it is as it was. Without a copy the live table is looked at: nothing of it may be in
the archive, unless it was put back from there. With `--inserted`, for an archive that takes what is
new, every item must be in the archive.

The keys that are not so are printed, one on a line. Ends with 1 if there are any. What was deleted
in the last minutes may be on its way: look again before you believe that it is missing.
"""

import argparse
import json
import sys
from collections import Counter
from hashlib import blake2b

from tqdm import tqdm

from tablewright.commands.items import segments
from tablewright.commands.items.bring_back import Live, live_table
from tablewright.commands.items.read_archive import add_archive_options, open_archive
from tablewright.commands.numbers import whole
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.archive.reader import ArchiveReader
from tablewright.runtime.archive.rows import PUT_BACK, exact
from tablewright.runtime.aws import Caller
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Walk
from tablewright.runtime.store.batches import read_all
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport

# What can be found of an item, and how it is put in the summary.
OUTCOMES = {
    "live": "in the table",
    "archived": "in the archive, and the same",
    "differs": "in the archive, and not the same",
    "twice": "in the archive twice, or in both",
    "missing": "in neither",
}
WRONG = ("differs", "twice", "missing")


class Archived:
    """What an archive has, by key: a digest of each item is in memory, not the item."""

    def __init__(self, archive: ArchiveReader, live: Live, since: str, until: str) -> None:
        self._live = live
        self._found: dict[bytes, bytes] = {}
        self.items = 0
        self.twice: list[Item] = []
        for day in archive.days(since, until):
            for item in archive.items(day):
                self.items += 1
                self._add(item)
        # Last: what was compacted since is in a file that was not there, and was read here then.
        for item in archive.incoming(since, until):
            self._found.setdefault(self._key(item), self._digest(item))

    def _add(self, item: Item) -> None:
        key, digest = self._key(item), self._digest(item)
        # One key may have had several items, one after the other.
        if self._found.get(key) == digest:
            self.twice.append(item)
        self._found[key] = digest

    def outcome(self, item: Item) -> str:
        """Whether the archive has the item, and as it is."""
        found = self._found.get(self._key(item))
        if found is None:
            return "missing"
        return "archived" if found == self._digest(item) else "differs"

    def _key(self, item: Item) -> bytes:
        return _digest({name: item[name] for name in self._live.keys})

    def _digest(self, item: Item) -> bytes:
        return _digest({name: value for name, value in item.items() if name != RESTORED_FROM})


def _digest(item: Item) -> bytes:
    return blake2b(exact(item).encode(), digest_size=16).digest()


class Verification:
    """Looks for the items of a table in the live table and in the archive."""

    def __init__(
        self, caller: Caller, live: Live, archived: Archived, *, copy: bool, inserted: bool
    ) -> None:
        self._caller = caller
        self._live = live
        self._archived = archived
        self._copy = copy
        self._inserted = inserted

    def settle(self, items: list[Item]) -> Counter[str]:
        live = self._there(items) if self._copy else {exact(self._key(one)): one for one in items}
        return Counter(self._told(item, live.get(exact(self._key(item)))) for item in items)

    def _told(self, item: Item, live: Item | None) -> str:
        outcome = self._outcome(item, live)
        if outcome in WRONG:
            tell(outcome, self._key(item))
        return outcome

    def _outcome(self, item: Item, live: Item | None) -> str:
        outcome = self._archived.outcome(item)
        if self._inserted or live is None:
            return outcome
        put_back = live.get(RESTORED_FROM, {}).get("S", "").startswith(PUT_BACK)
        return "twice" if outcome == "archived" and not put_back else "live"

    def _there(self, items: list[Item]) -> dict[str, Item]:
        """What the live table has of these: keys and marks."""
        keys = [self._key(item) for item in items]
        names = [*self._live.keys, RESTORED_FROM]
        transport = Transport(self._caller)
        found = read_all(transport, self._live.name, keys, names, consistent=True)
        return {exact(self._key(item)): item for item in found}

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self._live.keys}


def tell(outcome: str, key: Item) -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "key": json.loads(exact(key))}) + "\n")


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _verify(options))


def _verify(options: argparse.Namespace) -> int:
    caller = segments.patient_caller(options)
    live = live_table(caller, options.table)
    source = options.copy or options.table
    archived = Archived(open_archive(options), live, options.since, options.upto)
    copy = options.copy is not None
    work = Verification(caller, live, archived, copy=copy, inserted=options.inserted)
    request = {"TableName": source, "ConsistentRead": True}
    progress = Progress(None, source, options.segments)
    with tqdm(unit="item") as bar:
        counts = Walk(caller, request, work.settle, progress).run(bar)
    for item in archived.twice:
        tell("twice", {name: item[name] for name in live.keys})
    counts["twice"] += len(archived.twice)
    segments.say(f"{archived.items} items in the archive")
    segments.summary(counts, OUTCOMES, dry_run=False)
    return 1 if any(counts[outcome] for outcome in WRONG) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright verify-archive",
        description="Show that every item is in its table or in the archive, and none twice.",
        epilog="For example: tablewright verify-archive --bucket dev-archive --region "
        "eu-west-1 --table dev-orders",
    )
    add_archive_options(parser)
    parser.add_argument("--table", required=True, help="the live table")
    parser.add_argument("--copy", metavar="TABLE", help="a copy of it, restored from a backup")
    new = "the archive takes what is new: every item must be there"
    parser.add_argument("--inserted", action="store_true", help=new)
    parser.add_argument(
        "--segments", type=whole(1, 100), default=4, help="parallel scans (%(default)s)"
    )
    return parser
