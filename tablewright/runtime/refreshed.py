"""Refreshed values: one thread reads a value again while the others use the one they hold."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from math import inf
from typing import Generic, NamedTuple, TypeVar

from tablewright.runtime.errors import StoreError

T = TypeVar("T")

GRACE_SECONDS = 0.25
"""How long the caller that starts a read waits for it, so that it usually gets the new value."""

PAUSE_SECONDS = 10.0
"""How long after the end of a read that failed the next one begins."""


HELD_SECONDS = 3600.0
"""How long after a read began secrets and keys are used that cannot be read again."""


class Reading(NamedTuple, Generic[T]):
    """A value, and the moments of the clock from which it is read again and no longer used."""

    value: T
    renew_at: float
    ends_at: float


class Refreshed(Generic[T]):
    """Value of a service that one thread reads again, once `renew_at` has passed. Thread-safe.

    Until `ends_at` all callers use the value held, while it is read and while that fails with one
    of the `tolerated` errors. The caller that starts a read waits for at most GRACE_SECONDS. After
    `ends_at`, and for the first value, callers wait for the read and get its error. `read` takes
    the time at which it begins.

    Example::

        keys = Refreshed("keys", lambda now: Reading(read_keys(), now + 300, now + HELD_SECONDS))
        keys.get()
    """

    def __init__(
        self,
        name: str,
        read: Callable[[float], Reading[T]],
        *,
        tolerated: tuple[type[Exception], ...] = (StoreError,),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._read = read
        self._tolerated = tolerated
        self._clock = clock
        self._lock = threading.Lock()
        self._held: Reading[T] | None = None
        self._begun_at = self._ended_at = self._paused_until = -inf
        self._running: _Read[T] | None = None

    def get(self, *, max_age: float = inf, newer: bool = False) -> T:
        """Return the value; one older than `max_age` seconds is waited for.

        With `newer` the end of a read is waited for, unless the last one ended less than
        PAUSE_SECONDS ago.
        """
        with self._lock:
            now, held = self._clock(), self._held
            if held is not None and now >= min(held.ends_at, self._begun_at + max_age):
                held = None
            is_awaited = held is None or (newer and now >= self._ended_at + PAUSE_SECONDS)
            is_due = held is None or now >= max(held.renew_at, self._paused_until)
            if held is not None and not (is_awaited or is_due):
                return held.value
            running = self._running
            starts = False
            if running is None or running.process != os.getpid():
                running = self._running = _Read()
                starts = True
        if is_awaited:
            if starts:
                self._run(running, now)
            running.done.wait()
        elif starts:
            threading.Thread(target=self._run, args=(running, now), daemon=True).start()
            running.done.wait(GRACE_SECONDS)
        if running.reading is not None:
            return running.reading.value
        if held is None or (running.error and not isinstance(running.error, self._tolerated)):
            raise running.error or RuntimeError(f"the thread that read {self._name} has died")
        return held.value

    def drop(self, value: T) -> None:
        """Use this value no more; one that was read since is kept."""
        with self._lock:
            if self._held is not None and self._held.value is value:
                self._held = None

    def _run(self, running: _Read[T], begun_at: float) -> None:
        try:
            running.reading = self._read(begun_at)
        except Exception as error:
            running.error = error
            if self._held is not None:  # otherwise the caller gets the error
                _log_failure(self._name, error)
        finally:
            with self._lock:
                self._ended_at = self._clock()
                if running.reading is not None:
                    self._held, self._begun_at = running.reading, begun_at
                else:
                    self._paused_until = self._ended_at + PAUSE_SECONDS
                if running.error and not isinstance(running.error, self._tolerated):
                    self._held = None
                self._running = None
            running.done.set()


class _Read(Generic[T]):
    """A read of this process: under way until `done`, then with a reading or an error."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.done = threading.Event()
        self.reading: Reading[T] | None = None
        self.error: Exception | None = None


def _log_failure(name: str, error: Exception) -> None:
    import logging  # seldom needed, and a tenth of a start

    logging.getLogger(__name__).error("%s could not be read again: %s", name, error)
