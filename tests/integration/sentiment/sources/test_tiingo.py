"""What is read from Tiingo."""

from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from lambdas.sentiment.sources import (
    BadAnswer,
    InvalidQuery,
    RateLimited,
    RawItem,
    Unauthorized,
    Unreadable,
    Web,
)
from lambdas.sentiment.sources.tiingo import Tiingo
from tests.integration.sentiment.sources.clock import Clock, after
from tests.integration.sentiment.sources.server import Answer, Server
from tests.integration.sentiment.sources.tiingo_server import TOKEN, TiingoServer, article


def source(web: Web, server: Server, **options: Any) -> Tiingo:
    return Tiingo(web, TOKEN, url=server.url, **options)


def only(web: Web, server: Server, entry: Any) -> RawItem:
    server.application = TiingoServer([entry])
    [item] = source(web, server).fetch("AAPL")
    assert isinstance(item, RawItem)
    return item


def test_an_article_is_mapped(web: Web, server: Server) -> None:
    assert only(web, server, article(1)) == RawItem(
        "tiingo",
        "81000001",
        "Title 1\nDescription 1",
        "https://www.example.com/news/1",
        {
            "title": "Title 1",
            "source_name": "example.com",
            "published_at": "2026-03-01T10:00:00.021Z",
            "tags": "Earnings, Technology",
        },
        ("AAPL", "MSFT"),
        datetime(2026, 3, 1, 10, 0, 0, 21000, tzinfo=UTC),
    )


def test_the_tickers_of_the_query_are_asked_for_newest_first(web: Web, server: Server) -> None:
    server.application = TiingoServer([])
    assert list(source(web, server).fetch("AAPL, msft,AAPL")) == []
    [request] = server.requests
    assert request.path == "/tiingo/news"
    assert request.parameters == {
        "tickers": "aapl,msft",
        "limit": "100",
        "offset": "0",
        "sortBy": "publishedDate",
    }


def test_a_query_without_tickers_is_refused_and_not_sent(web: Web, server: Server) -> None:
    server.application = TiingoServer([article(1)])
    with pytest.raises(InvalidQuery):
        list(source(web, server).fetch(""))
    assert server.requests == []


def test_all_pages_are_read(web: Web, server: Server) -> None:
    server.application = TiingoServer([article(n) for n in range(250)])
    items = list(source(web, server, max_items=1000).fetch("AAPL"))
    assert [item.metadata["title"] for item in items if isinstance(item, RawItem)] == [
        f"Title {n}" for n in range(250)
    ]
    assert [request.parameters["offset"] for request in server.requests] == ["0", "100", "200"]


def test_a_page_is_asked_for_when_it_is_wanted(web: Web, server: Server) -> None:
    server.application = TiingoServer([article(n) for n in range(250)])
    items = source(web, server, max_items=1000).fetch("AAPL")
    assert len(server.requests) == 0
    assert len(list(islice(items, 100))) == 100
    assert len(server.requests) == 1


def test_no_more_is_read_than_wanted(web: Web, server: Server) -> None:
    server.application = TiingoServer([article(n) for n in range(250)])
    assert len(list(source(web, server, max_items=100).fetch("AAPL"))) == 100
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("given", "hour"),
    [
        ("2026-03-01T10:00:00Z", 10),
        ("2026-03-01T10:00:00+00:00", 10),
        ("2026-03-01T10:00:00-05:00", 15),
        ("2026-03-01T10:00:00", 10),
    ],
)
def test_the_time_of_publication_is_in_utc(given: str, hour: int, web: Web, server: Server) -> None:
    published = only(web, server, article(1, publishedDate=given)).published
    assert published is not None
    assert published.tzinfo is UTC
    assert published == datetime(2026, 3, 1, hour, tzinfo=UTC)


def test_only_what_is_a_ticker_is_one(web: Web, server: Server) -> None:
    names = ["msft", None, 7, "n/a", "MSFT", "brk.b", "a-ticker-too-long"]
    assert only(web, server, article(1, tickers=names)).tickers == ("MSFT", "BRK.B")


def test_what_is_not_said_is_left_out(web: Web, server: Server) -> None:
    bare = article(1, description=None, url="", source=7, tickers=None, tags=["", 7])
    item = only(web, server, bare)
    assert item.text == "Title 1"
    assert item.source_url is None
    assert item.metadata == {"title": "Title 1", "published_at": "2026-03-01T10:00:00.021Z"}
    assert item.tickers == ()


def test_a_text_is_bounded(web: Web, server: Server) -> None:
    assert len(only(web, server, article(1, description="x" * 9000)).text) == 5000


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("text", "is not an object"),
        (article(1, id=None), "has no id"),
        (article(1, id="81"), "id must be a whole number of 0 or more"),
        (article(1, id=True), "id must be a whole number of 0 or more"),
        (article(1, id=-1), "id must be a whole number of 0 or more"),
        (article(1, id=2**63), "id must be a whole number of 0 or more"),
        (article(1, title=None), "has no title"),
        (article(1, title=" "), "has no title"),
        (article(1, publishedDate=None), "has no publishedDate"),
        (article(1, publishedDate=""), "publishedDate must be a time in ISO 8601"),
        (article(1, publishedDate="yesterday"), "publishedDate must be a time in ISO 8601"),
        (article(1, publishedDate=1772359200), "publishedDate must be a time in ISO 8601"),
        (
            article(1, publishedDate="0001-01-01T00:00:00+05:00"),
            "publishedDate must be a time in ISO 8601",
        ),
    ],
)
def test_an_unreadable_entry_is_set_aside_and_reading_goes_on(
    entry: Any, reason: str, web: Web, server: Server
) -> None:
    server.application = TiingoServer([entry, article(2)])
    unreadable, item = source(web, server).fetch("AAPL")
    assert unreadable == Unreadable("tiingo", entry, reason)
    assert isinstance(item, RawItem)


def test_a_wrong_token_is_told(web: Web, server: Server) -> None:
    server.application = TiingoServer([article(1)])
    with pytest.raises(Unauthorized):
        list(Tiingo(web, "wrong", url=server.url).fetch("AAPL"))


def test_what_came_before_a_limit_stands(web: Web, server: Server) -> None:
    first = [article(n) for n in range(100)]
    server.will_answer(Answer(first), Answer({"detail": "…"}, 429, {"Retry-After": "900"}))
    items = source(web, server, max_items=1000).fetch("AAPL", after(60))
    assert len(list(islice(items, 100))) == 100
    with pytest.raises(RateLimited) as error:
        next(items)
    assert error.value.until == after(900)


def test_a_limit_that_ends_before_the_deadline_is_waited_for(
    web: Web, server: Server, clock: Clock
) -> None:
    server.will_answer(Answer({}, 429, {"Retry-After": "30"}), Answer([article(1)]))
    assert len(list(source(web, server).fetch("AAPL", after(60)))) == 1
    assert clock.now() >= after(30)


@pytest.mark.parametrize("answer", [{}, {"detail": "Not found."}, None, "text", 7])
def test_an_answer_without_articles_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer(answer))
    with pytest.raises(BadAnswer, match="something else than a list of articles"):
        list(source(web, server).fetch("AAPL"))


def test_a_used_up_plan_that_is_told_as_plain_text_is_a_bad_answer(
    web: Web, server: Server
) -> None:
    server.will_answer(Answer(b"You have run over your symbol look up for this month."))
    with pytest.raises(BadAnswer, match="not JSON"):
        list(source(web, server).fetch("AAPL"))
