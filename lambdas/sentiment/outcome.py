"""What became of what was offered, and where the unsound is kept for an operator to see."""

import json
import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from tablewright.catalog.sentiment.dashboard import DASHBOARD, REJECTED
from tablewright.model import Record
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.store import Store

_UNFIT = re.compile(r"[^\x20-\x7e]")  # a name that somebody made up may stand in a reason
_REASON_LENGTH = 2000
_RAW_LENGTH = 4000


class Refused(NamedTuple):
    """Something that cannot be ingested: its place in the batch, and why."""

    position: int
    source: str
    raw: Any
    problems: tuple[tuple[str, str], ...]

    @property
    def reason(self) -> str:
        return "; ".join(f"{field} {what}" for field, what in self.problems)


class Outcome(NamedTuple):
    """What became of a batch.

    `expired` is what is older than what is kept. `failures` has one for each thing that is sound
    and not finished: offered again, it will be.
    """

    stored: int
    duplicates: int
    refused: list[Refused]
    expired: int = 0
    failures: tuple[StoreError, ...] = ()

    def and_then(self, later: "Outcome") -> "Outcome":
        """What became of this batch and a later one."""
        return Outcome(
            self.stored + later.stored,
            self.duplicates + later.duplicates,
            self.refused + later.refused,
            self.expired + later.expired,
            self.failures + later.failures,
        )


def park(dashboard: Store, refused: Iterable[Refused], moment: str) -> None:
    """Keep what was refused in the dashboard's table, the same thing once a day."""
    records: dict[tuple[str, str], Record] = {}
    for one in refused:
        text = json.dumps(one.raw, default=str, sort_keys=True)
        record = REJECTED.check(
            {
                "day": moment[:10],
                "source": one.source,
                "digest": blake2b(text.encode(), digest_size=16).hexdigest(),
                "reason": _UNFIT.sub(" ", one.reason)[:_REASON_LENGTH],
                "item": text[:_RAW_LENGTH],
            }
        )
        records[record["source"], record["digest"]] = record
    if records:
        dashboard.put_many(DASHBOARD.put_rejected, list(records.values()))


def source_of(raw: Any) -> str:
    """Where something unsound came from, as far as it says so in a form that a key can hold."""
    given = raw.get("source_type") if isinstance(raw, dict) else None
    return given if isinstance(given, str) and given.isalnum() and len(given) <= 64 else "unknown"
