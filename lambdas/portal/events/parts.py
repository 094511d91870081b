"""Parts of an export: events as JSON lines in gzip, bounded, the same for the same events."""

from collections.abc import Iterable, Iterator
from gzip import GzipFile
from io import BytesIO
from typing import NamedTuple

from lambdas.portal.events.exact_json import exact_json
from tablewright.catalog.portal.events import Event

# A change of these changes which events are in which part: remove what of a day without a manifest
# is in the bucket, or its export will refuse to be finished.
PART_EVENTS = 100_000
PART_BYTES = 64 * 1024 * 1024

# The day is that of the folder.
COLUMNS = tuple(field.name for field in Event.__entity__.fields if field.name != "date_bucket")


class Part(NamedTuple):
    """A file, how many events are in it, and which is the last."""

    body: bytes
    events: int
    last: Event


def line_of(event: Event) -> bytes:
    """An event on a line. Metadata is JSON in a text: names that differ in nothing but case are
    one column to those who read it."""
    columns = {name: event[name] for name in COLUMNS if name in event}
    if "metadata" in columns:
        # DynamoDB keeps no order in maps, and the same event is to be the same line.
        columns["metadata"] = exact_json(columns["metadata"], sort_keys=True)
    return exact_json(columns).encode() + b"\n"


def parts_of(
    events: Iterable[Event], *, most_events: int = PART_EVENTS, most_bytes: int = PART_BYTES
) -> Iterator[Part]:
    """The events in files, each full but the last: no more than one of them is in memory."""
    file = _File()
    for event in events:
        file.add(event)
        if file.events >= most_events or file.size >= most_bytes:
            yield file.closed()
            file = _File()
    if file.events:
        yield file.closed()


class _File:
    def __init__(self) -> None:
        self._body = BytesIO()
        # Neither a name nor a time in it: they would be all that two files differ in.
        self._lines = GzipFile("", "wb", 6, self._body, mtime=0)
        self._last: Event  # of those that were added
        self.events = 0
        self.size = 0

    def add(self, event: Event) -> None:
        self.size += self._lines.write(line_of(event))
        self.events += 1
        self._last = event

    def closed(self) -> Part:
        self._lines.close()
        return Part(self._body.getvalue(), self.events, self._last)
