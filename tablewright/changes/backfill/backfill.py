"""Backfill: every item of a live table, written as its new design writes it.

Each item is read, rederived and written on the condition that it is as it was read: whoever writes
it meanwhile wins, and it is read again. So programs go on, the backfill may be stopped at any
moment, and may run twice at once.

Signatures::

    Backfill(new, old, table_name, caller, *, rate=None, segments=4, progress=None, dry_run=False,
             secrets=None, only_expiry=False, keep_later=False, moves=True)
    Backfill.run(bar=None) -> Counter[str]      # of OUTCOMES; UNSETTLED must be looked at
    Backfill.reasons -> list[Reason]            # why items were left: text, number, example
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tablewright.changes.backfill.entries import key_text
from tablewright.changes.backfill.pace import PacedCaller
from tablewright.changes.backfill.rewriting import Rewriting
from tablewright.model.declaration import Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import (
    Conflict,
    ItemTooLarge,
    SecretUnreadable,
    StoreError,
    TransactionCanceled,
)
from tablewright.runtime.rederivation import NotRederivable, Rederived
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Bar, NoBar, Patient, Walk
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

OUTCOMES = {
    "unchanged": "as the design writes them",
    "rewritten": "rewritten where they are",
    "moved": "moved to their new key",
    "superseded": "removed from their old key, since they had been written under the new one",
    "gone": "removed by others meanwhile",
    "busy": "changed by others all the while: left for the next run",
    "refused": "refused by DynamoDB, and left as they are",
    "not rederivable": "that the design cannot write, left as they are",
}
"""What can become of an item, and how it is put in words."""

UNSETTLED = ("busy", "refused", "not rederivable")
"""What somebody must look at, or run again for."""

_ATTEMPTS = Backoff(attempts=6, first=0.02, longest=1)
_UNMET = "ConditionalCheckFailed"
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
# Of more than so many, those beyond are counted as one.
_REASONS = 50


class Reason(NamedTuple):
    """Why items were left as they are: how many, and the key of one."""

    outcome: str
    text: str
    number: int
    example: str


class Backfill:
    """Writes every item of a table as the design `new` does, where `old` may have written it.

    `rate` limits capacity units a second, of reads and of writes each; `progress` is kept in a file
    for a run that is to go on after a kill. A dry run counts and writes nothing. An item whose key
    changes is moved in a transaction; where its new key has been written already, that one stays.
    Without `moves` it is left, as not rederivable.

    Example::

        backfill = Backfill(Orders, OrdersBefore, "dev-orders", caller, rate=200)
        backfill.run()          # Counter({"rewritten": 812, "unchanged": 40})
    """

    def __init__(
        self,
        new: type[Table],
        old: type[Table] | None,
        table_name: str,
        caller: Caller,
        *,
        rate: float | None = None,
        segments: int = 4,
        progress: Progress | None = None,
        dry_run: bool = False,
        secrets: Secrets | None = None,
        only_expiry: bool = False,
        keep_later: bool = False,
        moves: bool = True,
    ) -> None:
        self._table_name = table_name
        self._progress = progress or Progress(None, table_name, segments)
        self._dry_run = dry_run
        self.units = PacedCaller(Patient(caller), rate)
        self._rewriting = Rewriting(
            new,
            old,
            table_name,
            self.units,
            secrets=secrets,
            only_expiry=only_expiry,
            keep_later=keep_later,
            moves=moves,
        )

    def run(self, bar: Bar | None = None) -> Counter[str]:
        """Go through the table; gives how many items came to each of OUTCOMES."""
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
        """Write those of some items that are not as they should be; gives what became of them."""
        return Counter(map(self._settle, items))

    def _settle(self, item: Item) -> str:
        now: Item | None = item
        for _ in _ATTEMPTS:
            if now is None:
                return "gone"
            try:
                rederived = self._rewriting.of(now)
            except (NotRederivable, SecretUnreadable) as problem:
                return self._left("not rederivable", now, problem)
            if not rederived.changed:
                return "unchanged"
            if self._dry_run:
                return "moved" if rederived.is_moved else "rewritten"
            try:
                return self._write(rederived)
            except Conflict:
                now = self._read(now)
            except StoreError as error:
                if type(error) not in (StoreError, ItemTooLarge, TransactionCanceled):
                    raise  # no fault of the item's
                return self._left("refused", now, error)
        return "busy"

    def _write(self, rederived: Rederived) -> str:
        if not rederived.is_moved:
            self.units.call("UpdateItem", rederived.update(self._table_name))
            return "rewritten"
        # Its own token: an attempt whose answer was lost is not taken for another's.
        token = {"ClientRequestToken": os.urandom(16).hex()}
        try:
            self.units.call("TransactWriteItems", rederived.move(self._table_name) | token)
        except TransactionCanceled as canceled:
            put, delete = canceled.reasons
            if delete == _UNMET or {put, delete} & _PASSING:
                raise Conflict("the item is being changed by others") from canceled
            if put != _UNMET:
                raise
        else:
            return "moved"
        return self._supersede(rederived)

    def _supersede(self, rederived: Rederived) -> str:
        """Remove an item whose new key is taken, if by the same thing."""
        there = self._read(rederived.after)
        if there is None:
            raise Conflict("the item under the new key is gone again")
        if not self._rewriting.is_same(rederived, there):
            taken = f"{rederived.entity}: another item has its new key"
            return self._left("not rederivable", rederived.before, taken)
        self.units.call("DeleteItem", rederived.remove(self._table_name))
        return "superseded"

    def _read(self, item: Item) -> Item | None:
        params = {"TableName": self._table_name, "Key": self._key(item), "ConsistentRead": True}
        return self.units.call("GetItem", params).get("Item")

    def _left(self, outcome: str, item: Item, why: Exception | str) -> str:
        kind, known = f"{outcome}: {why}", self._progress.examples
        if kind not in known and len(known) >= _REASONS:
            kind = f"{outcome}: other reasons"
        self._progress.note(kind, key_text(self._key(item)))
        return kind

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self._rewriting.new.key.names}
