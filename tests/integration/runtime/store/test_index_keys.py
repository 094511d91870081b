"""Keys of indexes: of several attributes, local, given in full."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product
from typing import Any, Literal

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchPut,
    Choice,
    Entity,
    Field,
    Index,
    Key,
    Number,
    Put,
    Query,
    Shards,
    Table,
    Text,
    Update,
    Whole,
)
from tablewright.model.errors import InvalidRecord
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

Round = Literal["QUARTER", "SEMI", "FINAL"]
ROUNDS: tuple[Round, ...] = ("QUARTER", "SEMI", "FINAL")


class Match(Entity, key=Key("MATCH#{match_id}", "MATCH")):
    match_id: Field[str] = Text()
    cup: Field[str] = Text(max_length=2000)
    region: Field[str] = Text(max_length=2000)
    round: Field[Round] = Choice(Round)
    score: Field[Decimal] = Number()
    seats: Field[int | None] = Whole(default=None)


class Matches(Table, pk="PK", sk="SK"):
    """Matches of cups."""

    by_round = Index(
        pk=("cup", "region"),
        sk=("round", "score", "match_id"),
        keys={Match: Key(("{cup}", "{region}"), ("{round}", "{score}", "{match_id}"))},
    )
    by_seats = Index(
        pk=("cup", "region"),
        sk=("seats", "match_id"),
        keys={Match: Key(("{cup}", "{region}"), ("{seats}", "{match_id}"))},
        projects=KEYS_ONLY,
        sparse=True,
    )

    load = BatchPut(Match)
    change = Update(Match)
    of_region = Query(Match, by_round)
    of_score = Query(Match, by_round, range=Match.score)
    by_id = Query(Match, by_round, range=Match.match_id)
    large = Query(Match, by_seats, range=Match.seats, hydrate=True)


ALL = [
    Match(
        match_id=f"m{number}",
        cup=cup,
        region=region,
        round=stage,
        score=Decimal(score),
        seats=None if number % 3 else number,
    )
    for number, (cup, region, stage, score) in enumerate(
        product(("A", "B"), ("EU", "US"), ROUNDS, ("-1.5", "2", "10", "10"))
    )
]


def ids(found: Any) -> list[str]:
    return [one.match_id for one in found]


def expected(*, region: str = "EU", stage: str | None = None) -> list[Match]:
    own = [m for m in ALL if m.cup == "A" and m.region == region and stage in (None, m.round)]
    return sorted(own, key=lambda m: (m.round, m.score, m.match_id))


@pytest.fixture
def store(dynamodb: Database) -> Store:
    check(Matches)
    store = dynamodb.store(Matches)
    store.put_many(Matches.load, ALL)
    return store


def test_all_attributes_of_the_partition_are_asked_for(store: Store) -> None:
    assert ids(store.each(Matches.of_region, cup="A", region="EU")) == ids(expected())
    with pytest.raises(InvalidRecord, match="region is required"):
        store.first(Matches.of_region, cup="A")


def test_the_first_attributes_of_the_sort_key_can_be_given(store: Store) -> None:
    semis = expected(stage="SEMI")
    assert ids(store.each(Matches.of_region, cup="A", region="EU", round="SEMI")) == ids(semis)
    tens = [m for m in semis if m.score == 10]
    asked = {"cup": "A", "region": "EU", "round": "SEMI", "score": 10}
    assert ids(store.each(Matches.of_region, asked)) == ids(tens)
    with pytest.raises(InvalidRecord, match="score cannot be asked of of_region"):
        store.first(Matches.of_region, cup="A", region="EU", score=10)


@pytest.mark.parametrize("descending", [False, True])
def test_one_attribute_can_be_bounded_after_those_before_it_are_given(
    store: Store, descending: bool
) -> None:
    asked = {"cup": "A", "region": "US", "round": "FINAL"}
    own = expected(region="US", stage="FINAL")
    found = store.each(Matches.of_score, asked, since=-1, until=10, descending=descending)
    between = [m for m in own if -1 <= m.score <= 10]
    assert ids(found) == ids(between[::-1] if descending else between)
    assert ids(store.each(Matches.of_score, asked, after=2)) == ids(m for m in own if m.score > 2)
    tens = [m for m in own if m.score == 10]
    found = store.each(Matches.by_id, {**asked, "score": 10}, begins_with=tens[0].match_id)
    assert ids(found) == [tens[0].match_id]


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_pages_list_every_entry_once(store: Store, limit: int) -> None:
    found: list[str] = []
    cursor = None
    while True:
        page = store.query(
            Matches.of_region, cup="A", region="EU", limit=limit, cursor=cursor, caller="me"
        )
        found += ids(page.items)
        cursor = page.cursor
        if not cursor:
            break
    assert found == ids(expected())


def test_an_item_without_one_of_the_attributes_is_not_in_the_index(store: Store) -> None:
    own = [m for m in expected() if m.seats is not None]
    by_seats = sorted(own, key=lambda m: (m.seats or 0, m.match_id))
    assert list(store.each(Matches.large, cup="A", region="EU")) == by_seats
    assert ids(store.each(Matches.large, cup="A", region="EU", since=4)) == ids(
        m for m in by_seats if (m.seats or 0) >= 4
    )
    first = by_seats[0]
    store.update(Matches.change, {"match_id": first.match_id}, Match.seats.remove())
    assert ids(store.each(Matches.large, cup="A", region="EU")) == ids(by_seats[1:])
    # And one that moves is where it is now, with nothing computed for it.
    store.update(Matches.change, {"match_id": first.match_id}, {"round": "FINAL", "seats": 900})
    assert ids(store.each(Matches.large, cup="A", region="EU", since=900)) == [first.match_id]


class Task(Entity, key=Key("USER#{user}", "TASK#{task_id}")):
    user: Field[str] = Text()
    task_id: Field[str] = Text()
    state: Field[str] = Text()
    weight: Field[int] = Whole()
    title: Field[str] = Text(min_length=0, default="")


class Tasks(Table, pk="PK", sk="SK"):
    """Tasks of users."""

    by_weight = Index(pk="PK", sk="weight", local=True, keys={Task: Key("USER#{user}", "{weight}")})
    by_state = Index(
        pk="SPK",
        sk="SSK",
        keys={Task: Key("USER#{user}#SHARD#{shard}", "{state}", shards=Shards(3, by="task_id"))},
    )
    put = Put(Task)
    heaviest = Query(Task, by_weight, range=Task.weight, consistent=True, descending=True)
    in_state = Query(Task, by_state)


def tasks(*states: str) -> Sequence[Task]:
    return [
        Task(user="ann", task_id=f"t{n}", state=state, weight=100 - n)
        for n, state in enumerate(states)
    ]


def test_a_local_index_is_read_consistently(dynamodb: Database) -> None:
    check(Tasks)
    store = dynamodb.store(Tasks)
    for task in tasks("OPEN", "OPEN", "DONE"):
        store.put(Tasks.put, task)
    assert [t.weight for t in store.each(Tasks.heaviest, user="ann")] == [100, 99, 98]
    assert [t.weight for t in store.each(Tasks.heaviest, user="ann", before=100)] == [99, 98]


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_a_key_that_is_given_in_full_finds_no_key_that_begins_so(
    dynamodb: Database, limit: int
) -> None:
    """Neither in one read nor page by page, over shards that hold the same sort key."""
    store = dynamodb.store(Tasks)
    for task in tasks("OPEN", "OPENED", "OPEN", "OPE", "OPEN", "OPEN", "OPEN#"):
        store.put(Tasks.put, task)
    found: list[str] = []
    cursor = None
    while True:
        page = store.query(
            Tasks.in_state, user="ann", state="OPEN", limit=limit, cursor=cursor, caller="ann"
        )
        found += [one.task_id for one in page.items]
        cursor = page.cursor
        if not cursor:
            break
    assert sorted(found) == ["t0", "t2", "t4", "t5"]


def test_the_attributes_of_a_key_are_measured_together(dynamodb: Database) -> None:
    store = dynamodb.store(Matches)

    def match(cup: int, region: int) -> Match:
        return Match(
            match_id="m", cup="c" * cup, region="r" * region, round="FINAL", score=Decimal(1)
        )

    store.put_many(Matches.load, [match(1024, 1024)])
    with pytest.raises(InvalidRecord, match=r"the key \{cup\}, \{region\} longer than 2048 bytes"):
        match(1024, 1025)


class Account(Entity, key=Key("ACCOUNT#{account}", "ACCOUNT")):
    account: Field[str] = Text(max_length=2000)
    due: Field[str] = Text()


class Paid(Entity, key=Key("ACCOUNT#{account}", "PAID")):
    account: Field[str] = Text(max_length=2000)


class Accounts(Table, pk="PK", sk="SK"):
    """Accounts by what is due; what was paid is not in the index, but has an attribute of it."""

    by_due = Index(pk="due", sk="PK", keys={Account: Key("{due}", "ACCOUNT#{account}")})
    add = Put(Account)
    pay = Put(Paid)


def test_what_is_not_in_an_index_is_as_short_as_its_attributes_must_be(dynamodb: Database) -> None:
    store = dynamodb.store(Accounts)
    longest = "a" * (1024 - len("ACCOUNT#"))
    store.put(Accounts.pay, Paid(account=longest))
    with pytest.raises(InvalidRecord, match="longer than 1024 bytes"):
        Paid(account=f"{longest}a")
