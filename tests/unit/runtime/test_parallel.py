"""Work side by side: what it gives, and what it leaves behind when some of it fails."""

from concurrent.futures import Future
from functools import cache
from threading import Barrier, Event, Timer, current_thread
from typing import Any

import pytest

from tablewright.runtime import parallel
from tablewright.runtime.aws import CONNECTIONS
from tablewright.runtime.parallel import Begun, in_parallel


@pytest.mark.parametrize("count", [0, 1, 2, 25, 100])
def test_results_come_in_order(count: int) -> None:
    assert in_parallel(lambda n: n * n, range(count)) == [n * n for n in range(count)]


def test_one_alone_needs_no_thread() -> None:
    assert in_parallel(lambda _: current_thread(), [0]) == [current_thread()]


def test_as_many_run_at_once_as_a_client_has_connections() -> None:
    together = Barrier(CONNECTIONS)
    in_parallel(lambda _: together.wait(60), range(CONNECTIONS))


def test_a_failure_waits_for_what_has_begun_and_begins_no_more() -> None:
    most = CONNECTIONS + 1
    begun, goes_on = Barrier(most), Event()
    finished: list[int] = []

    def work(number: int) -> None:
        begun.wait(60)
        if number == 1:
            # What runs beside it goes on only after the failure is known.
            Timer(0.2, goes_on.set).start()
            raise LookupError(number)
        goes_on.wait(60)
        finished.append(number)

    with pytest.raises(LookupError, match="1"):
        in_parallel(work, range(3 * most))
    assert sorted(finished) == [number for number in range(most) if number != 1]


def test_of_several_failures_the_first_in_order_is_told() -> None:
    both = Barrier(2)

    def fail(number: int) -> None:
        both.wait(60)
        raise LookupError(number)

    with pytest.raises(LookupError, match="0"):
        in_parallel(fail, range(2))


class Busy:
    """Threads none of which is ever free."""

    def submit(self, work: Any) -> Future[Any]:
        return Future()


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_threads", cache(Busy))


@pytest.mark.usefixtures("busy")
def test_threads_that_are_busy_hold_nothing_up() -> None:
    assert in_parallel(lambda n: n * n, range(30)) == [n * n for n in range(30)]
    assert Begun(lambda: 7).result() == 7
    Begun(lambda: pytest.fail("nobody waits for it")).settle()


def test_work_may_ask_for_more_of_it() -> None:
    """Deeper than there are threads for: each waits for others only once they have begun."""

    def sums(depth: int) -> int:
        parts = in_parallel(sums, [depth - 1] * 6) if depth else [1]
        return sum(parts) + Begun(lambda: 0).result()

    assert sums(4) == 6**4


def test_settled_work_runs_no_more() -> None:
    begun, goes_on = Event(), Event()
    finished: list[bool] = []

    def work() -> None:
        begun.set()
        goes_on.wait(60)
        finished.append(True)

    running = Begun(work)
    assert begun.wait(60)
    Timer(0.2, goes_on.set).start()
    running.settle()
    assert finished == [True]


def test_what_was_begun_fails_where_it_is_asked_for() -> None:
    def work() -> None:
        raise LookupError("late")

    begun = Begun(work)
    with pytest.raises(LookupError, match="late"):
        begun.result()
