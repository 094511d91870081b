"""A batch of stream records: one that fails is kept aside, and no outage keeps any aside."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.runtime.errors import (
    AccessDenied,
    Conflict,
    ResourceMissing,
    StoreError,
    Throttled,
    TransactionCanceled,
    Unavailable,
)
from tablewright.runtime.streams.changes import Change, consume

DONE: dict[str, Any] = {"batchItemFailures": []}


def record(number: int) -> dict[str, Any]:
    return {
        "eventID": f"event-{number}",
        "dynamodb": {
            "SequenceNumber": str(number),
            "Keys": {"id": {"S": str(number)}},
            "ApproximateCreationDateTime": 1_700_000_000,
        },
    }


RECORDS = [record(number) for number in range(9)]


class Work:
    """Applies changes; `fails` raises for those that it does not like."""

    def __init__(self, fails: Callable[[Change], Any], *, keeps: bool = True) -> None:
        self._fails = fails
        self._keeps = keeps
        self.tries: list[str] = []
        self.applied: list[str] = []
        self.kept: list[str] = []

    def prepare(self, change: Change) -> Change:
        self.tries.append(change.sequence)
        self._fails(change)
        return change

    def apply(self, changes: list[Change]) -> None:
        self.applied += [change.sequence for change in changes]

    def failed(self, change: Change, error: Exception) -> bool:
        if self._keeps:
            self.kept.append(change.sequence)
        return self._keeps

    def run(self) -> dict[str, Any]:
        return consume(RECORDS, self.prepare, self.apply, failed=self.failed)


def raising(error: Exception, number: str = "4") -> Callable[[Change], None]:
    def fails(change: Change) -> None:
        if change.sequence == number:
            raise error

    return fails


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("bug"), StoreError("no such value")])
def test_a_record_that_fails_is_kept_and_the_rest_goes_on(error: Exception) -> None:
    work = Work(raising(error))
    assert work.run() == DONE
    assert work.kept == ["4"]
    assert work.applied == [str(number) for number in range(9) if number != 4]


def test_a_record_that_fails_is_tried_three_times_more() -> None:
    work = Work(raising(ValueError("bad")))
    work.run()
    # And once with all others.
    assert work.tries.count("4") == 1 + 4


def test_a_record_that_fails_at_first_only_is_not_kept() -> None:
    times = iter(range(10))

    def fails(change: Change) -> None:
        if change.sequence == "4" and next(times) < 2:
            raise ValueError("bad")

    work = Work(fails)
    assert work.run() == DONE
    assert work.kept == []
    assert sorted(work.applied) == [str(number) for number in range(9)]


@pytest.mark.parametrize(
    "error",
    [
        Unavailable("gone"),
        Throttled("slower"),
        AccessDenied("no"),
        ResourceMissing("no table"),
        Conflict("changed"),
        TransactionCanceled(["None", "TransactionConflict"]),
    ],
)
def test_trouble_of_a_service_fails_the_batch_and_keeps_nothing(error: StoreError) -> None:
    work = Work(raising(error))
    for _ in range(50):
        with pytest.raises(type(error)):
            work.run()
    assert work.kept == []


def test_trouble_of_a_service_is_told_from_a_bad_record_beside_it() -> None:
    def fails(change: Change) -> None:
        if change.sequence == "2":
            raise ValueError("bad")
        if change.sequence == "6":
            raise Unavailable("gone")

    work = Work(fails)
    with pytest.raises(Unavailable):
        work.run()
    assert work.kept == ["2"]


def test_a_record_that_is_not_kept_is_reported_and_nothing_after_it_is_applied() -> None:
    work = Work(raising(ValueError("bad")), keeps=False)
    assert work.run() == {"batchItemFailures": [{"itemIdentifier": "4"}]}
    assert work.applied == ["0", "1", "2", "3"]


def test_a_record_that_cannot_be_kept_fails_the_batch() -> None:
    work = Work(raising(ValueError("bad")))

    def failed(change: Change, error: Exception) -> bool:
        raise Unavailable("the bucket does not answer")

    with pytest.raises(Unavailable):
        consume(RECORDS, work.prepare, work.apply, failed=failed)
