"""Notifications and subscriptions: who is told what, and who wants to be."""

from typing import Any

import pytest

from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions, matches, topics
from tablewright.model import key_of
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.portal.tables.records import (
    USER,
    moment,
    notification,
    pages,
    subscription,
)

OWN = {"user_id": USER}
UNREAD = {"unread_by": USER}
READ = {"read": True, "read_at": moment(60), "unread_by": None}


@pytest.fixture
def inbox(dynamodb: Database) -> Store:
    return dynamodb.store(Notifications)


@pytest.fixture
def subscriptions(dynamodb: Database) -> Store:
    return dynamodb.store(Subscriptions)


def tell(inbox: Store, many: int) -> list[Notification]:
    made = [notification(number) for number in range(many)]
    assert all(inbox.create_many(Notifications.create_notification, made))
    return made


def test_the_notifications_of_a_user_are_listed_newest_first(inbox: Store) -> None:
    told = tell(inbox, 5)
    inbox.create_many(Notifications.create_notification, [notification(9, user_id="somebody-else")])
    assert pages(inbox, Notifications.list_notifications, OWN, 2) == told[::-1]
    since = pages(inbox, Notifications.list_notifications, OWN, 2, since=moment(3))
    assert since == [told[4], told[3]]


def test_a_user_is_told_once_and_what_was_read_stays_read(inbox: Store) -> None:
    (told,) = tell(inbox, 1)
    key = key_of(told)
    inbox.update(Notifications.mark_as_read, key, READ)
    again = [notification(n) for n in range(2)]
    assert inbox.create_many(Notifications.create_notification, again) == [False, True]
    read = {name: value for name, value in {**told, **READ}.items() if value is not None}
    assert pages(
        inbox, Notifications.get_notification, {"notification_id": told.notification_id}, 1
    ) == [read]


def test_a_notification_is_found_by_its_id_alone(inbox: Store) -> None:
    told = tell(inbox, 3)
    where = {"notification_id": told[1].notification_id}
    assert pages(inbox, Notifications.get_notification, where, 10) == [told[1]]
    nobody = {"notification_id": "f" * 32}
    assert pages(inbox, Notifications.get_notification, nobody, 10) == []


def test_the_unread_ones_are_listed_until_they_are_read(inbox: Store) -> None:
    told = tell(inbox, 4)
    inbox.update(Notifications.mark_as_read, key_of(told[2]), READ)
    left = [told[3], told[1], told[0]]
    assert pages(inbox, Notifications.unread_in_full, UNREAD, 2) == left
    keys = pages(inbox, Notifications.unread_notifications, UNREAD, 2)
    assert keys == [{**key_of(one), "unread_by": USER} for one in left]
    assert len(pages(inbox, Notifications.list_notifications, OWN, 2)) == 4


def test_marking_costs_one_write_for_the_item_and_one_for_the_list_it_leaves(
    inbox: Store, dynamodb: Database
) -> None:
    (told,) = tell(inbox, 1)
    meter = Meter(dynamodb.caller)
    store = dynamodb.store(Notifications, meter)
    store.update(Notifications.mark_as_read, key_of(told), READ, when={"read": False})
    assert dict(meter.written) == {"table": 1, "by_unread": 1}
    assert meter.read_units == 0


def test_what_nobody_was_told_cannot_be_marked(inbox: Store, dynamodb: Database) -> None:
    with pytest.raises(NotFound):
        inbox.update(Notifications.mark_as_read, key_of(notification()), READ)
    assert dynamodb.items() == []


def test_subscriptions_are_made_once_listed_and_removed(subscriptions: Store) -> None:
    made = [
        subscriptions.put(Subscriptions.create_subscription, subscription(n, product_suite="Data"))
        for n in range(3)
    ]
    with pytest.raises(AlreadyExists):
        subscriptions.put(Subscriptions.create_subscription, subscription(0))
    assert pages(subscriptions, Subscriptions.list_subscriptions, OWN, 2) == made
    key = key_of(made[1])
    assert subscriptions.get(Subscriptions.get_subscription, key) == made[1]
    subscriptions.delete(Subscriptions.delete_subscription, key)
    assert pages(subscriptions, Subscriptions.list_subscriptions, OWN, 2) == [made[0], made[2]]
    assert subscriptions.get(Subscriptions.get_subscription, key) is None


WANTED: list[dict[str, Any]] = [
    {},
    {"product_suite": "Data"},
    {"product_concept": "Warehouse"},
    {"product_suite": "Data", "product_concept": "Warehouse"},
    {"product_suite": "Data", "product_concept": "Lake"},
    {"product_suite": "Data", "tags": ["demo"]},
    {"tags": ["demo", "warehouse"]},
    {"tags": ["demo", "video"]},
    {"tags": ["👩\u200d🚀 in space"]},
]
CONTENT = {
    "product_suite": "Data",
    "product_concept": "Warehouse",
    "tags": ["warehouse", "demo", "👩\u200d🚀 in space"],
}


def test_the_topics_of_content_lead_to_everybody_who_wants_it(subscriptions: Store) -> None:
    for number, wanted in enumerate(WANTED):
        one = subscription(number, user_id=f"user-{number}", **wanted)
        subscriptions.put(Subscriptions.create_subscription, one)
    found = [
        one
        for topic in topics(CONTENT)
        for one in pages(subscriptions, Subscriptions.subscribers, {"topic": topic}, 2)
        if matches(one, CONTENT)
    ]
    expected = [n for n, wanted in enumerate(WANTED) if matches(wanted, CONTENT)]
    assert sorted(one.user_id for one in found) == [f"user-{n}" for n in expected]
    assert expected == [0, 1, 2, 3, 5, 6, 8]


def test_the_subscribers_of_a_topic_are_listed_from_a_user_on(subscriptions: Store) -> None:
    for number in range(6):
        one = subscription(number, user_id=f"user-{number // 2}", tags=["demo"])
        subscriptions.put(Subscriptions.create_subscription, one)
    where = {"topic": "tag#demo"}
    users = [
        one.user_id
        for one in pages(subscriptions, Subscriptions.subscribers, where, 2, since="user-1")
    ]
    assert users == ["user-1", "user-1", "user-2", "user-2"]
