"""TTL cache: what was read serves for a while, so that not every request reads it again."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from math import inf
from typing import Generic, TypeVar

from tablewright.runtime.errors import Throttled, Unavailable
from tablewright.runtime.refreshed import Reading, Refreshed

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Whatever would be refused is looked at again, but not more often than this: so long, at the most,
# is a form, a domain or a key unknown that was just made.
REFRESH_AFTER = 0.25
_MOST = 1024


class TtlCache(Generic[K, V]):
    """Reads by a key, and gives what it read for `life` seconds; of very many, the last used.

    That there is nothing is cached for a moment only: what has just been made is found. An error is
    not cached at all. With `hold`, one thread reads a value again, and the others use the one held
    meanwhile and, for so many seconds after it was read, while that fails; without, all wait for
    the read. Safe among threads.
    """

    def __init__(
        self,
        read: Callable[[K], V | None],
        *,
        life: float,
        hold: float = 0,
        most: int = _MOST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._life = life
        self._hold = hold
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, Refreshed[V | None]] = OrderedDict()

    def get(self, key: K, *, refresh: bool = False) -> V | None:
        """The value of this key; with `refresh`, not older than a quarter of a second."""
        with self._lock:
            value = self._kept.get(key)
            if value is None:
                read = partial(self._read_now, key)
                tolerated = (Throttled, Unavailable)
                value = self._kept[key] = Refreshed(
                    "cached value", read, tolerated=tolerated, clock=self._clock
                )
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value.get(max_age=REFRESH_AFTER if refresh else inf)

    def _read_now(self, key: K, now: float) -> Reading[V | None]:
        # Counted from before the read: what is written while it is under way may be missing.
        value = self._read(key)
        renew_at = now + (REFRESH_AFTER if value is None else self._life)
        ends_at = renew_at if value is None else max(renew_at, now + self._hold)
        return Reading(value, renew_at, ends_at)
