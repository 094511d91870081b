"""TTL cache: what was read serves for a while, so that not every request reads it again."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from tablewright.runtime.errors import Throttled, Unavailable

log = logging.getLogger(__name__)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Whatever would be refused is looked at again, but not more often than this: so long, at the most,
# is a form, a domain or a key unknown that was just made.
REFRESH_AFTER = 0.25
_MOST = 1024
# Before what is held is asked for again that could not be read.
_PAUSE = 10.0


class TtlCache(Generic[K, V]):
    """Reads by a key, and gives what it read for `life` seconds; of very many, the last used.

    That there is nothing is cached for a moment only: what has just been made is found. An error is
    not cached at all. With `hold`, what was read goes on to serve while it cannot be
    read again. Safe among threads.
    """

    def __init__(
        self,
        read: Callable[[K], V | None],
        *,
        life: float,
        hold: bool = False,
        most: int = _MOST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._life = life
        self._hold = hold
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, tuple[float, V | None]] = OrderedDict()

    def get(self, key: K, *, refresh: bool = False) -> V | None:
        """The value of this key; with `refresh`, not older than a quarter of a second."""
        with self._lock:
            kept = self._kept.get(key)
            if kept:
                life = REFRESH_AFTER if refresh or kept[1] is None else self._life
                if self._clock() - kept[0] < life:
                    self._kept.move_to_end(key)
                    return kept[1]
        # Counted from before the read: what is written while it is under way may be missing.
        begun = self._clock()
        try:
            found = self._read(key)
        except (Throttled, Unavailable) as error:
            if not self._hold or kept is None or kept[1] is None:
                raise
            log.error("what is cached cannot be read again, so it serves on: %s", error)
            begun, found = begun - self._life + _PAUSE, kept[1]
        with self._lock:
            self._kept[key] = (begun, found)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found
