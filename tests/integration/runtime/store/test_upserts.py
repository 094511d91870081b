"""An upsert changes a record, or makes it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Put,
    Query,
    SetOf,
    Table,
    Text,
    Timestamp,
    Upsert,
    Whole,
)
from tablewright.model.errors import InvalidRecord
from tablewright.model.validation.design import check
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import TODAY


class Counter(Entity, key=Key("PAGE#{page}", "DAY#{day}"), expires=Expiry("until")):
    page: Field[str] = Text()
    day: Field[str] = Text()
    views: Field[int] = Whole()
    kind: Field[str] = Text(default="page")
    visitors: Field[set[str] | None] = SetOf(Text(), default=None)
    last: Field[tuple[str, ...]] = ListOf(Text(), default=())
    owner: Field[str | None] = Text(default=None)
    until: Field[datetime | None] = Timestamp(default=None)


class Counters(Table, pk="PK", sk="SK", ttl="ttl"):
    """Counters of pages."""

    by_owner = Index(
        pk="OPK", sk="OSK", sparse=True, keys={Counter: Key("OWNER#{owner}", "{page}#{day}")}
    )
    put = Put(Counter)
    count = Upsert(Counter)
    get = Get(Counter)
    of_owner = Query(Counter, by_owner)


KEY: dict[str, Any] = {"page": "home", "day": "2026-11-17"}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    check(Counters)
    return dynamodb.store(Counters)


def test_one_that_is_not_there_is_made(store: Store) -> None:
    made = store.upsert(
        Counters.count, KEY, Counter.views.add(1), Counter.visitors.add({"ann"}),
        Counter.last.append("ann"),
    )  # fmt: skip
    expected = Counter(**KEY, views=1, visitors={"ann"}, last=("ann",))
    assert made == expected
    assert store.get(Counters.get, KEY) == expected


def test_one_that_is_there_is_changed(store: Store) -> None:
    store.put(Counters.put, Counter(**KEY, views=5, kind="post", owner="bob"))
    after = store.upsert(Counters.count, KEY, Counter.views.add(1))
    assert after == Counter(**KEY, views=6, kind="post", owner="bob")


def test_many_at_once_are_all_counted(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda _: store.upsert(Counters.count, KEY, Counter.views.add(1)), range(80)
            )
        )
    after = store.get(Counters.get, KEY)
    assert after is not None
    assert after.views == 80


def test_what_is_derived_is_set_in_the_same_write(store: Store) -> None:
    owned = Counter.owner.set("ann")
    store.upsert(Counters.count, KEY, Counter.views.add(1), owned)
    store.upsert(Counters.count, KEY, Counter.views.add(1))
    assert [one.views for one in store.each(Counters.of_owner, owner="ann")] == [2]
    store.upsert(Counters.count, KEY, Counter.views.add(1), {"owner": "bob"})
    assert [one.views for one in store.each(Counters.of_owner, owner="bob")] == [3]
    assert list(store.each(Counters.of_owner, owner="ann")) == []
    with pytest.raises(TypeError, match="owner must be set by an upsert"):
        store.upsert(Counters.count, KEY, Counter.views.add(1), Counter.owner.set_if_missing("x"))


def test_required_fields_are_given(store: Store) -> None:
    with pytest.raises(InvalidRecord, match="views is required"):
        store.upsert(Counters.count, KEY, {"owner": "ann"})
    assert store.get(Counters.get, KEY) is None


def test_a_condition_is_for_one_that_is_there(store: Store) -> None:
    few = Counter.views < 2
    for _ in range(2):
        store.upsert(Counters.count, KEY, Counter.views.add(1), when=few)
    with pytest.raises(Conflict):
        store.upsert(Counters.count, KEY, Counter.views.add(1), when=few)


def test_one_that_has_expired_is_made_anew(store: Store, dynamodb: Database) -> None:
    past = TODAY - timedelta(days=1)
    store.put(Counters.put, Counter(**KEY, views=500, owner="ann", until=past))
    ends = Counter.until.set(TODAY + timedelta(days=1))
    after = store.upsert(Counters.count, KEY, Counter.views.add(1), ends)
    assert (after.views, after.owner) == (1, None)
    assert store.get(Counters.get, KEY) == after
    assert store.upsert(Counters.count, KEY, Counter.views.add(1)).views == 2
    assert len(dynamodb.items()) == 1


def test_of_eight_who_find_an_expired_one_each_is_counted(store: Store) -> None:
    past = datetime(2020, 1, 1, tzinfo=UTC)
    store.put(Counters.put, Counter(**KEY, views=500, until=past))
    ends = Counter.until.set(TODAY + timedelta(days=1))

    def count(_: int) -> Any:
        return store.upsert(Counters.count, KEY, Counter.views.add(1), ends)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(8)))
    after = store.get(Counters.get, KEY)
    assert after is not None
    assert after.views == 8


def test_an_upsert_is_an_action_of_a_transaction(store: Store) -> None:
    other = {**KEY, "page": "about"}
    store.transact_write(
        store.to_update(Counters.count, KEY, Counter.views.add(1)),
        store.to_update(Counters.count, other, Counter.views.add(2)),
    )
    found = [store.get(Counters.get, key) for key in (KEY, other)]
    assert [one and one.views for one in found] == [1, 2]


def test_what_is_derived_goes_with_what_is_taken_away(store: Store, dynamodb: Database) -> None:
    ends = Counter.until.set(TODAY + timedelta(days=1))
    store.upsert(Counters.count, KEY, Counter.views.add(1), Counter.owner.set("ann"), ends)
    after = store.upsert(
        Counters.count, KEY, Counter.views.add(1), Counter.owner.remove(), {"until": None}
    )
    assert (after.views, after.owner, after.until) == (2, None, None)
    assert list(store.each(Counters.of_owner, owner="ann")) == []
    (item,) = dynamodb.items()
    assert not {"OPK", "OSK", "ttl"} & item.keys()
