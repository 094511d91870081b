"""Filters: what DynamoDB looks at itself, in pages that say how much was examined, and counts."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchPut,
    Condition,
    Entity,
    Expiry,
    Field,
    Flag,
    Index,
    Key,
    Query,
    Scan,
    Shards,
    Table,
    Text,
    Timestamp,
    Whole,
)
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import TODAY


class Event(Entity, key=Key("LOG#{log}", "AT#{number}"), expires=Expiry("until")):
    log: Field[str] = Text()
    number: Field[int] = Whole(digits=4)
    level: Field[int] = Whole()
    loud: Field[bool] = Flag()
    text: Field[str] = Text()
    until: Field[datetime | None] = Timestamp(default=None)


class Events(Table, pk="PK", sk="SK", ttl="ttl"):
    """A log."""

    spread = Index(
        pk="SPK",
        sk="SSK",
        keys={Event: Key("ALL#{log}#{shard}", "{number}", shards=Shards(4, by="number"))},
    )
    keys_alone = Index(
        pk="KPK",
        sk="KSK",
        projects=KEYS_ONLY,
        keys={Event: Key("KEYS#{log}#{shard}", "{number}", shards=Shards(4, by="number"))},
    )
    load = BatchPut(Event)
    of_log = Query(Event)
    kept = Query(Event, expired=True)
    over_shards = Query(Event, spread, range=Event.number)
    completed = Query(Event, keys_alone, hydrate=True)
    whole = Query(Event, spread, hydrate=True)
    everything = Scan(Event)


MANY = 200
ALL = [
    Event(
        log="a",
        number=n,
        level=n % 7,
        loud=n % 50 == 0,
        text=f"text {n}",
        until=TODAY - timedelta(days=1) if n % 9 == 0 else None,
    )
    for n in range(MANY)
]
THERE = [one for one in ALL if one.until is None]


class Counted:
    """Counts calls and the items that they bring."""

    def __init__(self, caller: Any) -> None:
        self._caller = caller
        self.calls: Counter[str] = Counter()
        self.brought = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls[operation] += 1
        answer: dict[str, Any] = self._caller.call(operation, params)
        self.brought += len(answer.get("Items", ()))
        return answer


@pytest.fixture(scope="module")
def dynamodb(module_dynamodb: Database) -> Database:
    check(Events)
    module_dynamodb.store(Events).put_many(Events.load, ALL)
    return module_dynamodb


CONDITIONS: dict[str, tuple[Condition, Callable[[Event], bool]]] = {
    "rare": (Event.loud == True, lambda one: one.loud),  # noqa: E712
    "some": (Event.level.is_in(2, 3), lambda one: one.level in (2, 3)),
    "none": (Event.level > 10, lambda one: False),
    "most": (~(Event.level == 0) | (Event.text == "x"), lambda one: one.level != 0),
    # A key, which no filter of DynamoDB can name: looked at here.
    "a key": ((Event.number > 100) & (Event.level < 3), lambda o: o.number > 100 and o.level < 3),
}


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize(
    "pattern", [Events.of_log, Events.over_shards, Events.completed, Events.whole], ids=repr
)
@pytest.mark.parametrize("limit", [3, 60])
def test_pages_list_every_record_that_meets_the_condition_once(
    dynamodb: Database, name: str, pattern: Query[Event], limit: int
) -> None:
    condition, meets = CONDITIONS[name]
    store = dynamodb.store(Events)
    expected = [one.number for one in THERE if meets(one)]
    found: list[int] = []
    examined, cursor = 0, None
    while True:
        page = store.query(
            pattern,
            log="a",
            where=condition,
            limit=limit,
            cursor=cursor,
            caller="me",
            examine=60,
        )
        assert len(page.items) <= limit
        found += [one.number for one in page.items]
        examined += page.examined
        cursor = page.cursor
        if cursor is None:
            break
    assert found == expected
    assert examined >= MANY - 5
    assert [one.number for one in store.each(pattern, log="a", where=condition)] == expected
    backwards = store.each(pattern, log="a", where=condition, descending=True)
    assert [one.number for one in backwards] == expected[::-1]
    assert store.count(pattern, log="a", where=condition) == len(expected)


def test_a_rare_record_is_found_without_bringing_the_others(dynamodb: Database) -> None:
    counted = Counted(dynamodb.caller)
    store = dynamodb.store(Events, counted)
    found = list(store.each(Events.of_log, log="a", where=CONDITIONS["rare"][0]))
    assert counted.brought <= 8
    assert counted.calls == {"Query": 1}
    page = store.query(Events.of_log, log="a", where=CONDITIONS["rare"][0], limit=3, caller="me")
    assert page.items == found[:3]
    assert page.examined >= 151


def test_a_count_brings_nothing(dynamodb: Database) -> None:
    counted = Counted(dynamodb.caller)
    store = dynamodb.store(Events, counted)
    assert store.count(Events.of_log, log="a") == len(THERE)
    assert store.count(Events.kept, log="a") == MANY
    assert store.count(Events.over_shards, log="a", since=100) == len(
        [one for one in THERE if one.number >= 100]
    )
    assert counted.brought == 0
    assert counted.calls == {"Query": 6}


def test_what_has_expired_is_listed_where_it_is_asked_for(dynamodb: Database) -> None:
    store = dynamodb.store(Events)
    assert [one.number for one in store.each(Events.kept, log="a")] == list(range(MANY))
    assert [one.number for one in store.each(Events.of_log, log="a")] == [
        one.number for one in THERE
    ]


@pytest.mark.parametrize("segments", [1, 5])
def test_a_scan_looks_at_the_condition_too(dynamodb: Database, segments: int) -> None:
    store: Store = dynamodb.store(Events)
    found = store.scan(Events.everything, where=Event.level == 2, segments=segments)
    assert sorted(one.number for one in found) == [o.number for o in THERE if o.level == 2]


def test_long_chain_of_conditions_is_evaluated(dynamodb: Database) -> None:
    store, chain = dynamodb.store(Events), Event.number == 0
    for number in range(1, 1000):
        chain = chain | (Event.number == 2 * number)
    found = [event.number for event in store.each(Events.completed, log="a", where=chain)]
    assert found == [event.number for event in THERE if event.number % 2 == 0]
