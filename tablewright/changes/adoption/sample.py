"""Sample: items from all over a table, some of each segment of a parallel scan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from tablewright.runtime.aws import Caller
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.records import Item

_PAGE = 500  # items of a call, so that no segment gives all of them


class Sample(NamedTuple):
    """Items of a table, and the read capacity units that they took."""

    items: tuple[Item, ...]
    units: float


def sample_table(caller: Caller, name: str, *, items: int, segments: int) -> Sample:
    """At most so many items, about as many of each segment, by eventually consistent reads.

    Each segment is scanned from its beginning, all side by side; those that have fewer leave more
    to the others.

    Example::

        sample_table(connect(session, "dynamodb"), "orders", items=10_000, segments=8)
    """
    scans = [_Segment(caller, name, at, segments) for at in range(segments)]
    found: list[list[Item]] = [[] for _ in scans]
    while True:
        left = items - sum(map(len, found))
        going = [at for at, scan in enumerate(scans) if not scan.ended]
        if left <= 0 or not going:
            break
        # The last ones of a sample are of as many segments as there are items left.
        going = going[:left]
        limit = min(_PAGE, left // len(going))
        pages = in_parallel(partial(_page, scans, limit), going)
        for at, page in zip(going, pages, strict=True):
            found[at] += page
    every = tuple(item for some in found for item in some)
    return Sample(every, sum(scan.units for scan in scans))


def _page(scans: Sequence[_Segment], limit: int, at: int) -> list[Item]:
    return scans[at].page(limit)


class _Segment:
    """A segment that is scanned page by page."""

    def __init__(self, caller: Caller, table: str, segment: int, segments: int) -> None:
        self._caller = caller
        self._request: dict[str, Any] = {
            "TableName": table,
            "Segment": segment,
            "TotalSegments": segments,
            "ReturnConsumedCapacity": "TOTAL",
        }
        self.ended = False
        self.units = 0.0

    def page(self, limit: int) -> list[Item]:
        answer = self._caller.call("Scan", {**self._request, "Limit": limit})
        self.units += float(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0))
        position = answer.get("LastEvaluatedKey")
        self.ended = position is None
        self._request["ExclusiveStartKey"] = position
        return list(answer["Items"])
