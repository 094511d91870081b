"""Many at once: what it gives, and what it leaves behind when some of it fails."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer
from typing import Any

import pytest

from tablewright.runtime.errors import AccessDenied, ResourceMissing, StoreError, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.batches import in_parallel, insert_all
from tablewright.runtime.store.records import Item


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


class Table:
    """A table that takes insertions; `troubles` are the errors of calls to come, by key."""

    def __init__(self, *troubles: dict[str, str]) -> None:
        self.items: dict[str, Item] = {}
        self.troubles = list(troubles)
        self.calls: list[int] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "BatchExecuteStatement"
        trouble = self.troubles.pop(0) if self.troubles else {}
        self.calls.append(len(params["Statements"]))
        return {"Responses": [self._insert(one, trouble) for one in params["Statements"]]}

    def _insert(self, statement: dict[str, Any], trouble: dict[str, str]) -> dict[str, Any]:
        assert statement["Statement"] == "INSERT INTO \"table\" VALUE {'k': ?, 'it''s': ?}"
        key, value = statement["Parameters"]
        code = trouble.get(key["S"]) or ("DuplicateItem" if key["S"] in self.items else None)
        if code:
            return {"Error": {"Code": code, "Message": "as told"}}
        self.items[key["S"]] = {"k": key, "it's": value}
        return {"TableName": "table"}


def item(name: str) -> Item:
    return {"k": {"S": name}, "it's": {"N": "1"}}


def inserted(table: Table, executor: ThreadPoolExecutor, names: Iterable[str]) -> list[bool]:
    backoff = Backoff(attempts=3, first=0)
    return insert_all(table, executor, "table", [item(name) for name in names], backoff)


def test_items_are_inserted_in_batches_and_none_is_replaced(two: ThreadPoolExecutor) -> None:
    table = Table()
    names = [f"{number:02}" for number in range(60)]
    assert inserted(table, two, names[10:20]) == [True] * 10
    table.calls.clear()
    assert inserted(table, two, names) == [not 10 <= number < 20 for number in range(60)]
    assert sorted(table.calls) == [10, 25, 25]
    assert table.items == {name: item(name) for name in names}


@pytest.mark.parametrize(
    "code", ["ThrottlingError", "ProvisionedThroughputExceeded", "InternalServerError"]
)
def test_what_is_refused_for_a_while_is_tried_again_alone(
    two: ThreadPoolExecutor, code: str
) -> None:
    table = Table({"b": code, "c": code}, {"c": code})
    assert inserted(table, two, "abcd") == [True] * 4
    assert table.calls == [4, 2, 1]


def test_what_is_refused_to_the_last_is_an_error(two: ThreadPoolExecutor) -> None:
    table = Table(*[{"b": "ThrottlingError"}] * 3)
    with pytest.raises(Throttled, match="1 of 3 items"):
        inserted(table, two, "abc")
    assert table.items.keys() == {"a", "c"}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AccessDenied", AccessDenied),
        ("ResourceNotFound", ResourceMissing),
        ("ValidationError", StoreError),
    ],
)
def test_what_can_never_be_inserted_is_an_error_at_once(
    two: ThreadPoolExecutor, code: str, error: type[StoreError]
) -> None:
    table = Table({"b": code})
    with pytest.raises(error, match="as told"):
        inserted(table, two, "abc")
    assert table.calls == [3]
