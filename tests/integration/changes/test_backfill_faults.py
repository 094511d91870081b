"""A backfill that fails, is killed, or runs beside writers and other backfills: nothing is lost."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tablewright.changes.backfill.backfill import Backfill
from tablewright.model import Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress
from tablewright.testing import Crash, Database, survives_every_fault
from tests.integration.changes.designs import (
    NAME,
    Before,
    Indexed,
    Moved,
    Order,
    Reformed,
    fill,
    item_of,
    items_of,
    line,
    order,
    stored,
)

CHANGED: list[type[Table]] = [Indexed, Moved]


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: None)


class Between:
    """A caller that lets something happen right before each call of an operation."""

    def __init__(self, caller: Caller, operation: str, happens: Callable[[Any], object]) -> None:
        self._caller = caller
        self._operation = operation
        self._happens = happens

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == self._operation:
            self._happens(params)
        return self._caller.call(operation, params)


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("new", CHANGED)
def test_every_fault_at_every_call_ends_the_same(dynamodb: Database, new: type[Table]) -> None:
    some = [order(1), order(2), line(3)]
    dynamodb.table(new, NAME)

    def fresh() -> None:
        dynamodb.empty(NAME)
        dynamodb.write([item_of(Before, one) for one in some], NAME)
        # New code has written one of them, and changed it.
        dynamodb.write([item_of(new, order(2, note="newer"))], NAME)

    def work() -> None:
        Backfill(new, Before, NAME, dynamodb.caller, segments=1).run()

    calls = survives_every_fault(work, lambda: stored(dynamodb), fresh=fresh)
    operations = Counter(call.operation for call in calls)
    assert operations["TransactWriteItems" if new is Moved else "UpdateItem"] == 2
    assert stored(dynamodb) == items_of(new, [order(1), order(2, note="newer"), line(3)])


@pytest.mark.parametrize("new", CHANGED)
@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_between_any_two_calls_it_goes_on_from_its_file(
    dynamodb: Database, tmp_path: Path, new: type[Table], effect: str
) -> None:
    some = [order(number) for number in range(5)]
    dynamodb.table(new, NAME)
    file = tmp_path / "progress.json"
    for kill in count(1):
        dynamodb.empty(NAME)
        dynamodb.write([item_of(Before, one) for one in some], NAME)
        file.unlink(missing_ok=True)
        numbers = count(1)

        class Dying:
            def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
                dies = next(numbers) == kill  # noqa: B023 - called in this very turn
                if dies and effect == "before":
                    raise Crash
                answer = dynamodb.caller.call(operation, params)
                if dies:
                    raise Crash
                return answer

        try:
            run(dynamodb, new, file, Dying())
            break
        except Crash:
            counts = run(dynamodb, new, file, dynamodb.caller)
        assert stored(dynamodb) == items_of(new, some), kill
        assert sum(counts.values()) >= 5
    assert kill > 6


def run(database: Database, new: type[Table], file: Path, caller: Caller) -> Counter[str]:
    progress = Progress.open(file, NAME, 1)
    return Backfill(new, Before, NAME, caller, progress=progress).run()


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize(
    ("new", "operation"), [(Indexed, "UpdateItem"), (Moved, "TransactWriteItems")]
)
def test_who_writes_between_read_and_write_wins(
    dynamodb: Database, new: type[Table], operation: str
) -> None:
    fill(dynamodb, new, Before, [order(1)])
    old = dynamodb.store(Before, table=NAME)
    notes = iter(("another customer", "one more"))

    def changes(params: dict[str, Any]) -> None:
        if customer := next(notes, None):
            old.update(Before.change, order(1), Order.customer.set(customer))

    caller = Between(dynamodb.caller, operation, changes)
    # In one segment: another one could meet the item once more under its new key.
    work = Backfill(new, Before, NAME, caller, segments=1)
    assert work.run() == Counter({"moved" if new is Moved else "rewritten": 1})
    assert stored(dynamodb) == items_of(new, [order(1, customer="one more")])


@pytest.mark.usefixtures("no_pauses")
def test_an_item_that_is_changed_all_the_while_is_left_for_the_next_run(
    dynamodb: Database,
) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    old, numbers = dynamodb.store(Before, table=NAME), count(1)

    def changes(params: dict[str, Any]) -> None:
        old.update(Before.change, order(1), Order.customer.set(f"c{next(numbers)}"))

    busy = Between(dynamodb.caller, "UpdateItem", lambda _: None)
    fast = Between(dynamodb.caller, "UpdateItem", changes)
    assert Backfill(Indexed, Before, NAME, fast).run() == Counter(busy=1)
    assert Backfill(Indexed, Before, NAME, busy).run() == Counter(rewritten=1)


@pytest.mark.parametrize(
    ("new", "operation"),
    [(Indexed, "UpdateItem"), (Moved, "TransactWriteItems")],
)
def test_an_item_that_is_deleted_meanwhile_does_not_come_back(
    dynamodb: Database, new: type[Table], operation: str
) -> None:
    fill(dynamodb, new, Before, [order(1)])
    old = dynamodb.store(Before, table=NAME)
    caller = Between(dynamodb.caller, operation, lambda _: old.delete(Before.forget, order_id="o1"))
    assert Backfill(new, Before, NAME, caller).run() == Counter(gone=1)
    assert stored(dynamodb) == []


def test_a_throttled_call_is_waited_for(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: waited.append(seconds))
    fill(dynamodb, Indexed, Before, [order(1)])
    times = iter(range(3))

    def throttles(params: dict[str, Any]) -> None:
        if next(times, None) is not None:
            raise Throttled("slower")

    caller = Between(dynamodb.caller, "UpdateItem", throttles)
    assert Backfill(Indexed, Before, NAME, caller).run() == Counter(rewritten=1)
    assert len(waited) == 3


@pytest.mark.parametrize("new", [Indexed, Reformed, Moved])
def test_writers_lose_nothing_beside_two_backfills(
    dynamodb: Database, new: type[Before | Indexed]
) -> None:
    """Programs of the new design write all the while; those of the old one too, where items stay
    in place: what they write in the old form is settled by another run."""
    some = {number: order(number) for number in range(24)}
    fill(dynamodb, new, Before, some.values())
    beside: tuple[type[Before | Indexed], ...] = (new,) if new is Moved else (new, Before)
    begun, done = Event(), Event()

    def write(design: type[Before | Indexed], numbers: range) -> dict[int, Order]:
        store, answered = dynamodb.store(design, table=NAME), {}
        for turn in count():
            for number in numbers:
                one = order(number, note=f"{design.__name__} {turn}", customer=f"c{turn % 2}")
                if new is Moved:
                    one = order(number, note=f"{design.__name__} {turn}")
                store.put(design.place, one)
                answered[number] = one
            begun.set()
            if done.is_set():
                return answered
        raise AssertionError

    with ThreadPoolExecutor(4) as executor:
        shares = [range(at, 24, 4) for at, _ in enumerate(beside)]
        writers = [executor.submit(write, *one) for one in zip(beside, shares, strict=True)]
        try:
            begun.wait()
            runs = [executor.submit(backfill, dynamodb, new) for _ in range(2)]
            for one in runs:
                one.result()
        finally:
            done.set()
        for writer in writers:
            some.update(writer.result())
    backfill(dynamodb, new)
    assert stored(dynamodb) == items_of(new, some.values())


def backfill(database: Database, new: type[Table]) -> Counter[str]:
    return Backfill(new, Before, NAME, database.caller, segments=2).run()
