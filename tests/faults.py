"""A fault injector for the edge of the store: fails the k-th call, before or after its effect.

What AWS can do to a call is one of these: refuse it (nothing happened), lose the answer (it
happened, nobody knows), or the process dies on either side of it. A test runs the work with each
fault at each call, retries as the caller of the work would, and compares what is stored with what
is stored without faults.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import pytest

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled, Unavailable

_RETRIES = 3


class Crash(BaseException):
    """The process died: nothing in it, not even its error handling, runs any further."""


@dataclass(frozen=True)
class Fault:
    """What happens to call number `at`."""

    at: int
    effect: str  # whether the call takes place: "before" (no) or "after" (yes)
    kind: str  # "throttled", "unavailable" or "crash"

    def raised(self) -> BaseException:
        kinds: dict[str, BaseException] = {
            "throttled": Throttled("injected"),
            "unavailable": Unavailable("injected"),
            "crash": Crash(),
        }
        return kinds[self.kind]


class Faulty:
    """Passes calls on until the faulty one; counts them all."""

    def __init__(self, caller: Caller, fault: Fault | None = None) -> None:
        self._caller = caller
        self._fault = fault
        self._lock = Lock()
        self.calls = 0
        self.struck = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            number = self.calls
            self.calls += 1
        strikes = self._fault is not None and number == self._fault.at
        if strikes and self._fault and self._fault.effect == "before":
            self.struck = True
            raise self._fault.raised()
        answer = self._caller.call(operation, params)
        if strikes and self._fault:
            self.struck = True
            raise self._fault.raised()
        return answer


def faults(calls: int) -> Iterator[Fault]:
    """Every fault at every one of so many calls."""
    for at in range(calls):
        yield Fault(at, "before", "throttled")
        for effect in ("before", "after"):
            yield Fault(at, effect, "unavailable")
            yield Fault(at, effect, "crash")


def survives_every_fault(
    fresh: Callable[[], Caller],
    work: Callable[[Caller], Any],
    outcome: Callable[[], Any],
) -> int:
    """Assert that the work, retried, always ends as it does without faults; gives the calls made.

    `fresh` prepares an empty world and gives its edge, `outcome` tells what is in that world.
    """
    counting = Faulty(fresh())
    work(counting)
    expected = outcome()
    for fault in faults(counting.calls):
        edge = fresh()
        faulty = Faulty(edge, fault)
        try:
            work(faulty)
        except (Throttled, Unavailable, Crash):
            _retry(work, edge)
        assert faulty.struck, f"{fault} did not strike"
        assert outcome() == expected, fault
    return counting.calls


def _retry(work: Callable[[Caller], Any], edge: Caller) -> None:
    for _ in range(_RETRIES):
        try:
            work(edge)
        except (Throttled, Unavailable):
            continue
        return
    pytest.fail("the work does not succeed although nothing fails any more")
