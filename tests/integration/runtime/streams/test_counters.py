"""Counters are exact, whatever is delivered how often and whoever dies on the way."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Count,
    DateText,
    Entity,
    Expiry,
    Field,
    Key,
    Number,
    SetOf,
    Table,
    Text,
)
from tablewright.model.validation.design import validate
from tablewright.runtime.aws import Caller
from tablewright.runtime.streams.counters import Counters, Event
from tablewright.testing import Crash, Database, survives_every_fault


class Visits(Entity, key=Key("DAY#{day}", "PAGE#{page}"), expires=Expiry("day", days=7)):
    day: Field[str] = DateText()
    page: Field[str] = Text()
    visits: Field[Decimal] = Number()


class Seen(Entity, key=Key("SEEN#{day}#{group}", "SEEN"), expires=Expiry("day", days=2)):
    day: Field[str] = DateText()
    group: Field[str] = Text()
    events: Field[set[str] | None] = SetOf(Text(), default=None)


class VisitTable(Table, pk="PK", sk="SK", ttl="ttl", id="visits"):
    count_visits = Count(Visits, marker=Seen)


def event(number: int) -> Event:
    """A visit to one of seven pages on one of three days, none of them past: the engine deletes
    what has expired."""
    day = f"2099-01-0{1 + number % 3}"
    counter = {"day": day, "page": f"page{number % 7}"}
    group = {"day": day, "group": f"g{number // 30}"}
    return Event(f"e{number}", group, [(counter, {"visits": 1})])


def counters(caller: Caller) -> Counters:
    return Counters(VisitTable, VisitTable.count_visits, "visits", caller)


def counted(database: Database) -> dict[tuple[str, str], int]:
    return {
        (item["day"]["S"], item["page"]["S"]): int(item["visits"]["N"])
        for item in database.items()
        if "visits" in item
    }


def expected(count: int) -> dict[tuple[str, str], int]:
    visits = Counter((f"2099-01-0{1 + n % 3}", f"page{n % 7}") for n in range(count))
    return dict(visits)


@pytest.fixture
def visits(dynamodb: Database) -> Database:
    dynamodb.table(VisitTable)
    return dynamodb


def test_the_design_is_sound() -> None:
    assert validate(VisitTable) == []


def test_events_are_counted_and_a_replay_changes_nothing(visits: Database) -> None:
    counting = counters(visits.caller)
    assert counting.add(map(event, range(250))) == 250
    first = visits.items()
    assert counting.add(map(event, range(250))) == 0
    assert visits.items() == first
    assert counted(visits) == expected(250)


def test_only_new_events_of_a_mixed_batch_count(visits: Database) -> None:
    counting = counters(visits.caller)
    counting.add(map(event, range(0, 60, 2)))
    assert counting.add(map(event, range(60))) == 30
    assert counted(visits) == expected(60)


def test_an_event_twice_in_one_batch_counts_once(visits: Database) -> None:
    assert counters(visits.caller).add([event(1), event(1), event(2)]) == 2
    assert sum(counted(visits).values()) == 2


def test_an_event_can_take_from_one_counter_and_give_to_another(visits: Database) -> None:
    counting = counters(visits.caller)
    day = {"day": "2099-01-01"}
    old, new = {**day, "page": "old"}, {**day, "page": "new"}
    group = {**day, "group": "g"}
    counting.add([Event("a", group, [(old, {"visits": 1})])])
    counting.add([Event("b", group, [(old, {"visits": -1}), (new, {"visits": 1})])])
    assert counted(visits) == {("2099-01-01", "old"): 0, ("2099-01-01", "new"): 1}


def test_a_batch_of_one_group_is_one_read_and_one_transaction_of_few_writes(
    visits: Database,
) -> None:
    dynamo = visits.caller
    calls: list[tuple[str, int]] = []

    class Watched:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            calls.append((operation, len(params.get("TransactItems", ()))))
            return dynamo.call(operation, params)

    page = {"day": "2099-01-01", "page": "one"}
    group = {"day": "2099-01-01", "group": "g"}
    events = [Event(f"e{n}", group, [(page, {"visits": 1})]) for n in range(500)]
    assert counters(Watched()).add(events) == 500
    assert calls == [("BatchGetItem", 0), ("TransactWriteItems", 2)]
    assert sum(counted(visits).values()) == 500


def test_counters_and_markers_expire_by_their_own_dates(visits: Database) -> None:
    counters(visits.caller).add([event(0)])
    ttl = {item["PK"]["S"][:4]: int(item["ttl"]["N"]) for item in visits.items()}
    assert ttl["DAY#"] - ttl["SEEN"] == 5 * 86400


def test_a_crash_at_any_call_and_the_retry_count_everything_once(visits: Database) -> None:
    def fresh() -> Caller:
        visits.empty()
        return visits.caller

    def work(caller: Caller) -> None:
        counters(caller).add(map(event, range(120)))

    calls = survives_every_fault(work, lambda: counted(visits), fresh=fresh)
    assert len(calls) >= 2
    assert counted(visits) == expected(120)


def test_eight_workers_that_deliver_everything_three_times_and_die_count_once(
    visits: Database,
) -> None:
    """Each worker gets every batch in an order of its own, and crashes now and then."""
    batches = [range(start, start + 25) for start in range(0, 200, 25)]

    def deliver(worker: int) -> None:
        chance = random.Random(worker)
        dynamo = visits.caller

        class Dying:
            def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
                when = chance.random()
                if when < 0.1:
                    raise Crash
                answer = dynamo.call(operation, params)
                if when > 0.9:
                    raise Crash
                return answer

        for batch in chance.sample(batches, len(batches)):
            for _ in range(3):
                try:
                    counters(Dying()).add(map(event, batch))
                except Crash:
                    counters(dynamo).add(map(event, batch))

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(deliver, range(8)))
    assert counted(visits) == expected(200)
