"""What is read from Twitter."""

from typing import Any

import pytest

from lambdas.sentiment.sources import BadAnswer, RawItem, Unauthorized, Unreadable, Web
from lambdas.sentiment.sources.twitter import Twitter
from tests.integration.sentiment.sources.clock import Clock, after
from tests.integration.sentiment.sources.server import Answer, Server
from tests.integration.sentiment.sources.twitter_server import TOKEN, TwitterServer, tweet


def source(web: Web, server: Server, **options: Any) -> Twitter:
    return Twitter(web, TOKEN, url=server.url, **options)


def test_a_post_is_mapped_with_its_author(web: Web, server: Server) -> None:
    server.application = TwitterServer([tweet(1, text="Q&amp;A: 1 &lt; 2")])
    assert list(source(web, server).fetch("AI")) == [
        RawItem(
            "twitter",
            "tweet-1900001",
            "Q&A: 1 < 2",
            "https://x.com/i/web/status/1900001",
            {"username": "elonmusk", "retweet_count": 150, "like_count": 500},
        )
    ]


def test_the_search_asks_for_authors_and_counts(web: Web, server: Server) -> None:
    server.application = TwitterServer([])
    assert list(source(web, server).fetch("#climate lang:en")) == []
    [request] = server.requests
    assert request.path == "/2/tweets/search/recent"
    assert request.parameters == {
        "query": "#climate lang:en",
        "max_results": "100",
        "tweet.fields": "created_at,public_metrics,author_id",
        "expansions": "author_id",
        "user.fields": "username",
    }


def test_all_pages_are_read(web: Web, server: Server) -> None:
    server.application = TwitterServer([tweet(n) for n in range(250)])
    items = list(source(web, server, max_items=1000).fetch("AI"))
    assert [item.text for item in items if isinstance(item, RawItem)] == [
        f"Text {n}" for n in range(250)
    ]
    assert len(server.requests) == 3


@pytest.mark.parametrize(("wanted", "page"), [(3, "10"), (40, "40"), (250, "100")])
def test_no_page_is_larger_than_wanted(wanted: int, page: str, web: Web, server: Server) -> None:
    server.application = TwitterServer([tweet(n) for n in range(300)])
    assert len(list(source(web, server, max_items=wanted).fetch("AI"))) == wanted
    assert {request.parameters["max_results"] for request in server.requests} == {page}


def test_an_empty_page_is_the_end(web: Web, server: Server) -> None:
    server.will_answer(Answer({"meta": {"result_count": 0, "next_token": "again"}}))
    assert list(source(web, server).fetch("AI")) == []
    assert len(server.requests) == 1


def test_the_end_of_a_window_is_waited_for_between_pages(
    web: Web, server: Server, clock: Clock
) -> None:
    server.application = TwitterServer([tweet(n) for n in range(150)], remaining=1)
    assert len(list(source(web, server, max_items=1000).fetch("AI", after(3600)))) == 150
    assert clock.slept == [900]


def test_what_is_not_said_is_left_out(web: Web, server: Server) -> None:
    counts = {"retweet_count": 1.5, "like_count": True}
    server.application = TwitterServer([tweet(1, author_id="7", public_metrics=counts)])
    [item] = source(web, server).fetch("AI")
    assert isinstance(item, RawItem)
    assert item.metadata == {}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (7, "is not an object"),
        ({"text": "x"}, "has no id"),
        ({"id": 7, "text": "x"}, "id must be letters, digits, _ and -"),
        ({"id": "7\n", "text": "x"}, "id must be letters, digits, _ and -"),
        ({"id": "", "text": "x"}, "id must be letters, digits, _ and -"),
    ],
)
def test_an_unreadable_entry_is_set_aside_and_reading_goes_on(
    entry: Any, reason: str, web: Web, server: Server
) -> None:
    server.application = TwitterServer([entry, tweet(2)])
    unreadable, item = source(web, server).fetch("AI")
    assert unreadable == Unreadable("twitter", entry, reason)
    assert isinstance(item, RawItem)


def test_a_wrong_token_is_told(web: Web, server: Server) -> None:
    server.application = TwitterServer([tweet(1)])
    with pytest.raises(Unauthorized):
        list(Twitter(web, "wrong", url=server.url).fetch("AI"))


@pytest.mark.parametrize("answer", [[], {"data": []}, {"meta": {}, "data": {}}])
def test_an_answer_without_posts_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer(answer))
    with pytest.raises(BadAnswer, match="without meta and a list of data"):
        list(source(web, server).fetch("AI"))
