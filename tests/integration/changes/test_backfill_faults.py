"""A backfill that fails, is killed, or runs beside writers and other backfills: nothing is lost."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event
from typing import Any

import pytest

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.backfill.verification import verify
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff
from tablewright.testing import Crash, Database, survives_every_fault
from tests.integration.changes.designs import (
    NAME,
    Bare,
    Before,
    Indexed,
    Order,
    completed_items,
    fill,
    item_of,
    line,
    order,
    stored,
)


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
def test_every_fault_at_every_call_ends_the_same(dynamodb: Database) -> None:
    some = [order(1), order(2), line(3)]
    new = Indexed
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
    assert operations["UpdateItem"] == 2
    assert stored(dynamodb) == completed_items(new, [order(1), order(2, note="newer"), line(3)])


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_between_any_two_calls_it_goes_on_from_its_state(
    dynamodb: Database, effect: str
) -> None:
    some = [order(number) for number in range(5)]
    dynamodb.table(Indexed, NAME)
    saved: dict[str, Any] = {}
    for kill in count(1):
        dynamodb.empty(NAME)
        dynamodb.write([item_of(Before, one) for one in some], NAME)
        saved.clear()
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
            run(saved, Dying())
            break
        except Crash:
            counts = run(saved, dynamodb.caller)
        assert stored(dynamodb) == completed_items(Indexed, some), kill
        assert sum(counts.values()) == 5
    assert kill > 6


def run(saved: dict[str, Any], caller: Caller) -> Counter[str]:
    progress = StateProgress(dict(saved), 1, saved.update, pause=0)
    return Backfill(Indexed, Before, NAME, caller, progress=progress).run()


@pytest.mark.usefixtures("no_pauses")
def test_who_writes_between_read_and_write_wins(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    old = dynamodb.store(Before, table=NAME)
    notes = iter(("another customer", "one more"))

    def changes(params: dict[str, Any]) -> None:
        if customer := next(notes, None):
            old.update(Before.change, order(1), Order.customer.set(customer))

    caller = Between(dynamodb.caller, "UpdateItem", changes)
    work = Backfill(Indexed, Before, NAME, caller, segments=1)
    assert work.run() == Counter(completed=1)
    assert stored(dynamodb) == completed_items(Indexed, [order(1, customer="one more")])


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("attribute", ["D1", "type", "C1", "note", "x"])
def test_an_attribute_that_appears_between_read_and_write_stays(
    dynamodb: Database, attribute: str
) -> None:
    fill(dynamodb, Bare, Before, [order(1)])
    client = dynamodb.client()
    seen: list[Any] = []

    def changes(params: dict[str, Any]) -> None:
        if not seen:
            client.update_item(
                TableName=NAME,
                Key=params["Key"],
                UpdateExpression="SET #a = :v",
                ExpressionAttributeNames={"#a": attribute},
                ExpressionAttributeValues={":v": {"S": "of another program"}},
            )
            seen.extend(stored(dynamodb))

    caller = Between(dynamodb.caller, "UpdateItem", changes)
    Backfill(Indexed, Before, NAME, caller, segments=1).run()
    (before,), (after,) = seen, stored(dynamodb)
    assert {name: after[name] for name in before} == before


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
    assert Backfill(Indexed, Before, NAME, busy).run() == Counter(completed=1)


def test_an_item_that_is_deleted_meanwhile_does_not_come_back(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    old = dynamodb.store(Before, table=NAME)
    caller = Between(
        dynamodb.caller, "UpdateItem", lambda _: old.delete(Before.forget, order_id="o1")
    )
    assert Backfill(Indexed, Before, NAME, caller).run() == Counter(gone=1)
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
    assert Backfill(Indexed, Before, NAME, caller).run() == Counter(completed=1)
    assert len(waited) == 3


def test_writers_and_readers_of_both_designs_lose_nothing_beside_two_backfills(
    dynamodb: Database,
) -> None:
    """Programs of both designs write all the while, and old ones list by their index: what old
    programs write without the new attributes is completed by another run."""
    some = {number: order(number) for number in range(24)}
    fill(dynamodb, Indexed, Before, some.values())
    begun, done = Event(), Event()

    def write(design: type[Before], numbers: range) -> dict[int, Order]:
        store, answered = dynamodb.store(design, table=NAME), {}
        for turn in count():
            for number in numbers:
                one = order(number, note=f"{design.__name__} {turn}", customer=f"c{turn % 2}")
                store.put(design.place, one)
                answered[number] = one
            begun.set()
            if done.is_set():
                return answered
        raise AssertionError

    def read() -> list[int]:
        client, counts = dynamodb.client(), []
        while not done.is_set():
            counts.append(client.scan(TableName=NAME, IndexName="by_customer")["Count"])
        return counts

    with ThreadPoolExecutor(5) as executor:
        shares = [(Indexed, range(0, 24, 4)), (Before, range(1, 24, 4))]
        writers = [executor.submit(write, *one) for one in shares]
        reader = executor.submit(read)
        try:
            begun.wait()
            runs = [executor.submit(backfill, dynamodb) for _ in range(2)]
            for one in runs:
                one.result()
        finally:
            done.set()
        for writer in writers:
            some.update(writer.result())
        # A put that changes the index key shows for a moment neither entry.
        assert min(reader.result()) >= 24 - len(shares)
    backfill(dynamodb)
    assert verify(Indexed, NAME, dynamodb.caller, old=Before).is_sound
    assert stored(dynamodb) == completed_items(Indexed, some.values())


def backfill(database: Database) -> Counter[str]:
    return Backfill(Indexed, Before, NAME, database.caller, segments=2).run()
