"""Whoever comes back for news gets each of them once, in whatever order they turn up."""

import random
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.arrivals import (
    FIRST,
    MOST,
    ROOM,
    SETTLES_AFTER,
    Place,
    first,
    following,
)
from tablewright.catalog.news.design import NewsItem
from tablewright.catalog.sentiment.items import SENTIMENTS
from tablewright.runtime.aws import Caller
from tablewright.testing.metering import FaithfulMeter
from tests.integration.sentiment.conftest import NEWS_TABLE, World
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.news import analysed

SECOND = timedelta(seconds=1)


def put(world: World, *records: NewsItem) -> None:
    records_of = world.news()._requests["NewsItem"].records
    world.database.write([records_of.to_item(one) for one in records], NEWS_TABLE)


class Reader:
    """Somebody who reads on, and keeps his place as a cursor would."""

    def __init__(
        self, world: World, now: datetime, sentiment: str | None = None, caller: Any = None
    ) -> None:
        self._store = world.news(caller)
        self._sentiment = sentiment
        found = first(self._store, sentiment, now)
        self.got = [one.source_id for one in found.items]
        self.place = found.place

    def reads(self, now: datetime) -> list[str]:
        place = Place.at(self.place.position())
        found = following(self._store, self._sentiment, place, now)
        self.place = found.place
        new = [one.source_id for one in found.items]
        self.got += new
        return new


def ids(*numbers: int) -> list[str]:
    return [f"finnhub:{number}" for number in numbers]


def test_a_reader_begins_with_the_newest_and_goes_on_from_there(world: World) -> None:
    put(world, *(analysed(n, NOW - timedelta(minutes=30 - n)) for n in range(30)))
    reader = Reader(world, NOW)
    assert reader.got == ids(*range(30 - FIRST, 30))
    assert reader.reads(NOW) == []
    put(world, analysed(30, NOW + SECOND), analysed(31, NOW + SECOND))
    assert sorted(reader.reads(NOW + 2 * SECOND)) == ids(30, 31)
    assert reader.reads(NOW + 3 * SECOND) == []


def test_a_reader_of_one_sentiment_gets_no_other(world: World) -> None:
    put(world, *(analysed(n, NOW - SECOND) for n in range(3)))
    reader = Reader(world, NOW, "negative")
    assert reader.got == ids(SENTIMENTS.index("negative"))
    put(world, analysed(3, NOW), analysed(5, NOW))
    assert reader.reads(NOW) == ids(5)


def test_a_reader_of_nothing_gets_the_first_that_arrives(world: World) -> None:
    reader = Reader(world, NOW)
    assert reader.got == []
    put(world, analysed(1, NOW - 3 * SECOND))
    assert reader.reads(NOW + SECOND) == ids(1)


def test_an_old_article_that_was_healed_arrives_like_a_new_one(world: World) -> None:
    reader = Reader(world, NOW)
    put(world, analysed(1, NOW + SECOND, timestamp=NOW - timedelta(days=20)))
    assert reader.reads(NOW + 2 * SECOND) == ids(1)


def test_what_turns_up_late_is_not_missed_and_nothing_is_repeated(world: World) -> None:
    """Each is stamped now and found up to almost a minute later, in any order."""
    chance = random.Random(1)
    longest = SETTLES_AFTER.total_seconds() - 2
    stamped = [(n, NOW + timedelta(seconds=n * 0.4)) for n in range(300)]
    found_at = {n: at + timedelta(seconds=chance.uniform(0, longest)) for n, at in stamped}
    reader = Reader(world, NOW)
    waiting = dict(stamped)
    for second in range(200):
        now = NOW + second * SECOND
        due = [n for n in waiting if found_at[n] <= now]
        if due:
            put(world, *(analysed(n, waiting.pop(n)) for n in due))
        reader.reads(now)
    assert not waiting
    assert len(reader.got) == 300
    assert set(reader.got) == set(ids(*range(300)))


def test_more_than_a_place_can_remember_comes_later_and_once(world: World) -> None:
    reader = Reader(world, NOW)
    put(world, *(analysed(n, NOW + SECOND) for n in range(ROOM + 150)))
    now = NOW + 2 * SECOND
    while reader.reads(now):
        assert len(reader.place.given) <= ROOM
    assert len(reader.got) == ROOM
    now += SETTLES_AFTER
    while reader.reads(now):
        pass
    assert len(reader.got) == len(set(reader.got)) == ROOM + 150
    assert reader.reads(now + SETTLES_AFTER) == []
    assert reader.place.given == frozenset()


def test_a_long_absence_is_caught_up_with_in_portions(world: World) -> None:
    reader = Reader(world, NOW)
    put(world, *(analysed(n, NOW + timedelta(seconds=n)) for n in range(2 * MOST + 10)))
    now = NOW + timedelta(hours=1)
    assert [len(reader.reads(now)) for _ in range(4)] == [MOST, MOST, 10, 0]
    assert reader.got == ids(*range(2 * MOST + 10))


def test_many_of_one_moment_are_all_given(world: World) -> None:
    reader = Reader(world, NOW)
    put(world, *(analysed(n, NOW + SECOND) for n in range(2 * MOST + 10)))
    now = NOW + timedelta(hours=1)
    while reader.reads(now):
        pass
    assert len(reader.got) == len(set(reader.got)) == 2 * MOST + 10


def test_what_the_table_does_not_show_yet_is_looked_for_again(world: World) -> None:
    """An index may know of an analysis before a read of the table does."""

    class Behind:
        behind = True

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            answer = world.edge.call(operation, params)
            if operation == "BatchGetItem" and self.behind:
                for item in answer["Responses"][NEWS_TABLE]:
                    for name in ("analyzed_at", "sentiment", "score", "model_version"):
                        item.pop(name, None)
            return answer

    edge = Behind()
    caller: Caller = edge
    reader = Reader(world, NOW, caller=caller)
    put(world, analysed(1, NOW))
    assert reader.reads(NOW + SECOND) == []
    edge.behind = False
    assert reader.reads(NOW + 2 * SECOND) == ids(1)


def test_looking_in_vain_costs_half_a_unit_for_each_sentiment(world: World) -> None:
    put(world, *(analysed(n, NOW - timedelta(hours=1)) for n in range(50)))
    meter = FaithfulMeter(world.edge)
    reader = Reader(world, NOW, caller=meter)
    reader.reads(NOW)
    before = meter.read_units
    reader.reads(NOW + SECOND)
    assert meter.read_units - before == Decimal("1.5")


@pytest.mark.parametrize("count", [0, 1, ROOM])
def test_a_place_comes_back_as_it_went(count: int) -> None:
    place = Place("2099-03-04T14:30:15.000Z", frozenset(n.to_bytes(6, "big") for n in range(count)))
    assert Place.at(place.position()) == place
    assert sum(map(len, place.position())) < 2100
