"""Backfill: adds the attributes that the items of a live table lack for its new design.

Each item is read and written on the condition that it still is as it was read. An attribute that an
item has never changes. So programs go on, old and new ones, the backfill may be stopped at any
moment, and may run twice at once.

Signatures::

    Backfill(new, old, table_name, caller, *, rate=500, segments=4, progress=None, dry_run=False,
             secrets=None, only_expiry=False, keep_later=False, was=None)
    Backfill.run(bar=None) -> Counter[str]      # of OUTCOMES; UNSETTLED must be looked at
    Backfill.reasons -> list[Reason]            # why items were left: text, number, example
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tablewright.changes.backfill.additions import (
    Additions,
    ForeignItem,
    NotAdditive,
    codec_of,
    codecs,
    derived_names,
)
from tablewright.changes.backfill.entries import key_text
from tablewright.changes.backfill.item_change import ItemChange
from tablewright.changes.backfill.pace import DEFAULT_RATE, PacedCaller
from tablewright.changes.backfill.refusals import refuse
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.model.declaration import Table
from tablewright.model.table import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, ItemTooLarge, StoreError
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Bar, NoBar, Patient, Walk
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

OUTCOMES = {
    "unchanged": "complete already",
    "completed": "completed: attributes added",
    "expiry changed": "with another expiry, as --only ttl requests",
    "removed": "without the attributes that only the other design wrote",
    "gone": "deleted by others meanwhile",
    "foreign": "of no entity of the design, left as they are",
    "busy": "changed by others at every attempt: left for the next run",
    "refused": "refused by DynamoDB, left as they are",
    "left": "left as they are: to complete them would change them",
}
"""The outcomes of an item, in words."""

UNSETTLED = ("busy", "refused", "left")
"""The outcomes that a person must look at, or that need another run."""

_ATTEMPTS = Backoff(attempts=6, first=0.02, longest=1)
# Reasons beyond this number are counted as one.
_REASONS = 50


class Reason(NamedTuple):
    """The reason why items were left as they are: their number, and the key of one."""

    outcome: str
    text: str
    number: int
    example: str


class Backfill:
    """Adds to every item of a table what the design `new` writes and the item lacks.

    `rate` limits capacity units a second, of reads and of writes each; None is no limit. `progress`
    is kept for a run that goes on after a kill. A dry run counts and writes nothing. An item that
    cannot be completed without a change of what it has is left, counted and named.

    Example::

        backfill = Backfill(Orders, OrdersBefore, "dev-orders", caller, rate=200)
        backfill.run()          # Counter({"completed": 812, "unchanged": 40})
    """

    def __init__(
        self,
        new: type[Table],
        old: type[Table] | None,
        table_name: str,
        caller: Caller,
        *,
        rate: float | None = DEFAULT_RATE,
        segments: int = 4,
        progress: Progress | None = None,
        dry_run: bool = False,
        secrets: Secrets | None = None,
        only_expiry: bool = False,
        keep_later: bool = False,
        was: Mapping[str, str] | None = None,
    ) -> None:
        refuse(new.__design__, old.__design__ if old else None, only_expiry=only_expiry)
        self._key_names = new.__design__.key.names
        self._table_name = table_name
        self._progress = progress or Progress(None, table_name, segments)
        self._dry_run = dry_run
        self.units = PacedCaller(Patient(caller), rate)
        if isinstance(self._progress, StateProgress):
            self._progress.meter = self.units
        self._additions = Additions(
            new,
            old,
            table_name,
            self.units,
            secrets=secrets,
            only_expiry=only_expiry,
            keep_later=keep_later,
            was=was,
        )

    def run(self, bar: Bar | None = None) -> Counter[str]:
        """Go through the table; returns the number of items by OUTCOMES."""
        # Consistently: what was answered to a writer before the run is in it.
        request = {"TableName": self._table_name, "ConsistentRead": True}
        Walk(self.units, request, self.settle, self._progress).run(NoBar() if bar is None else bar)
        counts: Counter[str] = Counter()
        for kind, count in self._progress.counts.items():
            counts[kind.partition(": ")[0]] += count
        return counts

    @property
    def reasons(self) -> list[Reason]:
        """Why items were left as they are, the most frequent first."""
        examples = self._progress.examples
        return [
            Reason(outcome, text, number, examples.get(kind, ""))
            for kind, number in self._progress.counts.most_common()
            for outcome, between, text in [kind.partition(": ")]
            if between
        ]

    def settle(self, items: list[Item]) -> Counter[str]:
        """Complete some items; returns their number by outcome."""
        return Counter(map(self._settle, items))

    def change_of(self, item: Item) -> ItemChange | None:
        """The change that an item needs."""
        return self._additions.of(item)

    def outcome_of(self, change: ItemChange) -> str:
        """The outcome of an item that was changed."""
        changed = {*change.replaced, *change.removed}
        return "expiry changed" if changed == {self._additions.design.ttl} else "completed"

    def _settle(self, item: Item) -> str:
        current: Item | None = item
        for _ in _ATTEMPTS:
            if current is None:
                return "gone"
            try:
                change = self.change_of(current)
            except (ForeignItem, NotAdditive) as problem:
                outcome = "left" if isinstance(problem, NotAdditive) else "foreign"
                return self._left(outcome, current, problem)
            if change is None:
                return "unchanged"
            if self._dry_run:
                return self.outcome_of(change)
            try:
                self.units.call("UpdateItem", change.update(self._table_name))
                return self.outcome_of(change)
            except Conflict:
                current = self._read(change.key)
            except StoreError as error:
                if type(error) not in (StoreError, ItemTooLarge):
                    raise  # not the item's fault
                return self._left("refused", current, error)
        return "busy"

    def _read(self, key: Item) -> Item | None:
        params = {"TableName": self._table_name, "Key": key, "ConsistentRead": True}
        return self.units.call("GetItem", params).get("Item")

    def _left(self, outcome: str, item: Item, why: Exception) -> str:
        kind, known = f"{outcome}: {why}", self._progress.examples
        if kind not in known and len(known) >= _REASONS:
            kind = f"{outcome}: other reasons"
        self._progress.note(kind, key_text({name: item[name] for name in self._key_names}))
        return kind


class Contraction(Backfill):
    """Removes the attributes that the design `unused` computed and the design `used` does not know.

    Fields stay: these are index keys, expiry and entity types alone, which follow from fields. Run
    it only when no code of the design `unused` reads or writes any more.
    """

    def __init__(
        self,
        used: type[Table],
        unused: type[Table],
        table_name: str,
        caller: Caller,
        *,
        rate: float | None = DEFAULT_RATE,
        segments: int = 4,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(
            used, unused, table_name, caller, rate=rate, segments=segments, progress=progress
        )
        self._names = removable_names(used.__design__, unused.__design__)
        self._unused = codecs(unused.__design__, table_name, self.units, None)

    def change_of(self, item: Item) -> ItemChange | None:
        """The change that removes what only the unused design computed."""
        codec = codec_of(self._unused, item)
        names = self._names.get(codec.entity.name, set()) if codec else set()
        removed = tuple(sorted(names & item.keys()))
        return ItemChange(self._key_names, item, {}, removed=removed) if removed else None

    def outcome_of(self, change: ItemChange) -> str:
        """The outcome of an item that was changed."""
        return "removed"


def removable_names(used: Design, unused: Design) -> dict[str, set[str]]:
    """By entity of the unused design: attributes that it computes, and the other does not know."""
    known = {*used.key.names, used.ttl, used.entity_type}
    known |= {name for index in used.indexes.values() for name in index.key.names}
    known |= {stored for entity in used.entity_list for stored in entity.by_stored}
    computed = {entity.name: derived_names(unused, entity) for entity in unused.entity_list}
    return {entity: names - known for entity, names in computed.items() if names - known}
