"""Waiting between attempts: exponential, with full jitter, so that callers do not march in step."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tablewright.runtime.deadline import seconds_left


class Backoff:
    """At most `attempts` tries; the wait before try n is random up to `first` * 2^n seconds.

    There is no further try when the invocation has no time for another wait.
    """

    __slots__ = ("attempts", "first", "longest")

    def __init__(self, *, attempts: int = 8, first: float = 0.05, longest: float = 2.0) -> None:
        self.attempts = attempts
        self.first = first
        self.longest = longest

    def __iter__(self) -> Iterator[int]:
        for attempt in range(self.attempts):
            if attempt:
                most = min(self.longest, self.first * 2**attempt)
                if seconds_left() < most:
                    return
                self.sleep(random.uniform(0, most))  # noqa: S311 - jitter is no secret
            yield attempt

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        time.sleep(seconds)
