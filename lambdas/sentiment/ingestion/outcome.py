"""Outcome of an ingestion: what was stored, what was rejected, and why."""

import json
import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from lambdas.sentiment.ingestion import articles, items
from tablewright.catalog.news.design import Article
from tablewright.catalog.sentiment.dashboard import Dashboard, Rejected
from tablewright.catalog.sentiment.items import Item
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.store import Store

_UNFIT = re.compile(r"[^\x20-\x7e]")  # a name that somebody made up may stand in a reason
_REASON_LENGTH = 2000
_RAW_LENGTH = 4000
# In place of a field: the item as a whole is at fault.
_WHOLE = "item"
_FIELDS = {*items.ACCEPTED, *articles.ACCEPTED, _WHOLE}


class Rejection(NamedTuple):
    """Something that cannot be ingested: its place in the batch, and why."""

    position: int
    source: str
    raw: Any
    problems: tuple[tuple[str, str], ...]

    @property
    def reason(self) -> str:
        return "; ".join(f"{field} {what}" for field, what in self.problems)

    @property
    def source_id(self) -> str | None:
        """The id of the item, if it has one: all of it that may be written into a log."""
        given = self.raw.get("source_id") if isinstance(self.raw, dict) else None
        fields = (Item.source_id, Article.source_id)
        known = isinstance(given, str) and any(field.accepts_text(given) for field in fields)
        return given if known else None

    def pointers(self, batch: str) -> list[tuple[str, str]]:
        """What is wrong, by pointers into the batch that it came in."""
        place = f"{batch}/{self.position}"
        return [
            (place if field == _WHOLE else f"{place}/{field}", reason)
            for field, reason in self.problems
        ]

    def discreet(self) -> "Rejection":
        """The same with the names of our own fields only.

        Any other name is text that somebody made up, of any length and content.
        """
        shown = (
            (field, reason) if field in _FIELDS else (_WHOLE, f"has a field that {reason}")
            for field, reason in self.problems
        )
        return self._replace(problems=tuple(dict.fromkeys(shown)))


class Outcome(NamedTuple):
    """What became of a batch.

    `expired` is what is older than what is kept. `failures` has one for each thing that is sound
    and not finished: offered again, it will be.
    """

    stored: int
    duplicates: int
    rejected: list[Rejection]
    expired: int = 0
    failures: tuple[StoreError, ...] = ()

    def and_then(self, later: "Outcome") -> "Outcome":
        """What became of this batch and a later one."""
        return Outcome(
            self.stored + later.stored,
            self.duplicates + later.duplicates,
            self.rejected + later.rejected,
            self.expired + later.expired,
            self.failures + later.failures,
        )

    def discreet(self) -> "Outcome":
        return self._replace(rejected=[one.discreet() for one in self.rejected])

    def counts(self) -> dict[str, int]:
        return {
            "stored": self.stored,
            "duplicates": self.duplicates,
            "rejected": len(self.rejected),
            **({"expired": self.expired} if self.expired else {}),
            **({"unfinished": len(self.failures)} if self.failures else {}),
        }

    def raise_failure(self) -> None:
        """Let whoever sent a batch send it again when some of it is not finished."""
        if self.failures:
            raise self.failures[0]


def put_rejected(dashboard: Store, rejected: Iterable[Rejection], moment: str) -> None:
    """Keep what was rejected in the dashboard's table, the same thing once a day."""
    records: dict[tuple[str, str], Rejected] = {}
    for one in rejected:
        text = json.dumps(one.raw, default=str, sort_keys=True)
        record = Rejected(
            day=moment[:10],
            source=one.source,
            digest=blake2b(text.encode(), digest_size=16).hexdigest(),
            reason=_UNFIT.sub(" ", one.reason)[:_REASON_LENGTH],
            item=text[:_RAW_LENGTH],
        )
        records[record.source, record.digest] = record
    if records:
        dashboard.put_many(Dashboard.put_rejected, list(records.values()))


def source_of(raw: Any) -> str:
    """Where something unsound came from, as far as it says so in a form that a key can hold."""
    given = raw.get("source_type") if isinstance(raw, dict) else None
    return given if isinstance(given, str) and given.isalnum() and len(given) <= 64 else "unknown"
