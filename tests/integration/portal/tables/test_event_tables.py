"""Events, in one partition a day and in many: appended once, listed in the order of time."""

from collections import Counter
from operator import attrgetter
from time import perf_counter

import pytest

from tablewright.catalog.portal.events import Events, ShardedEvents, events_table
from tablewright.model import key_of, replaced
from tablewright.testing import Database
from tests.integration.portal.tables.records import (
    DAY,
    USER,
    event,
    id_of,
    moment,
    pages,
)

VARIANTS = pytest.mark.parametrize("table", [Events, ShardedEvents], ids=["plain", "sharded"])
# The engine is asked for as few events as tell an even spread from another.
SECONDS, SHARDS = 3, 3
OF_DAY = {"date_bucket": DAY}
OF_USER = {"user_id": USER}


@VARIANTS
def test_an_event_is_appended_once_and_never_replaced(
    dynamodb: Database, table: type[Events]
) -> None:
    store = dynamodb.store(table)
    first, other = (event(n, metadata={"from": "search"}) for n in range(2))
    assert store.create_many(Events.store_event, [first]) == [True]
    again = replaced(first, event_name="content.downloaded")
    assert store.create_many(Events.store_event, [other, again]) == [True, False]
    keys = [key_of(one) for one in (first, other)]
    found = store.get_many(Events.get_events, keys)
    assert sorted(found, key=attrgetter("event_id")) == [first, other]


@VARIANTS
def test_what_is_stored_is_what_the_design_says(dynamodb: Database, table: type[Events]) -> None:
    dynamodb.store(table).create_many(Events.store_event, [event()])
    (item,) = dynamodb.items()
    assert item["ts#event_id"] == {"S": f"{moment(0)}#{id_of(0)}"}
    assert item["date_bucket"]["S"].partition("#")[0] == DAY


@VARIANTS
def test_the_events_of_a_day_and_of_a_user_are_listed_newest_first(
    dynamodb: Database, table: type[Events]
) -> None:
    store = dynamodb.store(table)
    names, users = ("content.viewed", "content.downloaded"), (USER, "somebody-else", None)
    made = [event(n, event_name=names[n % 2], user_id=users[n % 3]) for n in range(40)]
    store.create_many(Events.store_event, made)
    tomorrow = {"date_bucket": "2099-03-05"}
    newest = made[::-1]
    assert pages(store, Events.list_events_for_date, OF_DAY, 15) == newest
    assert pages(store, Events.list_events_for_date, tomorrow, 15) == []
    own = [one for one in newest if one.user_id == USER]
    assert pages(store, Events.query_events_by_user, OF_USER, 5) == own
    filters = {"event_name": "content.viewed"}
    viewed = [one for one in own if one.event_name == "content.viewed"]
    assert pages(store, Events.query_events_by_user, OF_USER, 5, where=filters) == viewed
    until = newest[20].timestamp
    assert pages(store, Events.list_events_for_date, OF_DAY, 15, until=until) == newest[20:]


def test_a_thousand_events_a_second_are_spread_evenly_over_the_shards(dynamodb: Database) -> None:
    table = events_table(shards=SHARDS)
    store = dynamodb.store(table)
    made = [event(number) for number in range(SECONDS * 1000)]
    begun = perf_counter()
    assert all(store.create_many(Events.store_event, made))
    print(f"{len(made) / (perf_counter() - begun):.0f} events a second")  # noqa: T201
    buckets = Counter(item["date_bucket"]["S"] for item in dynamodb.items())
    assert buckets.keys() == {f"{DAY}#{shard}" for shard in range(SHARDS)}
    assert sum(buckets.values()) == len(made)
    assert max(buckets.values()) <= 1.1 * len(made) / SHARDS
    # Spread, they are still one list.
    listed = [one.event_id for one in store.each(Events.list_events_for_date, OF_DAY)]
    assert listed == [one.event_id for one in reversed(made)]
