"""Work that begins at the same moment, in threads of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def at_once(work: Sequence[Callable[[], T]]) -> list[T]:
    """What each gives, in their order; all of them begin once all are ready."""
    ready = Barrier(len(work))

    def begun(one: Callable[[], T]) -> T:
        ready.wait()
        return one()

    with ThreadPoolExecutor(len(work)) as threads:
        return list(threads.map(begun, work))
