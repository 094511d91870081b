"""Work side by side: on the threads of this process, and on the one that asks for it.

Whoever asks takes part, and waits for nobody who has not begun. So work may ask for more of it,
however many do at once, and threads that are busy elsewhere hold nothing up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from tablewright.runtime.aws import CONNECTIONS
from tablewright.runtime.errors import StoreError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Element = TypeVar("Element")
Result = TypeVar("Result")


@cache
def _threads() -> ThreadPoolExecutor:
    """As many as a client has connections, made when needed: many functions need none."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(CONNECTIONS, "tablewright")


def in_parallel(work: Callable[[Element], Result], elements: Iterable[Element]) -> list[Result]:
    """The results in order. Without threads when there is nothing to be gained by them.

    When one fails, no more are begun and those that were are waited for: a function that has
    answered is frozen, and what it left running would write on in its next invocation.

    Example::

        sizes = in_parallel(lambda key: size_of(bucket, key), keys)
    """
    elements = list(elements)
    if len(elements) < 2:
        return [work(element) for element in elements]
    todo = deque(enumerate(elements))
    results: dict[int, Result] = {}
    failures: dict[int, BaseException] = {}

    def take_part() -> None:
        while todo and not failures:
            try:
                at, element = todo.popleft()
            except IndexError:
                return  # another thread was first
            try:
                results[at] = work(element)
            except BaseException as error:
                failures[at] = error

    others = [_threads().submit(take_part) for _ in range(min(len(elements) - 1, CONNECTIONS))]
    take_part()
    for one in others:
        if not one.cancel():
            one.result()
    if failures:
        raise failures[min(failures)]
    return [results[at] for at in range(len(elements))]


def try_in_parallel(
    work: Callable[[Element], Result], elements: Iterable[Element]
) -> list[Result | StoreError]:
    """What each came to, or failed with, in order: one that fails stops no other."""

    def attempt(element: Element) -> Result | StoreError:
        try:
            return work(element)
        except StoreError as error:
            return error

    return in_parallel(attempt, elements)


class Begun(Generic[Result]):
    """Work that a thread takes on when one is free."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._future: Future[Result] = _threads().submit(work)

    def result(self) -> Result:
        """What it comes to. Done here and now when no thread has taken it on."""
        return self._work() if self._future.cancel() else self._future.result()

    def settle(self) -> None:
        """Leave nothing running that nobody waits for."""
        if not self._future.cancel():
            self._future.exception()
