"""Waiting between attempts: exponential, with full jitter, so that callers do not march in step."""

import random
import time
from collections.abc import Iterator


class Backoff:
    """At most `attempts` tries; the wait before try n is random up to `first` * 2^n seconds."""

    __slots__ = ("attempts", "first", "longest")

    def __init__(self, *, attempts: int = 8, first: float = 0.05, longest: float = 2.0) -> None:
        self.attempts = attempts
        self.first = first
        self.longest = longest

    def __iter__(self) -> Iterator[int]:
        for attempt in range(self.attempts):
            if attempt:
                most = min(self.longest, self.first * 2**attempt)
                self.sleep(random.uniform(0, most))  # noqa: S311 - jitter is no secret
            yield attempt

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
