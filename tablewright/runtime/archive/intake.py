"""Intake of an archive: a batch of the stream becomes objects that are named by what is in them."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tablewright.model.archive import ArchivePlan
from tablewright.runtime.archive.objects import INCOMING, Objects, name_of
from tablewright.runtime.archive.rows import Row, day_of, image_of, to_lines
from tablewright.runtime.streams.changes import Change, consume

Taken = tuple[str, Row]


class Intake:
    """Puts what a batch has for the archive into its bucket, an object for each day.

    A batch that is delivered again, whole or in parts, puts the same rows once more: the compaction
    takes each once.
    """

    def __init__(self, objects: Objects, plan: ArchivePlan) -> None:
        self._objects = objects
        self._plan = plan

    def take(self, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Take a batch; gives the answer that Lambda expects of a stream's consumer."""
        # What cannot be taken is Lambda's to deliver again, and to keep in the end.
        return consume(records, self._taken, self._put, failed=lambda change, error: False)

    def _taken(self, change: Change) -> Taken | None:
        image = image_of(change, self._plan)
        if image is None:
            return None
        return day_of(image, change, self._plan), Row.of(change, image, self._plan.key)

    def _put(self, taken: list[Taken | None]) -> None:
        days: dict[str, set[Row]] = defaultdict(set)
        for one in taken:
            if one is not None:
                days[one[0]].add(one[1])
        for day, rows in sorted(days.items()):
            ordered = sorted(rows)
            # Neither a name nor a time in it: the same rows are the same bytes.
            body = gzip.compress(to_lines(ordered), 6, mtime=0)
            self._objects.put(name_of(INCOMING, day, ordered[0].sequence, body, "jsonl.gz"), body)
