"""Events, in one partition a day and in many: appended once, listed in the order of time."""

from collections import Counter
from operator import itemgetter
from time import perf_counter

import pytest

from tablewright.catalog.portal.events import EVENTS, SHARDED_EVENTS, events_design
from tablewright.model import Table
from tests.integration.conftest import Database
from tests.integration.portal.tables.records import (
    DAY,
    USER,
    event,
    id_of,
    key_of,
    moment,
    pages,
)

VARIANTS = pytest.mark.parametrize("design", [EVENTS, SHARDED_EVENTS], ids=["plain", "sharded"])
# The engine is asked for as few events as tell an even spread from another.
SECONDS, SHARDS = 3, 3
OF_DAY = {"date_bucket": DAY}
OF_USER = {"user_id": USER}


@VARIANTS
def test_an_event_is_appended_once_and_never_replaced(database: Database, design: Table) -> None:
    database.create(design)
    store = database.store(design)
    first, other = (event(design, n, metadata={"from": "search"}) for n in range(2))
    assert store.create_many(design.put_events, [first]) == [True]
    again = {**first, "event_name": "content.downloaded"}
    assert store.create_many(design.put_events, [other, again]) == [True, False]
    keys = [key_of(design, one) for one in (first, other)]
    found = store.get_many(design.get_events, keys)
    assert sorted(found, key=itemgetter("event_id")) == [first, other]


@VARIANTS
def test_what_is_stored_is_what_the_design_says(database: Database, design: Table) -> None:
    database.create(design)
    database.store(design).create_many(design.put_events, [event(design)])
    (item,) = database.items()
    assert item["ts#event_id"] == {"S": f"{moment(0)}#{id_of(0)}"}
    assert item["date_bucket"]["S"].partition("#")[0] == DAY


@VARIANTS
def test_the_events_of_a_day_and_of_a_user_are_listed_newest_first(
    database: Database, design: Table
) -> None:
    database.create(design)
    store = database.store(design)
    names, users = ("content.viewed", "content.downloaded"), (USER, "somebody-else", None)
    made = [event(design, n, event_name=names[n % 2], user_id=users[n % 3]) for n in range(40)]
    store.create_many(design.put_events, made)
    tomorrow = {"date_bucket": "2099-03-05"}
    newest = made[::-1]
    assert pages(store, design.events_of_day, OF_DAY, 15) == newest
    assert pages(store, design.events_of_day, tomorrow, 15) == []
    assert pages(store, design.exported_events, OF_DAY, 15) == made
    own = [one for one in newest if one.get("user_id") == USER]
    assert pages(store, design.events_of_user, OF_USER, 5) == own
    filters = {"event_name": "content.viewed"}
    viewed = [one for one in own if one["event_name"] == "content.viewed"]
    assert pages(store, design.events_of_user, OF_USER, 5, filters=filters) == viewed
    until = newest[20]["timestamp"]
    assert pages(store, design.events_of_day, OF_DAY, 15, until=until) == newest[20:]


def test_a_thousand_events_a_second_are_spread_evenly_over_the_shards(database: Database) -> None:
    design = events_design(shards=SHARDS)
    database.create(design)
    store = database.store(design)
    made = [event(design, number) for number in range(SECONDS * 1000)]
    begun = perf_counter()
    assert all(store.create_many(design.put_events, made))
    print(f"{len(made) / (perf_counter() - begun):.0f} events a second")  # noqa: T201
    buckets = Counter(item["date_bucket"]["S"] for item in database.items())
    assert buckets.keys() == {f"{DAY}#{shard}" for shard in range(SHARDS)}
    assert sum(buckets.values()) == len(made)
    assert max(buckets.values()) <= 1.1 * len(made) / SHARDS
    # Spread, they are still one list.
    exported = [one["event_id"] for one in store.each(design.exported_events, OF_DAY)]
    assert exported == [one["event_id"] for one in made]
