"""Compaction of an archive: what came in of a day, and what it has, becomes one set of files.

Files are written first, then the day's manifest, by one write that fails where another run was
first; only then what came in is removed. So whatever breaks off where, the day is as it was or as
it is to be, and the next run, which finds what is left of the incoming, ends in the same files.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from io import BytesIO
from typing import NamedTuple

from tablewright.model.archive import ArchivePlan
from tablewright.runtime.archive.merge import Run, merged, parts
from tablewright.runtime.archive.objects import (
    FILES,
    INCOMING,
    Manifest,
    Objects,
    first_of,
    folder,
    name_of,
)
from tablewright.runtime.archive.parquet import from_parquet, to_parquet
from tablewright.runtime.archive.rows import Row, from_lines

MOST_ROWS = 100_000
MOST_BYTES = 64 * 1024 * 1024
# Longer than any run: what is older and in no manifest is nobody's.
_ABANDONED = timedelta(hours=1)


class Compacted(NamedTuple):
    """What became of a day: how many objects came in, rows there are now, in how many files."""

    day: str
    incoming: int
    rows: int
    files: int


class Compaction:
    """Compacts days of an archive."""

    def __init__(
        self,
        objects: Objects,
        plan: ArchivePlan,
        *,
        most_rows: int = MOST_ROWS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._objects = objects
        self._plan = plan
        self._sizes = {"most_rows": most_rows, "most_bytes": most_bytes}

    def days(self) -> list[str]:
        """The days of which something came in."""
        return self._objects.days(INCOMING)

    def run(self, day: str, *, until: datetime, now: datetime) -> Compacted:
        """Compact a day, with what came in of it until a moment; raises Conflict when another run
        of the same day was faster."""
        before = self._objects.manifest(day)
        found = self._objects.listed(folder(INCOMING, day))
        incoming = [one.name for one in found if one.since < until]
        if not incoming:
            return Compacted(day, 0, 0, len(before.files))
        files, rows = self._write(day, incoming, before)
        if tuple(files) != before.files:
            self._objects.commit(day, files, before)
        self._clean(day, set(files), now)
        # Last: as long as something is incoming, the day is looked at again.
        for name in incoming:
            self._objects.delete(name)
        return Compacted(day, len(incoming), rows, len(files))

    def _write(self, day: str, incoming: list[str], before: Manifest) -> tuple[list[str], int]:
        runs = [
            *(Run(first_of(name), self._reader(name, self._file)) for name in before.files),
            *(Run(first_of(name), self._reader(name, self._batch)) for name in incoming),
        ]
        files: list[str] = []
        count = 0
        for part in parts(merged(runs), **self._sizes):
            body = to_parquet(part, self._plan)
            name = name_of(FILES, day, part[0].sequence, body, "parquet")
            if name not in before.files:
                self._objects.put(name, body)
            files.append(name)
            count += len(part)
        return files, count

    def _clean(self, day: str, files: set[str], now: datetime) -> None:
        """Remove what the day was before, and what a run has left that did not come to its end."""
        for found in list(self._objects.listed(folder(FILES, day))):
            if found.name not in files and found.since < now - _ABANDONED:
                self._objects.delete(found.name)

    def _reader(
        self, name: str, read: Callable[[str], Iterable[Row]]
    ) -> Callable[[], Iterable[Row]]:
        return lambda: read(name)

    def _file(self, name: str) -> Iterable[Row]:
        return from_parquet(self._objects.get(name), self._plan.key)

    def _batch(self, name: str) -> Iterator[Row]:
        with gzip.open(BytesIO(self._objects.get(name))) as lines:
            yield from from_lines(lines, self._plan.key)
