"""The API of financial news: its lists, and its stream of what arrives."""

import json
from datetime import timedelta
from typing import Any

import pytest

from lambdas.sentiment.handlers import news_api
from lambdas.sentiment.news import NewsReader
from tablewright.model.healing import HEALING_FIELDS
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.meter import Meter
from tests.integration.conftest import KEYS
from tests.integration.http import Answer, Context
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.dashboard.test_arrivals import put
from tests.integration.sentiment.http import ADA, CONTRACT, READER, conforms, problem
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.news import analysed


class NewsHttp:
    """The function, with a clock that stands still."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = NOW
        cursors = Cursors(KEYS, clock=lambda: self.now.timestamp())
        made = NewsReader(world.news(), cursors, now=lambda: self.now)
        monkeypatch.setattr(news_api, "news", lambda: made)

    def __call__(
        self,
        path: str,
        *,
        claims: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        event = CONTRACT.event(
            "GET", path, None, claims=claims or ADA, query=query, headers=headers
        )
        return Answer(news_api.handler(event, Context()))

    def events(
        self, last: str | None = None, **query: Any
    ) -> tuple[str | None, list[dict[str, Any]]]:
        """The id of an answer, and the articles in it."""
        answer = self("/news/events", headers={"last-event-id": last} if last else {}, **query)
        assert (answer.status, answer.content_type) == (200, "text/event-stream"), answer.text
        fields = dict(line.split(": ", 1) for line in answer.text.splitlines() if line)
        assert answer.text.endswith("\n\n")
        assert fields["retry"] == "5000"
        return fields["id"], json.loads(fields["data"])["items"] if "data" in fields else []


@pytest.fixture
def news(world: World, monkeypatch: pytest.MonkeyPatch) -> NewsHttp:
    return NewsHttp(world, monkeypatch)


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["source_id"] for item in items]


def test_a_sentiments_news_are_listed_newest_first_to_the_end(news: NewsHttp, world: World) -> None:
    ages = {n: timedelta(hours=n) for n in (1, 4, 7, 10)}
    put(world, *(analysed(n, NOW, timestamp=NOW - age) for n, age in ages.items()))
    put(world, analysed(2, NOW))
    found, cursor = [], None
    while True:
        more: dict[str, Any] = {"cursor": cursor} if cursor else {}
        answer = news("/news", sentiment="neutral", limit=3, **more)
        assert answer.status == 200
        assert conforms(answer, "NewsPage")
        found += ids(answer.json["items"])
        cursor = answer.json["next_cursor"]
        if cursor is None:
            break
    assert found == [f"finnhub:{n}" for n in ages]


def test_a_list_wants_a_sentiment_and_says_so(news: NewsHttp) -> None:
    assert problem(news("/news"), 400)["sentiment"].startswith("is required: one of positive")
    assert "sentiment" in problem(news("/news", sentiment="angry"), 400)
    assert "limit" in problem(news("/news", sentiment="neutral", limit=0), 400)
    assert "tag" in problem(news("/news", sentiment="neutral", tag="AI"), 400)
    assert "cursor" in problem(news("/news", sentiment="neutral", cursor="x"), 400)


def test_an_unchanged_list_is_not_sent_again(news: NewsHttp, world: World) -> None:
    put(world, analysed(1, NOW))
    first = news("/news", sentiment="neutral")
    tag = {"if-none-match": first.headers["etag"]}
    assert news("/news", sentiment="neutral", headers=tag).status == 304


def test_the_work_of_healing_is_not_shown(news: NewsHttp, world: World) -> None:
    healed = analysed(1, NOW, heal_attempts=2, heal_after=NOW, heal_run="r", parked_at=NOW)
    put(world, healed)
    (listed,) = news("/news", sentiment="neutral").json["items"]
    _, (told,) = news.events()
    assert listed == told
    assert not listed.keys() & set(HEALING_FIELDS)
    assert "status" not in listed
    assert (told["score"], told["matched_tickers"]) == (0.81, ["XYZ"])


def test_whoever_begins_is_told_what_there_is(news: NewsHttp, world: World) -> None:
    id, items = news.events()
    assert (bool(id), items) == (True, [])
    put(world, analysed(1, NOW))
    assert ids(news.events()[1]) == ["finnhub:1"]


def test_an_answer_without_news_is_three_queries_and_no_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = Meter(world.edge)
    monkeypatch.setattr(world, "edge", meter)
    news = NewsHttp(world, monkeypatch)
    last, _ = news.events()
    meter.reset()
    assert news.events(last)[1] == []
    assert meter.calls == 3


def test_news_are_told_once_over_many_answers(news: NewsHttp, world: World) -> None:
    last, told = news.events()
    for n in range(30):
        put(world, analysed(n, news.now))
        last, items = news.events(last)
        told += items
        if n % 7 == 0:
            last, items = news.events(last)
            assert items == []
    assert ids(told) == [f"finnhub:{n}" for n in range(30)]


def test_an_answer_that_got_lost_is_given_again(news: NewsHttp, world: World) -> None:
    last, _ = news.events()
    put(world, analysed(1, NOW))
    assert ids(news.events(last)[1]) == ids(news.events(last)[1]) == ["finnhub:1"]


def test_a_quiet_day_does_not_make_an_id_too_old(news: NewsHttp, world: World) -> None:
    last, _ = news.events()
    for _ in range(24 * 6):
        news.now += timedelta(minutes=10)
        last, items = news.events(last)
        assert items == []
    put(world, analysed(1, news.now))
    assert ids(news.events(last)[1]) == ["finnhub:1"]


def test_an_id_that_cannot_be_used_is_refused_with_what_to_do(news: NewsHttp) -> None:
    last, _ = news.events()
    assert last is not None
    other: list[tuple[dict[str, Any], str]] = [
        ({"claims": READER}, last),
        ({"sentiment": "positive"}, last),
        ({}, last[:-2] + ("AA" if not last.endswith("AA") else "BB")),
        ({}, "x" * 5000),
    ]
    for asked, id in other:
        answer = news("/news/events", headers={"last-event-id": id}, **asked)
        assert list(problem(answer, 400)) == ["Last-Event-ID"]
        assert "begin again without it" in answer.json["detail"]
    news.now += timedelta(hours=2)
    expired = news("/news/events", headers={"last-event-id": last})
    assert "expired" in problem(expired, 400)["Last-Event-ID"]


def test_the_stream_wants_to_know_a_sentiment_or_none(news: NewsHttp) -> None:
    assert "sentiment" in problem(news("/news/events", sentiment="angry"), 400)
    assert "limit" in problem(news("/news/events", limit=5), 400)


def test_nobody_keeps_an_answer_of_the_stream(news: NewsHttp) -> None:
    assert news("/news/events").headers["cache-control"] == "no-store"
