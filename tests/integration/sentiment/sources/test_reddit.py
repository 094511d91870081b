"""What is read from Reddit."""

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
from lambdas.sentiment.sources.reddit import Reddit
from tests.integration.sentiment.sources.clock import Clock, after
from tests.integration.sentiment.sources.reddit_server import HOUR, RedditServer, post
from tests.integration.sentiment.sources.server import Answer, Request, Server


def source(web: Web, server: Server, **options: Any) -> Reddit:
    return Reddit(web, "client", "secret", url=server.url, auth_url=server.url, **options)


def searches(server: Server) -> list[Request]:
    return [request for request in server.requests if request.path == "/search"]


def test_a_post_is_mapped(web: Web, server: Server) -> None:
    server.application = RedditServer([post(1)])
    assert list(source(web, server).fetch("AI")) == [
        RawItem(
            "reddit",
            "post-p1",
            "Title 1\nBody 1",
            "https://www.reddit.com/r/technology/comments/p1/title/",
            {
                "author": "someone",
                "title": "Title 1",
                "subreddit": "technology",
                "ups": 12,
                "num_comments": 3,
            },
        )
    ]


def test_the_search_is_for_new_posts_as_plain_text(web: Web, server: Server) -> None:
    server.application = RedditServer([])
    assert list(source(web, server).fetch("climate change")) == []
    [request] = searches(server)
    assert request.parameters == {
        "q": "climate change",
        "sort": "new",
        "type": "link",
        "limit": "100",
        "raw_json": "1",
    }


def test_all_pages_are_read_with_one_token(web: Web, server: Server) -> None:
    server.application = RedditServer([post(n) for n in range(250)])
    items = list(source(web, server, max_items=1000).fetch("AI"))
    assert [item.stable_id for item in items if isinstance(item, RawItem)] == [
        f"post-p{n}" for n in range(250)
    ]
    assert len(searches(server)) == 3
    assert server.application.tokens == 1


def test_no_more_is_asked_for_than_wanted(web: Web, server: Server) -> None:
    server.application = RedditServer([post(n) for n in range(50)])
    assert len(list(source(web, server, max_items=5).fetch("AI"))) == 5
    assert [request.parameters["limit"] for request in searches(server)] == ["5"]


def test_an_empty_page_is_the_end(web: Web, server: Server) -> None:
    token = Answer({"access_token": "token", "expires_in": HOUR})
    server.will_answer(token, Answer({"data": {"children": [], "after": "t3_again"}}))
    assert list(source(web, server).fetch("AI")) == []
    assert len(searches(server)) == 1


def test_a_token_is_used_until_shortly_before_its_end(
    web: Web, server: Server, clock: Clock
) -> None:
    server.application = application = RedditServer([post(1)])
    reddit = source(web, server)
    list(reddit.fetch("AI"))
    clock.sleep(HOUR - 61)
    list(reddit.fetch("AI"))
    assert application.tokens == 1
    clock.sleep(1)
    list(reddit.fetch("AI"))
    assert application.tokens == 2


def test_a_revoked_token_is_replaced(web: Web, server: Server) -> None:
    server.application = application = RedditServer([post(1)])
    reddit = source(web, server)
    list(reddit.fetch("AI"))
    application.tokens += 1  # so the first is valid no more
    assert len(list(reddit.fetch("AI"))) == 1


def test_a_new_token_that_is_refused_is_not_replaced(web: Web, server: Server) -> None:
    token = Answer({"access_token": "token", "expires_in": HOUR})
    server.will_answer(token, Answer({}, 401))
    with pytest.raises(Unauthorized):
        list(source(web, server).fetch("AI"))
    assert len(server.requests) == 2


@pytest.mark.parametrize("refusal", [Answer({}, 401), Answer({"error": "invalid_grant"})])
def test_a_wrong_secret_is_told(refusal: Answer, web: Web, server: Server) -> None:
    server.will_answer(refusal)
    with pytest.raises(Unauthorized):
        list(source(web, server).fetch("AI"))


def test_a_used_up_window_stops_the_pages_that_do_not_fit(web: Web, server: Server) -> None:
    server.application = RedditServer([post(n) for n in range(150)], remaining=1.0)
    items = source(web, server, max_items=1000).fetch("AI", after(60))
    assert len(list(islice(items, 100))) == 100
    with pytest.raises(RateLimited) as error:
        next(items)
    assert error.value.until == after(300)


def test_what_an_author_or_moderator_deleted_is_left_out(web: Web, server: Server) -> None:
    gone = post(1, author="[deleted]", selftext="[removed]", ups=None, permalink=None)
    server.application = RedditServer([gone])
    [item] = source(web, server).fetch("AI")
    assert isinstance(item, RawItem)
    assert (item.text, item.source_url) == ("Title 1", None)
    assert item.metadata == {"title": "Title 1", "subreddit": "technology", "num_comments": 3}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("t3", "is not an object"),
        ({"kind": "t3"}, "is not an object"),
        (post(1, id=None), "has no id"),
        (post(1, id="a/b"), "id must be letters, digits, _ and -"),
    ],
)
def test_an_unreadable_entry_is_set_aside_and_reading_goes_on(
    entry: Any, reason: str, web: Web, server: Server
) -> None:
    server.application = RedditServer([entry, post(2)])
    unreadable, item = source(web, server).fetch("AI")
    assert isinstance(unreadable, Unreadable)
    assert (unreadable.source_type, unreadable.reason) == ("reddit", reason)
    assert isinstance(item, RawItem)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"access_token": "token"},
        {"access_token": "token", "expires_in": "3600"},
        {"access_token": 7, "expires_in": HOUR},
        {"access_token": "token", "expires_in": 10**12},
    ],
)
def test_an_answer_without_a_token_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer(answer))
    with pytest.raises(BadAnswer, match="without access_token and expires_in"):
        list(source(web, server).fetch("AI"))


@pytest.mark.parametrize("answer", [[], {}, {"data": {}}, {"data": {"children": {}}}])
def test_an_answer_without_posts_is_a_bad_answer(answer: Any, web: Web, server: Server) -> None:
    server.will_answer(Answer({"access_token": "token", "expires_in": HOUR}), Answer(answer))
    with pytest.raises(BadAnswer, match="without a listing of children"):
        list(source(web, server).fetch("AI"))
