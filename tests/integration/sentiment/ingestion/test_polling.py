"""Every source is read by itself, as far as it goes, and nothing that it gave is lost."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from lambdas.sentiment.ingestion.polling import Ingestion, PollResult, SourcePoll, poll
from lambdas.sentiment.sources import RawItem, Source, SourceError, Unavailable, Unreadable, Web
from lambdas.sentiment.sources.newsapi import NewsApi
from tablewright.runtime.errors import StoreError, Throttled
from tablewright.testing import Fault, Faulty, survives_every_fault
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.server import running

DEADLINE = NOW + timedelta(minutes=4)
SEARCHES = ['"AI" OR "climate"', '"economy"']


class Feed:
    """A source that gives what it is told to, for each search anew."""

    def __init__(self, source_type: str, *given: RawItem | Unreadable | SourceError) -> None:
        self.source_type = source_type
        self.asked: list[tuple[str, datetime | None]] = []
        self._given = given

    def fetch(self, query: str, deadline: datetime | None = None) -> Iterator[RawItem | Unreadable]:
        self.asked.append((query, deadline))
        for one in self._given:
            if isinstance(one, SourceError):
                raise one
            yield one


def post(number: int, source_type: str = "reddit", **changes: Any) -> RawItem:
    values = {
        "stable_id": f"post-{number}",
        "text": f"AI, number {number}",
        "source_url": f"https://example.com/{number}",
        "metadata": {"author": "ada"},
        **changes,
    }
    return RawItem(source_type, **values)


def read(
    intake: Ingestion,
    *sources: Source,
    searches: Sequence[str] = SEARCHES[:1],
    now: Callable[[], datetime] = lambda: NOW,
) -> list[PollResult]:
    wanted = [SourcePoll(source, searches, intake) for source in sources]
    return list(poll(wanted, deadline=DEADLINE, now=now))


def polled(
    world: World, *sources: Source, searches: Sequence[str] = SEARCHES[:1]
) -> list[PollResult]:
    return read(world.ingestion(), *sources, searches=searches)


def stored(world: World) -> list[str]:
    return sorted(one["source_id"]["S"] for one in world.stored() if "status" in one)


def parked(world: World) -> list[tuple[str, str]]:
    found = world.dashboard().rejected(None, limit=100).items
    return [(one["source"], one["reason"]) for one in found]


def test_a_source_that_fails_in_the_middle_keeps_what_it_gave_and_stops_no_other(
    world: World,
) -> None:
    gone = Unavailable("reddit is gone")
    first, second = polled(
        world,
        Feed("reddit", post(1), post(2), gone, post(3)),
        Feed("newsapi", post(4, "newsapi")),
    )
    assert (first.outcome.stored, first.error) == (2, gone)
    assert (second.outcome.stored, second.error) == (1, None)
    assert stored(world) == ["newsapi#post-4", "reddit#post-1", "reddit#post-2"]


def test_an_error_right_after_a_full_batch_is_not_forgotten(world: World) -> None:
    gone = Unavailable("reddit is gone")
    unreadable = [Unreadable("reddit", n, "is not an object") for n in range(100)]
    (one,) = polled(world, Feed("reddit", *unreadable, gone))
    assert (len(one.outcome.rejected), one.error) == (100, gone)
    assert len(parked(world)) == 100


def test_a_source_that_fails_at_once_is_reported_too(world: World) -> None:
    gone = Unavailable("reddit is gone")
    (one,) = polled(world, Feed("reddit", gone))
    assert (one.outcome.stored, one.outcome.duplicates, one.outcome.rejected) == (0, 0, [])
    assert one.error is gone


def test_what_comes_in_several_batches_is_counted_together(world: World) -> None:
    feed = Feed("reddit", *(post(n % 3) for n in range(199)), post(3), post(4))
    (one,) = polled(world, feed)
    assert (one.outcome.stored, one.outcome.duplicates) == (5, 196)
    assert len(stored(world)) == 5


def test_what_is_no_item_is_parked_with_its_reason_and_the_rest_goes_on(world: World) -> None:
    (one,) = polled(
        world,
        Feed(
            "reddit",
            Unreadable("reddit", {"title": "no id"}, "has no id"),
            post(1),
            post(2, source_url="http://example.com/plain"),
            post(3, text=" "),
            post(4, source_url=None, metadata={}),
        ),
    )
    assert (one.outcome.stored, len(one.outcome.rejected)) == (3, 2)
    assert stored(world) == ["reddit#post-1", "reddit#post-3", "reddit#post-4"]
    assert sorted(parked(world)) == [
        ("reddit", "entry has no id"),
        ("reddit", "source_url must be an HTTPS address"),
    ]


def test_polling_again_parks_nothing_twice(world: World) -> None:
    for _ in range(3):
        polled(world, Feed("reddit", Unreadable("reddit", [1], "is not an object"), post(1)))
    assert len(parked(world)) == 1
    assert len(world.inbox.messages) == 1


def test_every_search_is_made_of_every_source(world: World) -> None:
    feeds = [Feed("reddit", post(1)), Feed("newsapi", post(2, "newsapi"))]
    outcomes = [one.outcome for one in polled(world, *feeds, searches=SEARCHES)]
    assert [[query for query, _ in feed.asked] for feed in feeds] == [SEARCHES, SEARCHES]
    assert [(one.stored, one.duplicates) for one in outcomes] == [(1, 1), (1, 1)]


def test_an_error_ends_the_source_s_other_searches(world: World) -> None:
    feed = Feed("reddit", post(1), Unavailable("reddit is gone"))
    polled(world, feed, searches=SEARCHES)
    assert len(feed.asked) == 1


def test_each_source_has_an_equal_part_of_the_time_that_is_left(world: World) -> None:
    time = NOW

    class Slow(Feed):
        def fetch(
            self, query: str, deadline: datetime | None = None
        ) -> Iterator[RawItem | Unreadable]:
            nonlocal time
            time += timedelta(minutes=1)
            return super().fetch(query, deadline)

    feeds = [Slow("newsapi"), Slow("twitter"), Slow("reddit")]
    read(world.ingestion(), *feeds, now=lambda: time)
    given = [deadline - NOW for feed in feeds for _, deadline in feed.asked if deadline]
    assert given == [timedelta(seconds=80), timedelta(seconds=150), timedelta(minutes=4)]


def test_what_one_source_gave_stands_when_the_store_fails_at_the_next(world: World) -> None:
    sources = [Feed("reddit", post(1)), Feed("newsapi", post(2, "newsapi"))]
    failing = world.ingestion(Faulty(world.edge, Fault(5, "throttled")))
    first, second = read(failing, *sources)
    assert (first.outcome.stored, first.error) == (1, None)
    assert (second.outcome.stored, type(second.error)) == (0, Throttled)
    assert stored(world) == ["reddit#post-1"]
    assert len(world.inbox.messages) == 1


def test_a_store_that_fails_at_one_source_stops_no_other(world: World) -> None:
    sources = [Feed("reddit", post(1), post(2)), Feed("newsapi", post(3, "newsapi"))]
    calls = Faulty(world.edge)
    read(world.ingestion(calls), sources[0])
    world.clear_items()
    for at in range(calls.calls):
        world.clear_items()
        failing = world.ingestion(Faulty(world.edge, Fault(at, "refused")))
        first, second = read(failing, *sources)
        assert isinstance(first.error, StoreError), at
        assert (second.outcome.stored, second.error) == (1, None)
        read(world.ingestion(), *sources)
        assert stored(world) == ["newsapi#post-3", "reddit#post-1", "reddit#post-2"]


def test_parking_that_fails_stops_no_other_source(world: World) -> None:
    sources = [
        Feed("reddit", Unreadable("reddit", 1, "is bad")),
        Feed("newsapi", post(3, "newsapi")),
    ]
    failing = world.ingestion(Faulty(world.edge, Fault(0, "throttled")))
    first, second = read(failing, *sources)
    assert (len(first.outcome.rejected), type(first.error)) == (1, Throttled)
    assert (second.outcome.stored, second.error) == (1, None)


def test_polling_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    """A source of three entries, of which the last is unreadable and parked."""

    def fresh() -> Any:
        world.clear_items()
        world.clear_dashboard()
        world.inbox.messages.clear()
        return world.edge

    with running() as server:
        server.application = NewsApiServer([article(1), article(2), article(3, url=None)])
        source = NewsApi(Web(), KEY, url=server.url)

        def work(caller: Any) -> None:
            (one,) = read(world.ingestion(caller), source)
            if one.error:
                raise one.error

        def outcome() -> Any:
            announced = {json.loads(message)["source_id"] for message in world.inbox.messages}
            return world.stored(), world.rows(), announced

        # Known sources, two claims, two items, one announcement, settling, parking.
        assert len(survives_every_fault(work, outcome, fresh=fresh)) == 8
        assert len(parked(world)) == 1
        assert len(stored(world)) == 2
