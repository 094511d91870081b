"""Effort of a page: what it may read, ask and take in time before it is given out short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tablewright.runtime.deadline import seconds_left

EXAMINED_PER_PAGE = 1000
CALLS_PER_PAGE = 200
# What must be left of an invocation to look further.
_TIME_FOR_MORE = 10.0


class Effort:
    """What a page has found, and what it took to find it."""

    def __init__(self, limit: int, examine: int) -> None:
        self._limit = limit
        self._examine = examine
        self.found: list[Any] = []
        self.examined = 0
        self.calls = 0

    @property
    def wanted(self) -> int:
        return self._limit - len(self.found)

    @property
    def may_examine(self) -> int:
        return self._examine - self.examined

    @property
    def is_over(self) -> bool:
        """Whether it is full, or has done what one page may do."""
        if not self.wanted or self.may_examine <= 0:
            return True
        if not self.calls:
            return False  # every page gets on a little
        return self.calls >= CALLS_PER_PAGE or seconds_left() < _TIME_FOR_MORE

    def passed(self, items: int) -> None:
        """Items that were looked at by DynamoDB, and not sent."""
        self.examined += items

    def take(self, records: Sequence[Any | None], accept: Callable[[Any], bool]) -> int:
        """Add the records that are accepted until there are enough; gives how many entries these
        were."""
        for number, record in enumerate(records, 1):
            self.examined += 1
            if record is not None and accept(record):
                self.found.append(record)
            if not self.wanted:
                return number
        return len(records)
