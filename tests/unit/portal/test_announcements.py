"""Announcements: what a change of content announces, and the messages that carry it."""

import json
from typing import Any

import pytest

from lambdas.portal.notification_fan_out.announcements import (
    APPROVAL,
    EXPIRY,
    REVIEW_DUE,
    Announcement,
    announcements_of,
    notification,
)
from lambdas.portal.notification_fan_out.messages import (
    BadMessage,
    Message,
    message_from,
    messages_of,
)
from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.notifications import Notification

AT = "2025-01-26T12:00:00.000Z"


def content(status: str, version: str = "2", **changes: Any) -> Content:
    now = {"status": status, "version": version, "last_updated": AT}
    return Content(**{**Content.__entity__.example, **now, **changes})


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        (None, content("Draft"), []),
        (None, content("Approved"), [APPROVAL]),
        (content("Draft", "1"), content("Draft"), []),
        (content("Draft", "1"), content("Approved"), [APPROVAL]),
        (content("Approved", "1"), content("Approved"), []),
        (content("Approved"), content("Approved"), []),
        (content("Approved", "1"), content("Deprecated"), []),
        (content("Deprecated", "1"), content("Approved"), [APPROVAL]),
        (content("Approved", "1"), content("Expired"), [EXPIRY]),
        (content("Expired", "1"), content("Expired"), []),
        (content("Expired", "1"), content("Draft"), []),
        (content("Approved"), content("Approved", review_told=AT), [REVIEW_DUE]),
        (content("Approved", review_told=AT), content("Approved", review_told=AT), []),
        (content("Approved"), None, []),
    ],
)
def test_what_a_change_announces(old: Any, new: Any, kinds: list[str]) -> None:
    assert [announcement.kind for announcement in announcements_of(old, new)] == kinds


@pytest.mark.parametrize("kind", [APPROVAL, EXPIRY, REVIEW_DUE])
def test_a_notification_is_sound_and_always_the_same(kind: str) -> None:
    announcement = Announcement.of(kind, content("Approved", title="x" * 200), AT)
    made = notification(announcement, "ada")
    assert Notification.__entity__.check(made) == made == notification(announcement, "ada")
    assert len(made.notification_id) == 32


def test_ids_differ_by_kind_content_version_time_and_user() -> None:
    announcement = Announcement.of(APPROVAL, content("Approved"), AT)
    others = [
        announcement._replace(kind=EXPIRY),
        announcement._replace(content_id="other"),
        announcement._replace(version="3"),
        announcement._replace(at="2025-01-26T12:00:00.001Z"),
    ]
    made = [notification(one, "ada") for one in (announcement, *others)] + [
        notification(announcement, "bob")
    ]
    assert len({one.notification_id for one in made}) == len(made)


def test_a_review_is_announced_once_whatever_the_version() -> None:
    announcement = Announcement.of(REVIEW_DUE, content("Approved"), AT)
    later = announcement._replace(version="9", title="Another")
    assert (
        notification(announcement, "a").notification_id == notification(later, "a").notification_id
    )


@pytest.mark.parametrize("kind", [APPROVAL, EXPIRY, REVIEW_DUE])
def test_messages_arrive_as_they_were_sent(kind: str) -> None:
    for message in messages_of(Announcement.of(kind, content("Approved"), AT), "olga"):
        assert message_from(message.body) == message
        assert (message.owner == "olga") == (kind in (EXPIRY, REVIEW_DUE))


def test_ten_of_the_largest_messages_fit_into_a_batch() -> None:
    large: dict[str, Any] = {
        "title": "🎈" * 200,
        "tags": [f"{number:02}" + "🎈" * 48 for number in range(20)],
        "product_suite": "🎈" * 100,
        "product_concept": "🎈" * 100,
    }
    announcement = Announcement.of(APPROVAL, content("Approved", **large), AT)
    messages = messages_of(announcement, "olga")
    assert len(messages) == 24
    assert max(len(one.body.encode()) for one in messages) < 25 * 1024
    assert all(message_from(one.body) == one for one in messages)


GOOD = json.loads(Message(Announcement.of(APPROVAL, content("Approved"), AT), topic="all").body)


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
        message_from(body)
