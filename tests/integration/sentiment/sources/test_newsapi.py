"""What is read from NewsAPI."""

from itertools import islice
from typing import Any

import pytest

from lambdas.sentiment.sources import (
    BadAnswer,
    RateLimited,
    RawItem,
    Unauthorized,
    Unreadable,
    Web,
)
from lambdas.sentiment.sources.newsapi import NewsApi, article_id
from tests.integration.sentiment.sources.clock import after
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.server import Answer, Server


def source(web: Web, server: Server, **options: Any) -> NewsApi:
    return NewsApi(web, KEY, url=server.url, **options)


def test_an_article_is_mapped(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(1)])
    assert list(source(web, server).fetch("AI")) == [
        RawItem(
            "newsapi",
            "article-62253e222ecfe169187c",
            "Title 1\nDescription 1",
            "https://www.bbc.com/news/1",
            {
                "author": "Jane Smith",
                "title": "Title 1",
                "published_at": "2026-03-01T10:00:00Z",
                "source_name": "BBC News",
            },
        )
    ]


def test_the_search_is_the_newest_first_and_in_english(web: Web, server: Server) -> None:
    server.application = NewsApiServer([])
    assert list(source(web, server).fetch('"climate change" OR C#')) == []
    [request] = server.requests
    assert request.path == "/v2/everything"
    assert request.parameters == {
        "q": '"climate change" OR C#',
        "pageSize": "100",
        "page": "1",
        "sortBy": "publishedAt",
        "language": "en",
    }


def test_all_pages_are_read(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(n) for n in range(250)])
    items = list(source(web, server, max_items=1000).fetch("AI"))
    assert [item.metadata["title"] for item in items if isinstance(item, RawItem)] == [
        f"Title {n}" for n in range(250)
    ]
    assert [request.parameters["page"] for request in server.requests] == ["1", "2", "3"]


def test_a_full_last_page_is_not_followed_by_an_empty_one(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(n) for n in range(200)])
    assert len(list(source(web, server, max_items=1000).fetch("AI"))) == 200
    assert len(server.requests) == 2


def test_a_page_is_asked_for_when_it_is_wanted(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(n) for n in range(250)])
    items = source(web, server, max_items=1000).fetch("AI")
    assert len(server.requests) == 0
    assert len(list(islice(items, 100))) == 100
    assert len(server.requests) == 1


def test_no_more_is_read_than_wanted(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(n) for n in range(250)])
    assert len(list(source(web, server, max_items=100).fetch("AI"))) == 100
    assert len(server.requests) == 1


def test_the_end_of_the_plan_is_the_end_of_the_articles(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(n) for n in range(250)], plan=100)
    assert len(list(source(web, server, max_items=1000).fetch("AI"))) == 100


def test_a_plan_without_a_first_page_is_an_error(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(1)], plan=0)
    with pytest.raises(BadAnswer, match="status 426"):
        list(source(web, server).fetch("AI"))


def test_a_withdrawn_article_is_passed_over(web: Web, server: Server) -> None:
    removed = article(1, title="[Removed]", description="[Removed]", url="https://removed.com")
    server.application = NewsApiServer([removed, article(2)])
    [item] = source(web, server).fetch("AI")
    assert isinstance(item, RawItem)
    assert item.metadata["title"] == "Title 2"


def test_what_is_not_said_is_left_out(web: Web, server: Server) -> None:
    bare = article(1, author=None, description=None, publishedAt="", source={"id": None})
    server.application = NewsApiServer([bare])
    [item] = source(web, server).fetch("AI")
    assert isinstance(item, RawItem)
    assert item.text == "Title 1"
    assert item.metadata == {"title": "Title 1"}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("text", "is not an object"),
        (None, "is not an object"),
        (article(1, url=None), "has no url, which its id is made of"),
        (article(1, url=7), "has no url, which its id is made of"),
        (article(1, url="news/1"), "url is no web address"),
        (article(1, url="https://[::1"), "url is no web address"),
        (article(1, url="https://bbc.com:port/"), "url is no web address"),
    ],
)
def test_an_unreadable_entry_is_set_aside_and_reading_goes_on(
    entry: Any, reason: str, web: Web, server: Server
) -> None:
    server.application = NewsApiServer([entry, article(2)])
    unreadable, item = source(web, server).fetch("AI")
    assert unreadable == Unreadable("newsapi", entry, reason)
    assert isinstance(item, RawItem)


def test_a_text_is_bounded_and_can_be_stored(web: Web, server: Server) -> None:
    # A publisher's program has cut a character of two halves in the middle.
    server.application = NewsApiServer([article(1, title="cut \ud83d", description="x" * 9000)])
    [item] = source(web, server).fetch("AI")
    assert isinstance(item, RawItem)
    assert item.text.startswith("cut \ufffd\nxxx")
    assert len(item.text) == 5000
    assert item.text.encode()


@pytest.mark.parametrize(
    "same",
    [
        "https://www.bbc.com/news/1",
        "http://www.bbc.com/news/1",
        "https://WWW.BBC.com:443/news/1",
        "https://www.bbc.com/news/1#comments",
        "https://www.bbc.com/news/1?utm_source=rss&utm_medium=feed",
        "https://www.bbc.com/news/1?fbclid=abc",
    ],
)
def test_all_spellings_of_an_address_have_one_id(same: str) -> None:
    assert article_id(same) == article_id("https://www.bbc.com/news/1")


@pytest.mark.parametrize(
    "other",
    [
        "https://www.bbc.com/news/2",
        "https://www.bbc.com/News/1",
        "https://www.bbc.com/news/1?page=2",
        "https://www.bbc.com:8443/news/1",
        "https://www.bbc.co.uk/news/1",
    ],
)
def test_another_article_has_another_id(other: str) -> None:
    assert article_id(other) != article_id("https://www.bbc.com/news/1")


def test_a_wrong_key_is_told(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(1)])
    with pytest.raises(Unauthorized):
        list(NewsApi(web, "wrong", url=server.url).fetch("AI"))


def test_what_came_before_a_limit_stands(web: Web, server: Server) -> None:
    first = {"status": "ok", "totalResults": 250, "articles": [article(n) for n in range(100)]}
    server.will_answer(Answer(first), Answer({}, 429, {"Retry-After": "900"}))
    items = source(web, server, max_items=1000).fetch("AI", after(60))
    assert len(list(islice(items, 100))) == 100
    with pytest.raises(RateLimited) as error:
        next(items)
    assert error.value.until == after(900)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"status": "error", "articles": [], "totalResults": 0},
        {"status": "ok"},
        {"status": "ok", "articles": {}, "totalResults": 0},
        {"status": "ok", "articles": [], "totalResults": "0"},
    ],
)
def test_an_answer_without_articles_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer(answer))
    with pytest.raises(BadAnswer, match="without articles"):
        list(source(web, server).fetch("AI"))
