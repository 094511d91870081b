"""What is read from Finnhub."""

from datetime import UTC, datetime, timedelta, timezone
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
from lambdas.sentiment.sources.finnhub import Finnhub
from tests.integration.sentiment.sources.clock import START, Clock, after
from tests.integration.sentiment.sources.finnhub_server import (
    TOKEN,
    WINDOW,
    FinnhubServer,
    news,
)
from tests.integration.sentiment.sources.server import Answer, Server


def source(web: Web, server: Server, **options: Any) -> Finnhub:
    return Finnhub(web, TOKEN, url=server.url, **options)


def only(web: Web, server: Server, entry: Any) -> RawItem:
    server.application = FinnhubServer({"AAPL": [entry]})
    [item] = source(web, server).fetch("AAPL")
    assert isinstance(item, RawItem)
    return item


def headlines(items: list[RawItem | Unreadable]) -> list[str | int]:
    return [item.metadata["title"] for item in items if isinstance(item, RawItem)]


def symbols(server: Server) -> list[str]:
    return [request.parameters["symbol"] for request in server.requests]


def test_news_is_mapped(web: Web, server: Server) -> None:
    assert only(web, server, news(1, related="AAPL,msft")) == RawItem(
        "finnhub",
        "137000001",
        "Headline 1\nSummary 1",
        "https://finnhub.io/api/news?id=1",
        {
            "title": "Headline 1",
            "source_name": "Example Wire",
            "published_at": "2026-03-01T11:59:00.000Z",
            "category": "company",
        },
        ("AAPL", "MSFT"),
        datetime(2026, 3, 1, 11, 59, tzinfo=UTC),
    )


def test_each_ticker_is_asked_for_by_itself_over_the_last_two_days(
    web: Web, server: Server
) -> None:
    server.application = FinnhubServer({})
    assert list(source(web, server).fetch("aapl, MSFT,AAPL")) == []
    assert {request.path for request in server.requests} == {"/api/v1/company-news"}
    span = {"from": "2026-02-27", "to": "2026-03-01"}
    assert [request.parameters for request in server.requests] == [
        {"symbol": "AAPL", **span},
        {"symbol": "MSFT", **span},
    ]


def test_the_days_are_those_of_utc(web: Web, server: Server) -> None:
    server.application = FinnhubServer({})
    evening = datetime(2026, 3, 1, 22, 0, tzinfo=timezone(timedelta(hours=-5)))
    assert list(source(web, server, now=lambda: evening).fetch("AAPL")) == []
    [request] = server.requests
    assert (request.parameters["from"], request.parameters["to"]) == ("2026-02-28", "2026-03-02")


def test_a_query_without_tickers_is_refused_and_not_sent(web: Web, server: Server) -> None:
    server.application = FinnhubServer({})
    with pytest.raises(InvalidQuery):
        list(source(web, server).fetch("climate change"))
    assert server.requests == []


def test_a_ticker_is_asked_for_when_its_news_is_wanted(web: Web, server: Server) -> None:
    server.application = FinnhubServer({"AAPL": [news(1), news(2)], "MSFT": [news(3)]})
    items = source(web, server).fetch("AAPL,MSFT")
    assert symbols(server) == []
    assert len(list(islice(items, 2))) == 2
    assert symbols(server) == ["AAPL"]
    assert len(list(items)) == 1
    assert symbols(server) == ["AAPL", "MSFT"]


def test_news_is_given_newest_first_in_whatever_order_it_comes(web: Web, server: Server) -> None:
    server.application = FinnhubServer({"AAPL": [news(3), news(1), news(2)]})
    items = list(source(web, server, max_items=2).fetch("AAPL"))
    assert headlines(items) == ["Headline 1", "Headline 2"]


def test_much_news_on_one_ticker_leaves_room_for_the_others(web: Web, server: Server) -> None:
    much = [news(n) for n in range(300)]
    server.application = FinnhubServer({"AAPL": much, "MSFT": [news(300)], "AMZN": much})
    items = list(source(web, server, max_items=10).fetch("AAPL,MSFT,AMZN"))
    first = [f"Headline {n}" for n in range(5)]
    assert headlines(items) == [*first[:4], "Headline 300", *first]


def test_no_ticker_is_asked_for_when_enough_was_read(web: Web, server: Server) -> None:
    server.application = FinnhubServer({name: [news(1), news(2)] for name in "ABC"})
    assert len(list(source(web, server, max_items=2).fetch("A,B,C"))) == 2
    assert symbols(server) == ["A", "B"]


def test_what_is_not_said_is_left_out(web: Web, server: Server) -> None:
    bare = news(1, summary="", url=None, source=None, category=7, related="")
    item = only(web, server, bare)
    assert item.text == "Headline 1"
    assert item.source_url is None
    assert item.metadata == {"title": "Headline 1", "published_at": "2026-03-01T11:59:00.000Z"}
    assert item.tickers == ()


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (None, "is not an object"),
        (news(1, id=None), "has no id"),
        (news(1, id="137"), "id must be a whole number of 0 or more"),
        (news(1, headline=None), "has no headline"),
        (news(1, headline=""), "has no headline"),
        (news(1, datetime=None), "has no datetime"),
        (news(1, datetime=0), "datetime must be a time in whole seconds since 1970"),
        (news(1, datetime="1772366400"), "datetime must be a time in whole seconds since 1970"),
        (news(1, datetime=True), "datetime must be a time in whole seconds since 1970"),
        (news(1, datetime=-1), "datetime must be a time in whole seconds since 1970"),
    ],
)
def test_an_unreadable_entry_is_set_aside_and_reading_goes_on(
    entry: Any, reason: str, web: Web, server: Server
) -> None:
    server.application = FinnhubServer({"AAPL": [entry], "MSFT": [news(2)]})
    unreadable, item = source(web, server).fetch("AAPL,MSFT")
    assert unreadable == Unreadable("finnhub", entry, reason)
    assert isinstance(item, RawItem)


@pytest.mark.parametrize("seconds", [253_402_300_800, 1_772_366_400_000])
def test_a_time_that_no_calendar_holds_is_unreadable(
    seconds: int, web: Web, server: Server
) -> None:
    server.application = FinnhubServer({"AAPL": [news(1, datetime=seconds)]})
    [unreadable] = source(web, server).fetch("AAPL")
    assert isinstance(unreadable, Unreadable)


def test_a_wrong_token_is_told(web: Web, server: Server) -> None:
    server.application = FinnhubServer({"AAPL": [news(1)]})
    with pytest.raises(Unauthorized):
        list(Finnhub(web, "wrong", url=server.url).fetch("AAPL"))


def test_the_end_of_a_window_is_waited_for_between_tickers(
    web: Web, server: Server, clock: Clock
) -> None:
    server.application = FinnhubServer({"AAPL": [news(1)], "MSFT": [news(2)]}, remaining=1)
    items = source(web, server).fetch("AAPL,MSFT", after(120))
    assert isinstance(next(items), RawItem)
    server.application.remaining = 60
    assert isinstance(next(items), RawItem)
    assert clock.slept == [WINDOW]


def test_what_came_before_a_limit_stands(web: Web, server: Server) -> None:
    server.application = FinnhubServer({"AAPL": [news(1)]}, remaining=1)
    items = source(web, server).fetch("AAPL,MSFT", after(WINDOW - 1))
    assert isinstance(next(items), RawItem)
    with pytest.raises(RateLimited) as error:
        next(items)
    assert error.value.until == after(WINDOW)
    assert symbols(server) == ["AAPL"]


def test_a_refusal_tells_until_when(web: Web, server: Server) -> None:
    server.application = FinnhubServer({"AAPL": [news(1)]}, remaining=0)
    with pytest.raises(RateLimited) as error:
        list(source(web, server).fetch("AAPL"))
    assert error.value.until == START + timedelta(seconds=WINDOW)


@pytest.mark.parametrize("answer", [{}, {"error": "…"}, None, "text"])
def test_an_answer_without_news_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer(answer))
    with pytest.raises(BadAnswer, match="something else than a list of news"):
        list(source(web, server).fetch("AAPL"))
