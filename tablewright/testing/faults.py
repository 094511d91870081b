"""A fault injector for all edges: fails the k-th call of any service, before or after its effect.

What AWS can do to a call is one of these: refuse it (nothing happened), lose the answer (it
happened, nobody knows), or the process dies on either side of it. A test runs the work with each
fault at each call, retries as the caller of the work would, and compares what is stored with what
is stored without faults.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import pytest

from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import Throttled, Unavailable, Unreachable
from tablewright.runtime.wire.client import WireClient

P = ParamSpec("P")
Answer = TypeVar("Answer")

# An edge that is not of AWS: where its function is, its name, and what it raises.
Beside = tuple[Any, str, Exception]

_EDGES = ((WireClient, "call", None), (Boto3Client, "call", None))
_RETRIES = 3
_TRIALS = 3


class Crash(BaseException):
    """The process died: nothing in it, not even its error handling, runs any further."""


@dataclass(frozen=True)
class Fault:
    """What happens to call number `at`."""

    at: int
    effect: str  # whether the call takes place: "before" (no) or "after" (yes)
    kind: str  # "throttled", "unavailable", "unreachable" or "crash"

    def raised(self, instead: Exception | None = None) -> BaseException:
        """What the call raises; `instead`, at an edge that is not of AWS."""
        kinds: dict[str, BaseException] = {
            "throttled": instead or Throttled("injected"),
            "unavailable": instead or Unavailable("injected"),
            "unreachable": instead or Unreachable("injected"),
            "crash": Crash(),
        }
        return kinds[self.kind]


class Injector:
    """Passes calls on until the faulty one; counts those of all edges that it is put around."""

    def __init__(self, fault: Fault | None = None) -> None:
        self._fault = fault
        self._lock = Lock()
        self.calls = 0
        self.struck = False

    def around(
        self, call: Callable[P, Answer], raises: Exception | None = None
    ) -> Callable[P, Answer]:
        """A call to a service, whichever that is, that meets the fault when its turn comes."""

        def faulty(*args: P.args, **kwargs: P.kwargs) -> Answer:
            with self._lock:
                number = self.calls
                self.calls += 1
            fault = self._fault if self._fault and number == self._fault.at else None
            if fault and fault.effect == "before":
                self.struck = True
                raise fault.raised(raises)
            answer = call(*args, **kwargs)
            if fault:
                self.struck = True
                raise fault.raised(raises)
            return answer

        return faulty


class Faulty(Injector):
    """A `Caller` with an injector around it."""

    def __init__(self, caller: Caller, fault: Fault | None = None) -> None:
        super().__init__(fault)
        self._call = self.around(caller.call)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, unless it is this call's turn to fail."""
        return self._call(operation, params)


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

    Example::

        def work(caller: Caller) -> None:
            Store(Orders, "orders", caller).put(Orders.place, order)

        survives_every_fault(empty_table, work, lambda: all_items("orders"))
    """
    counting = Faulty(fresh())
    work(counting)
    expected = outcome()
    for fault in faults(counting.calls):

        def trial(fault: Fault = fault) -> tuple[bool, bool]:
            edge = fresh()
            faulty = Faulty(edge, fault)
            failed = _retried(partial(work, faulty), partial(work, edge))
            return faulty.struck, failed

        assert _struck(trial), f"{fault} did not strike"
        assert outcome() == expected, fault
    return counting.calls


def survives_at_every_edge(
    fresh: Callable[[], Any],
    work: Callable[[], Any],
    outcome: Callable[[], Any],
    *beside: Beside,
) -> int:
    """Assert the same of work that makes its edges itself: with faults at every call of them all.

    Every service of AWS is called through one of two clients. What else is called, a web server for
    example, is named in `beside`: an object, the name of its function, and what that raises.
    """
    fresh()
    counting = Injector()
    with _around(counting, *beside):
        work()
    expected = outcome()
    for fault in faults(counting.calls):

        def trial(fault: Fault = fault) -> tuple[bool, bool]:
            fresh()
            injector = Injector(fault)

            def faulty() -> None:
                with _around(injector, *beside):
                    work()

            failed = _retried(faulty, work)
            return injector.struck, failed

        assert _struck(trial), f"{fault} did not strike"
        assert outcome() == expected, fault
    return counting.calls


def _struck(trial: Callable[[], tuple[bool, bool]]) -> bool:
    """Whether the fault struck. Work that succeeds without it never met it; work that failed before
    it, out of time on a machine that is too busy, is tried anew."""
    for _ in range(_TRIALS):
        struck, failed = trial()
        if struck or not failed:
            return struck
    return False


@contextmanager
def _around(injector: Injector, *beside: Beside) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for where, name, raises in (*_EDGES, *beside):
            patch.setattr(where, name, injector.around(getattr(where, name), raises))
        yield


def _retried(faulty: Callable[[], Any], sound: Callable[[], Any]) -> bool:
    """Do the work once with the fault, and then as whoever asked for it would do it again; gives
    whether it failed the first time."""
    try:
        faulty()
        return False
    except (Throttled, Unavailable, Crash):
        for _ in range(_RETRIES):
            try:
                sound()
            except (Throttled, Unavailable):
                continue
            return True
        pytest.fail("the work does not succeed although nothing fails any more")
