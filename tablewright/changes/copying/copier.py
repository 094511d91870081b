"""Copier: makes the target table converge to the mapped items of the source table.

It scans the source, and follows its stream. Both do the same for an item: they read it, write its
counterpart, and read it again, until it is what was mapped. Every write is conditional on the
target item being as it was read. The copier and the checkpoints are safe to stop at any moment: a
scan and the stream are never worked on side by side, so that a record of the stream is settled
after all that was written from the item before it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tablewright.changes.backfill.pace import PacedCaller
from tablewright.changes.copying.changed_keys import (
    STREAM_HOURS,
    ChangedKeys,
    StreamGap,
    stream_of,
)
from tablewright.changes.copying.items import (
    Dropped,
    ItemMapping,
    MappedItem,
    NotMapped,
    TableSide,
    from_json,
    key_text,
    same_item,
    to_json,
)
from tablewright.changes.copying.migration_file import MigrationFile
from tablewright.changes.copying.pointer import NEW, OLD
from tablewright.changes.state import MigrationState
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import find_table
from tablewright.runtime.errors import Conflict, ItemTooLarge, StoreError
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.segments.walk import Bar, NoBar, Patient
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

PAGE = 100
# Of refused items, those beyond are not named: the table is scanned again instead.
NAMED = 50
_RENEWAL_SECONDS = 15.0
_FOLLOW_SECONDS = 60.0
# Reads of the stream that came to its end, after which it is taken to be read to its end.
_QUIET_READS = 3
# Times that an item is read which programs write all the while.
_READS = 3
# Conditions have at most 4 KB and 300 operators.
_COMPARED = 150


class CopyRefused(TablewrightError):
    """A copy cannot begin or go on; the message says why, and what to do."""


class TableCopier:
    """Copies the table of a migration, in the direction that its state says.

    Until the cut-over the old table is the source. Afterwards the new table is, and the old one is
    kept in step. `state` must be held by the caller's lease; progress is saved in it.
    """

    def __init__(
        self,
        migration: MigrationFile,
        names: tuple[str, str],
        caller: Caller,
        streams: Caller,
        state: MigrationState,
        *,
        rate: float | None = 100.0,
        segments: int = 4,
        secrets: tuple[Secrets | None, Secrets | None] = (None, None),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        pause: float = 0.5,
        bar: Bar | None = None,
    ) -> None:
        self.migration = migration
        self.units = PacedCaller(Patient(caller), rate)
        self._streams, self._state = Patient(streams), state
        self._now, self._pause = now, pause
        self._bar = NoBar() if bar is None else bar
        designs = migration.designs.old_table, migration.designs.new_table
        old, new = map(TableSide, designs, names, secrets)
        self._mappings = {
            OLD: ItemMapping(migration, old, new, forward=True),
            NEW: ItemMapping(migration, new, old, forward=False),
        }
        self._segments = segments
        self._lock = threading.Lock()
        self._renewed = time.monotonic()
        self.values: dict[str, Any] = state.load()
        self.counts: Counter[str] = Counter(self.values.get("counts", {}))

    @property
    def mapping(self) -> ItemMapping:
        """The mapping from the active table to the other."""
        return self._mappings[self.values.get("active", OLD)]

    @property
    def refused(self) -> dict[str, Any]:
        """Items that could not be copied: the reason by key."""
        return {text: one["reason"] for text, one in self.values["refused"].items()}

    def require_tables(self) -> tuple[str, list[str]]:
        """The stream of the source, and what tells both tables from any that are made again."""
        if self.values.get("contracted"):
            raise CopyRefused(f"migration {self.migration.name} ended: its tables are not followed")
        old, new = self._mappings[OLD].source, self._mappings[OLD].target
        streams, ids = zip(self._table(old), self._table(new), strict=True)
        return streams[self.values.get("active", OLD) == NEW], list(ids)

    def begin(self) -> None:
        """Check the tables, and begin if nobody did; raises CopyRefused."""
        stream, ids = self.require_tables()
        known = self.values.get("tables")
        if known is None:
            self._require_empty(self.mapping.target.name)
            self.values = {"tables": ids, "active": OLD, "refused": {}}
            self.restart(stream, scanned=False)
        elif known != ids:
            raise CopyRefused(
                f"migration {self.migration.name} was begun with other tables: {known[0]} and "
                f"{known[1]}. A table that was made again cannot take their place"
            )
        followed = datetime.fromisoformat(self.values["followed_at"])
        is_late = self._now() - followed > timedelta(hours=STREAM_HOURS)
        if self.values["stream"] != stream or is_late or self.values["overflow"]:
            self.restart(stream, scanned=False)

    def restart(self, stream: str | None = None, *, scanned: bool) -> None:
        """Read the stream from now on, and the whole table again unless it was `scanned`."""
        at = self._now().isoformat()
        self.values |= {"stream": stream or self._table(self.mapping.source)[0], "shards": {}}
        self.values |= {"since": at, "followed_at": at, "scanned": scanned, "scan": {}}
        self.values["overflow"] = False
        self.save()

    def run(self) -> None:
        """Copy what is not copied yet, and follow the stream to its end."""
        begun = time.monotonic()
        while not self.values["scanned"]:
            self._scan_pages()
            if time.monotonic() - begun > _FOLLOW_SECONDS:
                self.follow()
                begun = time.monotonic()
        self.follow()

    def follow(self) -> None:
        """Settle what the stream says has changed, until it is read to its end."""
        try:
            self._follow()
        except StreamGap:
            self.restart(scanned=False)
            self.run()

    def _follow(self) -> None:
        keys = ChangedKeys(
            self._streams,
            self.values["stream"],
            self.values["shards"],
            since=datetime.fromisoformat(self.values["since"]),
            now=self._now(),
        )
        quiet = 0
        while quiet < _QUIET_READS:
            changed: dict[str, tuple[Item, list[Item]]] = {}
            for key, before in keys.read():
                images = changed.setdefault(key_text(key), (key, []))[1]
                images += [before] if before else []
            # Those that were refused before may be free to copy now.
            for text, one in self.values["refused"].items():
                changed.setdefault(text, (from_json(one["key"]), []))
            quiet = quiet + 1 if keys.has_reached_now else 0
            self.settle_all(changed.values())
            self.values["shards"] = keys.commit()
            self.values["followed_at"] = self._now().isoformat()
            self.save()
            if quiet:
                time.sleep(self._pause)

    def _scan_pages(self) -> None:
        """Copy the next page of every segment."""
        scan = self.values["scan"] or {str(n): None for n in range(self._segments)}
        ends = in_parallel(lambda part: self._page(len(scan), *part), scan.items())
        # Saved after the writes: a kill before this line does the pages again.
        self.values["scan"] = dict(zip(scan, ends, strict=True))
        self.values["scanned"] = all(end == "end" for end in ends)
        self.save()

    def _page(self, total: int, segment: str, position: Any) -> Any:
        if position == "end":
            return position
        request: dict[str, Any] = {"TableName": self.mapping.source.name, "Limit": PAGE}
        request |= {"Segment": int(segment), "TotalSegments": total, "ConsistentRead": True}
        if position:
            request["ExclusiveStartKey"] = from_json(position)
        page = self.units.call("Scan", request)
        for item in page["Items"]:
            self.settle(self.mapping.source.key(item), item=item)
        self._bar.update(page["ScannedCount"])
        end = page.get("LastEvaluatedKey")
        return to_json(end) if end else "end"

    def settle_all(self, changed: Iterable[tuple[Item, list[Item]]]) -> None:
        """Settle items by key, several at a time, each with what it was before."""
        in_parallel(lambda one: self.settle(one[0], before=one[1]), changed)

    def settle(self, key: Item, *, item: Item | None = None, before: Iterable[Item] = ()) -> None:
        """Make the target have what the source item with a key maps to, and nothing else of it."""
        stale = self._target_keys(before)
        item = item or self._read(self.mapping.source, key)
        reason: str | None = None
        for _ in range(_READS):
            wrote, reason = False, None
            try:
                mapped = self._mapped(item) if item else None
                if mapped:
                    wrote = self._put(mapped, key)
                    reason = mapped.inexact
                own = self.mapping.target.key(mapped.item) if mapped else {}
                for target in stale.values():
                    if not same_item(target, own):
                        wrote |= self._remove(target, key)
                stale |= {key_text(own): own} if own else {}
            except Dropped:
                self._count("left out")
            except NotMapped as problem:
                reason = str(problem)
            now = self._read(self.mapping.source, key) if wrote else item
            if same_item(now, item):
                break
            item = now  # at last left to the stream, which has the change
        self._note(key, reason)

    def remove_orphan(self, key: Item) -> None:
        """Remove a target item, if its source was read and is gone or maps to another key."""
        item = self._read(self.mapping.target, key)
        try:
            if item and self._is_stale(item, self.mapping.source_key(item)):
                self._delete(item)
        except NotMapped:
            return  # nobody knows whose it is: a verification names it

    def save(self) -> None:
        """Save the progress."""
        with self._lock:
            self.values["counts"] = dict(self.counts)
            self._state.save(self.values)
            self._renewed = time.monotonic()

    def _mapped(self, item: Item) -> MappedItem:
        mapped = self.mapping.map(item)
        if self.mapping.expires_early(item, mapped, self._now().timestamp()):
            if self.mapping.may_expire(mapped):
                raise Dropped("the item expires by its new design")
            name = mapped.codec.entity.name
            raise NotMapped(
                f"DynamoDB would delete the copy at once, which expires by its design: list "
                f"{name}:expired in LOSES if that is meant"
            )
        return mapped

    def _target_keys(self, images: Iterable[Item]) -> dict[str, Item]:
        """The keys that were written from an item as it was before."""
        keys = {}
        for image in images:
            try:
                key = self.mapping.target.key(self.mapping.map(image).item)
            except NotMapped:
                continue  # nothing was written from it
            keys[key_text(key)] = key
        return keys

    def _put(self, mapped: MappedItem, key: Item) -> bool:
        """Write an item unless it is stored; raises NotMapped if another item has its key."""
        existing: Item | None = None
        for _ in range(20):
            try:
                self._write("PutItem", {"Item": mapped.item}, existing)
                self._count("written")
                return True
            except Conflict as conflict:
                existing = conflict.item
            except (ItemTooLarge, StoreError) as error:
                if type(error) not in (ItemTooLarge, StoreError):
                    raise
                raise NotMapped(f"DynamoDB refused the item: {error}") from None
            if existing is None:
                continue
            if mapped.is_stored(existing):
                return False
            taken = key_text(self.mapping.target.key(existing))
            try:
                owner = self.mapping.source_key(existing)
            except NotMapped as problem:
                raise NotMapped(
                    f"{taken} is taken by an item that is of no source: {problem}"
                ) from None
            if not same_item(owner, key) and not self._is_stale(existing, owner):
                raise NotMapped(
                    f"two items map to {taken}: this one and {key_text(owner)}. Neither was "
                    "overwritten"
                )
        raise NotMapped("the copy of the item was written by others all the while")

    def _remove(self, target: Item, key: Item) -> bool:
        """Remove a target item if it was written from the item with a key."""
        item = self._read(self.mapping.target, target)
        if item is None or not same_item(self.mapping.source_key(item), key):
            return False
        return self._delete(item)

    def _delete(self, item: Item) -> bool:
        try:
            self._write("DeleteItem", {"Key": self.mapping.target.key(item)}, item)
        except Conflict:
            return True  # to be looked at again
        self._count("removed")
        return True

    def _is_stale(self, item: Item, owner: Item) -> bool:
        """True if the source of a target item was read, and is gone or maps to another key."""
        source = self._read(self.mapping.source, owner)
        if source is None:
            return True
        try:
            mapped = self.mapping.map(source)
        except NotMapped:
            return False
        return not same_item(self.mapping.target.key(mapped.item), self.mapping.target.key(item))

    def _write(self, operation: str, params: dict[str, Any], expected: Item | None) -> None:
        """Write to the target, if its item is the expected one."""
        with self._lock:
            # A runner that lost its lease must not write.
            if time.monotonic() - self._renewed > _RENEWAL_SECONDS:
                self._state.renew()
                self._renewed = time.monotonic()
        expressions, names = Expressions(), self.mapping.target.design.key.names
        compared: Mapping[str, Any] = {names[0]: None}
        if expected is not None:
            compared = dict(sorted(expected.items())[:_COMPARED])
        terms = [expressions.matches(name, wire) for name, wire in compared.items()]
        request = {"TableName": self.mapping.target.name, **params}
        request["ConditionExpression"] = " AND ".join(terms)
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        self.units.call(operation, expressions.into(request))

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def _read(self, side: TableSide, key: Item) -> Item | None:
        request = {"TableName": side.name, "Key": key, "ConsistentRead": True}
        return self.units.call("GetItem", request).get("Item")

    def _note(self, key: Item, reason: str | None) -> None:
        with self._lock:
            refused, text = self.values["refused"], key_text(key)
            refused.pop(text, None)
            if reason is not None and len(refused) < NAMED:
                refused[text] = {"key": to_json(key), "reason": reason[:300]}
            elif reason is not None:
                self.values["overflow"] = True

    def _table(self, side: TableSide) -> tuple[str, str]:
        """The stream of a table, and what tells it from one that is made again."""
        table = find_table(self.units, side.name)
        if table is None:
            raise CopyRefused(f"there is no table {side.name}: deploy it, or add --create")
        found = [one for one in table.differences(side.design) if one.what not in ("stream", "ttl")]
        if found and side is self._mappings[OLD].target:
            raise CopyRefused(f"{side.name} is not as its design says: {found[0]}")
        stream = stream_of(table.described)
        if stream is None:
            raise CopyRefused(
                f"{side.name} has no stream with the old images of items: switch on one of view "
                "NEW_AND_OLD_IMAGES"
            )
        described = table.described
        return stream, str(described.get("TableId") or described["CreationDateTime"])

    def _require_empty(self, name: str) -> None:
        request = {"TableName": name, "Limit": 1, "ConsistentRead": True}
        if self.units.call("Scan", request)["Items"]:
            raise CopyRefused(f"{name} has items: a copy begins with an empty table")
