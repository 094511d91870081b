"""What a change of content is news of, and the messages that carry it."""

import json
from typing import Any

import pytest

from lambdas.portal.news.messages import BadMessage, Message, messages_of, read
from lambdas.portal.news.news import ENDED, NEW, REVIEW, News, news_of, notification
from tablewright.catalog.portal.content import CONTENT
from tablewright.catalog.portal.notifications import NOTIFICATION

AT = "2025-01-26T12:00:00.000Z"


def content(status: str, version: str = "2", **changes: Any) -> dict[str, Any]:
    return {**CONTENT.example, "status": status, "version": version, "last_updated": AT, **changes}


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        (None, content("Draft"), []),
        (None, content("Approved"), [NEW]),
        (content("Draft", "1"), content("Draft"), []),
        (content("Draft", "1"), content("Approved"), [NEW]),
        (content("Approved", "1"), content("Approved"), []),
        (content("Approved"), content("Approved"), []),
        (content("Approved", "1"), content("Deprecated"), []),
        (content("Deprecated", "1"), content("Approved"), [NEW]),
        (content("Approved", "1"), content("Expired"), [ENDED]),
        (content("Expired", "1"), content("Expired"), []),
        (content("Expired", "1"), content("Draft"), []),
        (content("Approved"), content("Approved", review_told=AT), [REVIEW]),
        (content("Approved", review_told=AT), content("Approved", review_told=AT), []),
        (content("Approved"), None, []),
    ],
)
def test_what_a_change_is_news_of(old: Any, new: Any, kinds: list[str]) -> None:
    assert [news.kind for news in news_of(old, new)] == kinds


@pytest.mark.parametrize("kind", [NEW, ENDED, REVIEW])
def test_a_notification_is_sound_and_always_the_same(kind: str) -> None:
    news = News.of(kind, content("Approved", title="x" * 200), AT)
    made = notification(news, "ada")
    assert NOTIFICATION.check(made) == made == notification(news, "ada")
    assert len(made["notification_id"]) == 32


def test_ids_differ_by_kind_content_version_time_and_user() -> None:
    news = News.of(NEW, content("Approved"), AT)
    others = [
        news._replace(kind=ENDED),
        news._replace(content_id="other"),
        news._replace(version="3"),
        news._replace(at="2025-01-26T12:00:00.001Z"),
    ]
    made = [notification(one, "ada") for one in (news, *others)] + [notification(news, "bob")]
    assert len({one["notification_id"] for one in made}) == len(made)


def test_a_review_is_told_once_whatever_the_version() -> None:
    news = News.of(REVIEW, content("Approved"), AT)
    later = news._replace(version="9", title="Another")
    assert notification(news, "a")["notification_id"] == notification(later, "a")["notification_id"]


@pytest.mark.parametrize("kind", [NEW, ENDED, REVIEW])
def test_messages_arrive_as_they_were_sent(kind: str) -> None:
    for message in messages_of(News.of(kind, content("Approved"), AT), "olga"):
        assert read(message.body) == message
        assert (message.owner == "olga") == (kind in (ENDED, REVIEW))


def test_ten_of_the_largest_messages_fit_into_a_batch() -> None:
    large: dict[str, Any] = {
        "title": "🎈" * 200,
        "tags": [f"{number:02}" + "🎈" * 48 for number in range(20)],
        "product_suite": "🎈" * 100,
        "product_concept": "🎈" * 100,
    }
    news = News.of(NEW, CONTENT.check(content("Approved", **large)), AT)
    messages = messages_of(news, "olga")
    assert len(messages) == 24
    assert max(len(one.body.encode()) for one in messages) < 25 * 1024
    assert all(read(one.body) == one for one in messages)


GOOD = json.loads(Message(News.of(NEW, content("Approved"), AT), topic="all").body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        json.dumps({**GOOD, "topic": None}),
        json.dumps({**GOOD, "owner": "olga"}),
        json.dumps({**GOOD, "extra": 1}),
        json.dumps({**GOOD, "after": "no user#id"}),
        json.dumps({**GOOD, "content": None}),
        json.dumps({**GOOD, "content": {**GOOD["content"], "kind": "gossip"}}),
        json.dumps({**GOOD, "content": {**GOOD["content"], "at": "yesterday"}}),
        json.dumps({**GOOD, "content": {**GOOD["content"], "title": None}}),
        json.dumps({**GOOD, "content": {**GOOD["content"], "tags": "sql"}}),
        json.dumps({"content": GOOD["content"], "owner": ""}),
    ],
)
def test_anything_else_is_refused_without_repeating_it(body: str) -> None:
    with pytest.raises(BadMessage, match=r"^not a message about content: [A-Za-z]+$"):
        read(body)
