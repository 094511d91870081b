"""Merge of sorted runs of rows: each row once, no more in memory than runs that overlap."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tablewright.runtime.archive.rows import Row


class Run(NamedTuple):
    """Rows in order; none has a lower number than `first`."""

    first: int
    rows: Callable[[], Iterable[Row]]


def merged(runs: Iterable[Run]) -> Iterator[Row]:
    """The rows of all runs in order. A run is opened when its first row can be the next: those of
    one shard of a stream follow one another, so few are open at once."""
    waiting = sorted(runs, key=lambda run: run.first, reverse=True)
    opened: list[tuple[Row, int, Iterator[Row]]] = []
    last: tuple[int, str] | None = None
    while waiting or opened:
        while waiting and (not opened or waiting[-1].first <= opened[0][0].sequence):
            _push(opened, iter(waiting.pop().rows()), len(waiting))
        if not opened:
            continue
        row, number, rows = heapq.heappop(opened)
        _push(opened, rows, number)
        if last != row[:2]:
            last = row[:2]
            yield row


def _push(opened: list[tuple[Row, int, Iterator[Row]]], rows: Iterator[Row], number: int) -> None:
    row = next(rows, None)
    if row is not None:
        # The number tells runs apart that are at the same row: rows are compared, iterators not.
        heapq.heappush(opened, (row, number, rows))


def parts(rows: Iterable[Row], *, most_rows: int, most_bytes: int) -> Iterator[list[Row]]:
    """The rows in lists, each full but the last."""
    part: list[Row] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row.item)
        if len(part) >= most_rows or size >= most_bytes:
            yield part
            part, size = [], 0
    if part:
        yield part
