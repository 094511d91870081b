"""Event export: a closed day's events in a bucket, the same files however often it is run.

First the parts, in order; the manifest last. Whoever begins again, or goes on from where another
run got to, writes the same objects, so that two exports at once, or one that died, do no harm. A
day that has a manifest is whole.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import dropwhile
from typing import Any, NamedTuple

from lambdas.portal.contract import EXPORT_PREFIX
from lambdas.portal.events.parts import PART_BYTES, PART_EVENTS, Part, parts_of
from lambdas.portal.events.rules import exportable
from tablewright.catalog.portal.events import Event, Events
from tablewright.model import InvalidValue
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.store import Store

# What begins with an underscore is no data to Athena.
MANIFEST = "_manifest.json"
# Read over all shards, however many there are: what bounds the memory that events take.
_AT_ONCE = 5000


class FolderDisturbed(TablewrightError):
    """A day's folder has other files than its export has written: see to them, then export anew."""


class Progress(NamedTuple):
    """How far a day's export has come: its parts, as pairs of events and bytes, and the moment and
    id of the last event in them."""

    parts: tuple[tuple[int, int], ...] = ()
    after: tuple[str, str] | None = None
    whole: bool = False

    @classmethod
    def of(cls, event: dict[str, Any]) -> "Progress":
        """The progress that a run sent the next in an event."""
        if "parts" not in event and "after" not in event:
            return cls()
        parts: Any = event.get("parts")
        after: Any = event.get("after")
        sent = isinstance(parts, list) and parts and all(_is_pair(one, int) for one in parts)
        if not sent or not _is_pair(after, str):
            raise InvalidValue("parts", "and after must be what the run before has sent")
        return cls(tuple((events, size) for events, size in parts), (after[0], after[1]))

    @property
    def events(self) -> int:
        return sum(events for events, _ in self.parts)

    def to_event(self) -> dict[str, Any]:
        """What the next run is to know."""
        return {"parts": [list(one) for one in self.parts], "after": self.after}

    def with_part(self, part: Part) -> "Progress":
        last = (part.last.timestamp, part.last.event_id)
        return Progress((*self.parts, (part.events, len(part.body))), last)


class EventExport:
    """Exports days of a table of events to a bucket."""

    def __init__(
        self,
        store: Store,
        s3: Caller,
        bucket: str,
        *,
        part_events: int = PART_EVENTS,
        part_bytes: int = PART_BYTES,
    ) -> None:
        self._store = store
        self._s3 = s3
        self._bucket = bucket
        self._sizes = {"most_events": part_events, "most_bytes": part_bytes}

    def missing(self, days: Iterable[str]) -> list[str]:
        """Those of the days that have no manifest."""
        return [day for day in days if not self.is_whole(day)]

    def is_whole(self, day: str) -> bool:
        return manifest_key(day) in self._keys(manifest_key(day))

    def run(
        self,
        day: str,
        now: datetime,
        progress: Progress | None = None,
        in_time: Callable[[], bool] = lambda: True,
    ) -> Progress | None:
        """Export a day, or what is left of it; part by part while there is time, at least one.

        Gives how far it came, None for a day that was whole already. Refuses a day that is not
        closed, or whose events have begun to expire.
        """
        progress = progress or Progress()
        day = exportable(day, now)
        if self.is_whole(day):
            return None
        for part in parts_of(self._events(day, progress.after), **self._sizes):
            self._put(part_key(day, len(progress.parts)), part.body, "application/gzip")
            progress = progress.with_part(part)
            if not in_time():
                return progress
        self._finish(day, progress)
        return progress._replace(whole=True)

    def _events(self, day: str, after: tuple[str, str] | None) -> Iterator[Event]:
        """The day's events from a position on, in the order in which they happened."""
        pattern, where = Events.exported_events, {"date_bucket": day}
        if after is None:
            return self._store.each(pattern, where, at_once=_AT_ONCE)
        # The range begins with the millisecond, in which others may have been before.
        rest = self._store.each(pattern, where, since=after[0], at_once=_AT_ONCE)
        return dropwhile(lambda event: (event.timestamp, event.event_id) <= after, rest)

    def _finish(self, day: str, progress: Progress) -> None:
        """Say that the day is whole, if what was written is what is there."""
        written = [part_key(day, number) for number in range(len(progress.parts))]
        others = set(written) ^ (set(self._keys(f"{folder(day)}/")) - {manifest_key(day)})
        if others:
            named = ", ".join(sorted(others)[:5])
            raise FolderDisturbed(f"{len(others)} objects are too many or gone, such as {named}")
        parts = [
            {"key": key, "events": events, "bytes": size}
            for key, (events, size) in zip(written, progress.parts, strict=True)
        ]
        manifest = {"day": day, "events": progress.events, "parts": parts}
        self._put(manifest_key(day), json.dumps(manifest).encode(), "application/json")

    def _put(self, key: str, body: bytes, content_type: str) -> None:
        self._s3.call(
            "PutObject",
            {"Bucket": self._bucket, "Key": key, "Body": body, "ContentType": content_type},
        )

    def _keys(self, prefix: str) -> Iterator[str]:
        asked: dict[str, Any] = {"Bucket": self._bucket, "Prefix": prefix}
        while True:
            answer = self._s3.call("ListObjectsV2", asked)
            yield from (found["Key"] for found in answer.get("Contents", []))
            if not answer.get("IsTruncated"):
                return
            asked["ContinuationToken"] = answer["NextContinuationToken"]


def folder(day: str) -> str:
    return f"{EXPORT_PREFIX}day={day}"


def part_key(day: str, number: int) -> str:
    return f"{folder(day)}/part-{number:05}.jsonl.gz"


def manifest_key(day: str) -> str:
    return f"{folder(day)}/{MANIFEST}"


def _is_pair(value: Any, kind: type) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(one) is kind for one in value)
