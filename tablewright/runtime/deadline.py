"""Deadline of an invocation: near its end no call to AWS begins, so that there is time to answer.

A function that Lambda stops answers nothing: its caller waits in vain, and its messages wait for
their visibility to end. So every call at the edge asks here first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from math import inf
from typing import Any, TypeVar

Answer = TypeVar("Answer")

# What a function needs to answer once its last call has ended.
_ANSWERING = 1.0
# For the process: Lambda gives an environment one invocation at a time, all of whose threads are
# bound by it. More than one where one is part of another.
_under_way: list[float] = []


def seconds_left() -> float:
    """How long calls may still take; without an invocation, for ever."""
    return min(_under_way, default=inf) - time.monotonic()


@contextmanager
def invocation(context: Any, *, at_most: float = inf) -> Iterator[None]:
    """The time that a Lambda context leaves, and `at_most` so many seconds, binds what is within.

    A context that tells no time, as in a test, leaves for ever.
    """
    remaining = getattr(context, "get_remaining_time_in_millis", lambda: inf)() / 1000
    ends = time.monotonic() + min(remaining, at_most) - _ANSWERING
    _under_way.append(ends)
    try:
        yield
    finally:
        _under_way.remove(ends)


def in_time(
    handler: Callable[[dict[str, Any], Any], Answer],
) -> Callable[[dict[str, Any], Any], Answer]:
    """A handler whose calls to AWS end before its invocation does.

    Example::

        @in_time
        def handler(event, context): ...
    """

    @wraps(handler)
    def bound(event: dict[str, Any], context: Any) -> Answer:
        with invocation(context):
            return handler(event, context)

    return bound
