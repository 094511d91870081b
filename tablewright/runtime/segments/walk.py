"""Walk: a scan of a whole table in segments, side by side, that can be stopped at any moment."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.store.records import Item

PAGE = 250

Settle = Callable[[list[Item]], Counter[str]]


class Bar(Protocol):
    """What shows how far a walk is, such as a bar of tqdm."""

    def update(self, count: int) -> object:
        """So many more items were looked at."""
        ...


class NoBar:
    """Shows nothing."""

    def update(self, count: int) -> None:
        """Nothing."""


class Patient:
    """A caller that waits while it is throttled, which others need the table for."""

    def __init__(self, caller: Caller) -> None:
        # One that waits already is not waited for once more.
        self._caller: Caller = caller._caller if isinstance(caller, Patient) else caller

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, if need be after a while; raises StoreError."""
        for _ in Backoff(attempts=10, first=0.1, longest=10):
            try:
                return self._caller.call(operation, params)
            except Throttled as error:
                throttled = error
        raise throttled


class Walk:
    """A scan in segments. What is found is settled page by page, and how far it came is kept.

    `request` has what is scanned; `settle` is given the items of a page, in several threads at
    once, and tells what became of them. It is given a page again after a kill.
    """

    def __init__(
        self, caller: Caller, request: Mapping[str, Any], settle: Settle, progress: Progress
    ) -> None:
        self._caller = caller
        self._request = {"Limit": PAGE, **request}
        self._settle = settle
        self._progress = progress
        self._stopped = threading.Event()

    def run(self, bar: Bar) -> Counter[str]:
        """Go through all that is left; gives what became of the items, also of former runs'."""
        segments = self._progress.unfinished()
        with ThreadPoolExecutor(max_workers=max(1, len(segments))) as executor:
            try:
                for done in [executor.submit(self._segment, segment, bar) for segment in segments]:
                    done.result()
            finally:
                # Whatever ends one segment ends the others, after the page that they are at.
                self._stopped.set()
        return self._progress.counts

    def _segment(self, segment: int, bar: Bar) -> None:
        position = self._progress.position(segment)
        try:
            while not self._stopped.is_set():
                page = self._caller.call("Scan", self._params(segment, position))
                counts = self._settle(page["Items"])
                position = page.get("LastEvaluatedKey")
                # Saved after the page's writes: a kill before this line does the page again,
                # which changes nothing.
                self._progress.advance(segment, position, counts)
                bar.update(page["ScannedCount"])  # also what a filter left out
                if position is None:
                    return
        except BaseException:
            self._stopped.set()
            raise

    def _params(self, segment: int, position: Item | None) -> dict[str, Any]:
        segments = {"Segment": segment, "TotalSegments": self._progress.segments}
        start = {"ExclusiveStartKey": position} if position else {}
        return {**self._request, **segments, **start}
