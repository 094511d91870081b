"""The pace of a backfill: so many units a second over all calls, by what answers report."""

from typing import Any

import pytest

from tablewright.changes.backfill import pace
from tablewright.changes.backfill.pace import PacedCaller
from tablewright.runtime.errors import Conflict


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Table:
    """Answers that say what they consumed, a third of it by an index."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if params.get("fails"):
            raise Conflict("not so")
        part = {"CapacityUnits": 2.0}
        index = {"by_owner": {"CapacityUnits": 1.0}}
        return {"ConsumedCapacity": {"Table": part, "GlobalSecondaryIndexes": index}}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


def test_writes_keep_to_the_rate_indexes_included(clock: Clock) -> None:
    caller = PacedCaller(Table(), 10)
    for _ in range(101):
        caller.call("UpdateItem", {})
    # The last is on account, and a second's units are there at first.
    assert clock.now - 1000 == pytest.approx(29.5, abs=1)
    assert caller.write_units == 303
    assert caller.written == {"table": 202, "by_owner": 101}


def test_reads_and_writes_wait_each_for_their_own(clock: Clock) -> None:
    caller = PacedCaller(Table(), 10)
    for _ in range(51):
        caller.call("UpdateItem", {})
        caller.call("Scan", {})
    assert clock.now - 1000 == pytest.approx(14.5, abs=1)


def test_a_pause_is_no_credit_beyond_a_second(clock: Clock) -> None:
    caller = PacedCaller(Table(), 10)
    caller.call("UpdateItem", {})
    clock.sleep(3600)
    began = clock.now
    for _ in range(101):
        caller.call("UpdateItem", {})
    assert clock.now - began == pytest.approx(29.5, abs=1)


def test_a_write_whose_condition_is_not_met_is_paid_for(clock: Clock) -> None:
    caller = PacedCaller(Table(), 10)
    for _ in range(101):
        with pytest.raises(Conflict):
            caller.call("UpdateItem", {"fails": True})
    assert clock.now - 1000 == pytest.approx(9.5, abs=1)


def test_without_a_rate_nobody_waits(clock: Clock) -> None:
    caller = PacedCaller(Table(), None)
    for _ in range(1000):
        caller.call("UpdateItem", {})
    assert clock.now == 1000
