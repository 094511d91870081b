"""Work in parallel: what it gives, and what it leaves behind when some of it fails."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer

import pytest

from tablewright.runtime.bulk import in_parallel


@pytest.fixture
def two() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.mark.parametrize("count", [0, 1, 2, 25])
def test_results_come_in_order(two: ThreadPoolExecutor, count: int) -> None:
    assert in_parallel(two, lambda n: n * n, range(count)) == [n * n for n in range(count)]


def test_a_failure_waits_for_what_has_begun_and_begins_no_more(two: ThreadPoolExecutor) -> None:
    beside, goes_on = Event(), Event()
    finished: list[str] = []

    def work(name: str) -> None:
        if name == "fails":
            beside.wait(10)
            # What runs beside it goes on only after the failure is known.
            Timer(0.2, goes_on.set).start()
            raise LookupError(name)
        beside.set()
        goes_on.wait(10)
        finished.append(name)

    names = ["fails", "beside", *(f"later {n}" for n in range(20))]
    with pytest.raises(LookupError, match="fails"):
        in_parallel(two, work, names)
    left = list(finished)
    two.shutdown()
    assert left == finished
    assert "beside" in left
    # The thread that failed may have taken one more before the others were called off.
    assert len(left) <= 3
