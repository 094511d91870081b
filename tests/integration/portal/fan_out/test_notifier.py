"""Everybody who has asked for it is told of content, once, whoever dies on the way."""

from itertools import chain, repeat

import pytest

from lambdas.portal.notification_fan_out.announcements import APPROVAL, Announcement
from lambdas.portal.notification_fan_out.messages import Message, message_from
from lambdas.portal.notification_fan_out.notifier import Notified
from tablewright.catalog.portal.notifications import Notifications
from tablewright.model import Record
from tablewright.runtime.aws import Caller
from tablewright.testing import Database, Fault, Faulty, survives_every_fault
from tests.integration.portal.fan_out.fan_out_world import FanOutWorld, content, users

DATA: Record = {
    "product_suite": "Data",
    "product_concept": "Warehouse",
    "tags": ["demo", "sql"],
}
ANNOUNCEMENT = Announcement.of(APPROVAL, content(version="2", **DATA), "2025-01-26T12:00:00.000Z")
APPROVED = "Version 2 was approved."


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


def test_who_asks_for_what_the_content_has_is_told(room: FanOutWorld) -> None:
    room.subscribe("everything")
    room.subscribe("suite", product_suite="Data")
    room.subscribe("concept", product_concept="Warehouse")
    room.subscribe("both", product_suite="Data", product_concept="Warehouse")
    room.subscribe("tag", tags=["sql"])
    room.subscribe("tags", tags=["demo", "sql"])
    room.subscribe("all-of-it", **DATA)
    room.subscribe("another-suite", product_suite="CRM")
    room.subscribe("another-concept", product_suite="Data", product_concept="Lake")
    room.subscribe("another-tag", tags=["demo", "video"])
    room.subscribe("too-much", product_suite="Data", tags=["demo", "video"])
    room.approved(**DATA)
    room.publish()
    room.drain()
    hear = ("everything", "suite", "concept", "both", "tag", "tags", "all-of-it")
    assert room.told() == [(user, APPROVED) for user in sorted(hear)]


def test_somebody_with_many_subscriptions_is_told_once(room: FanOutWorld) -> None:
    for filters in ({}, {}, {"product_suite": "Data"}, {"tags": ["sql"]}, {"tags": ["demo"]}, DATA):
        room.subscribe("ada", **filters)
    # Of the two under one topic the first does not match, and the page ends between them.
    room.subscribe("bob", product_suite="Data", tags=["video"])
    room.subscribe("bob", product_suite="Data", tags=["sql"])
    room.approved(**DATA)
    room.publish()
    room.drain(page=1, hurried=True)
    assert room.told() == [("ada", APPROVED), ("bob", APPROVED)]


def test_a_notification_says_what_it_is_about(room: FanOutWorld) -> None:
    room.subscribe("ada")
    made = room.approved()
    room.publish()
    room.drain()
    (told,) = room.notifications()
    assert len(told.notification_id) == 32
    assert told == {
        "notification_id": told.notification_id,
        "user_id": "ada",
        "unread_by": "ada",
        "read": False,
        "type": "info",
        "title": "About c1",
        "message": APPROVED,
        "content_id": "c1",
        "created_at": made.last_updated,
    }


def test_time_that_is_up_is_gone_on_with_after_the_last_user(room: FanOutWorld) -> None:
    room.approved(**DATA)
    room.subscribe(*users(25))
    room.cloud.messages = [Message(ANNOUNCEMENT, topic="all").body]
    done = room.drain(page=10, hurried=True)
    assert [(one.new, one.after) for one in done] == [
        (10, "user-00009"),
        (10, "user-00019"),
        (5, None),
    ]
    assert room.told() == [(user, APPROVED) for user in users(25)]


def test_with_time_one_message_is_enough(room: FanOutWorld) -> None:
    room.approved(**DATA)
    room.subscribe(*users(25))
    room.cloud.messages = [Message(ANNOUNCEMENT, topic="all").body]
    (done,) = room.drain(page=10)
    assert done.new == 25
    again = room.notifier().notify(Message(ANNOUNCEMENT, topic="all"))
    assert (again.new, again.before) == (0, 25)


def test_every_fault_at_every_call_tells_everybody_once(room: FanOutWorld) -> None:
    everybody = users(40)
    room.approved(**DATA)
    room.subscribe(*everybody, product_suite="Data")
    room.subscribe(*everybody[3:9], product_suite="Data", tags=["sql"])
    messages = [Message(ANNOUNCEMENT, topic="product#Data#").body]

    def fresh() -> Caller:
        room.forget()
        room.cloud.messages = list(messages)
        return room.edge

    def work(caller: Caller) -> None:
        room.drain(caller, page=30, hurried=True)

    calls = survives_every_fault(work, room.notifications, fresh=fresh)
    assert room.told() == [(user, APPROVED) for user in everybody]
    assert len(calls) == 3 + 3 + 2 + 1  # batches, queries, looks at the content, a message to go on


def test_what_was_read_stays_read(room: FanOutWorld) -> None:
    room.subscribe("ada", "bob")
    room.approved()
    room.publish()
    room.drain()
    first = room.notifications()[0]
    key = {name: first[name] for name in ("user_id", "created_at", "notification_id")}
    read = {"read": True, "read_at": "2025-01-27T00:00:00.000Z", "unread_by": None}
    room.notifications_store().update(Notifications.mark_as_read, key, read)
    before = room.notifications()
    for _ in range(3):
        room.publish()
        room.drain()
    assert room.notifications() == before


def test_every_approval_is_told_once_and_nothing_between(room: FanOutWorld) -> None:
    room.subscribe("ada")
    made = room.approved()
    later: list[Record] = [
        {"review_due_date": "2025-07-26T00:00:00.000Z"},
        {"status": "Deprecated"},
        {"status": "Approved"},
        {"status": "Draft", "title": "Better"},
        {"status": "Approved"},
    ]
    for changes in later:
        for _ in range(2):
            room.publish()
            room.drain()
        made = room.change(made, **changes)
    for _ in range(2):
        room.publish()
        room.drain()
    told = [(one.message, one.title) for one in room.notifications()]
    assert sorted(told) == [
        ("Version 2 was approved.", "About c1"),
        ("Version 5 was approved.", "About c1"),
        ("Version 7 was approved.", "Better"),
    ]


LATER = "2025-01-27T00:00:00.000Z"


@pytest.mark.parametrize(
    "meanwhile",
    [
        [{"status": "Expired"}],
        [{"status": "Deprecated"}],
        [{"status": "Draft", "title": "Unread", "approved_at": None}],
        # Whoever is left is told of the next approval.
        [{"status": "Draft"}, {"status": "Approved", "approved_at": LATER}],
    ],
    ids=["expired", "deprecated", "edited", "approved anew"],
)
def test_of_an_approval_that_is_over_nobody_else_is_told(
    room: FanOutWorld, meanwhile: list[Record]
) -> None:
    room.subscribe(*users(25))
    made = room.approved(approved_at="2025-01-26T12:00:00.000Z")
    room.publish()
    notifier = room.notifier(page=10)
    first = notifier.notify(message_from(room.cloud.messages.pop()), lambda: False)
    for changes in meanwhile:
        made = room.change(made, **changes)
    (rest,) = room.cloud.messages
    assert (first.new, notifier.notify(message_from(rest))) == (10, Notified())
    assert [user for user, _ in room.told()] == users(10)


def test_of_content_that_is_gone_nobody_is_told(room: FanOutWorld) -> None:
    room.subscribe("ada")
    room.approved()
    room.publish()
    room.clear_content()
    room.drain()
    assert room.told() == []


def test_a_change_of_the_review_date_does_not_stop_the_fan_out(room: FanOutWorld) -> None:
    room.subscribe("ada")
    made = room.approved(approved_at="2025-01-26T12:00:00.000Z")
    room.publish()
    room.change(made, review_due_date=LATER)
    room.drain()
    assert room.told() == [("ada", APPROVED)]


def test_ten_thousand_subscribers_get_ten_thousand_notifications(room: FanOutWorld) -> None:
    """Some with several subscriptions; six deaths on the way, and messages that come again."""
    everybody = users(10_000)
    room.subscribe(*everybody, product_suite="Data")
    room.subscribe(*everybody[::10], product_suite="Data", tags=["sql"])
    room.subscribe(*everybody[::20], tags=["sql"])
    room.subscribe("somebody-else", product_suite="CRM")
    room.approved(**DATA)
    room.publish()
    # At calls to come, each counted from the death before it.
    crashes = [Fault(at, "crash before") for at in (70, 3, 40)]
    crashes += [Fault(at, "crash after") for at in (60, 90, 55)]
    edges = chain((Faulty(room.edge, one) for one in crashes), repeat(room.edge))
    assert room.drain_with_crashes(edges, hurried=True) == len(crashes)
    room.cloud.messages = room.cloud.sent[:1] + room.cloud.sent[-3:]
    room.drain()
    assert room.told() == [(user, APPROVED) for user in everybody]
