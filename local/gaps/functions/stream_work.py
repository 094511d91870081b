"""One consumer's way through a stream: the batch that is filling and those that are unfinished."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from local.gaps.functions.stream_batches import Batch, Record, Remains, Settings

READ_LIMIT = 10_000
_RETRY_SECONDS = 0.2
_LONGEST_WAIT_SECONDS = 10.0


@dataclass
class Work:
    """Batches in order: the next is read once the one before it is done or given up."""

    # Called with the seconds after which it is worth looking again.
    wake: Callable[[float], None]
    todo: list[Batch] = field(default_factory=list)
    _not_before: float = 0.0
    # When the first record of a batch that is still filling was seen.
    _filling_since: float | None = None

    @property
    def waits(self) -> bool:
        return time.monotonic() < self._not_before

    def wait(self, seconds: float = _RETRY_SECONDS) -> None:
        seconds = min(seconds, _LONGEST_WAIT_SECONDS)
        self._not_before = time.monotonic() + seconds
        self.wake(seconds)

    def fill(
        self,
        start: int,
        records: list[Record],
        settings: Settings,
        matches: Callable[[Record], bool],
    ) -> int:
        """Take the next batch when it is full or has waited for its window.

        The filter comes first: only records that match fill a batch. The answer is the position
        before which nothing is left to do.
        """
        every: Iterable[tuple[int, Record]] = enumerate(records, start)
        chosen = list(islice((each for each in every if matches(each[1])), settings.batch_size))
        if not chosen:
            return start + len(records)
        full = len(chosen) == settings.batch_size
        if full or self._has_waited(settings.window):
            self._filling_since = None
            end = chosen[-1][0] + 1 if full else start + len(records)
            positions, taken = zip(*chosen, strict=True)
            self.todo = [Batch(records=taken, positions=positions, end=end)]
        return start

    def settle(self, left: Remains) -> int:
        """Replace the first batch by what is left of it; the answer is as that of `fill`."""
        done = self.todo[0]
        self.todo[:1] = left.todo
        self._not_before = 0.0
        if not left.todo:
            return done.end
        if retries := left.todo[0].retries:
            self.wait(_RETRY_SECONDS * 2 ** min(retries, 10))
        return left.todo[0].start

    def _has_waited(self, window: int) -> bool:
        now = time.monotonic()
        if self._filling_since is None:
            self._filling_since = now
            if window:
                self.wake(window)
        return now - self._filling_since >= window
