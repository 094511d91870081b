"""Notifications and subscriptions: who is told what, and who wants to be."""

import pytest

from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS, matches, topics
from tablewright.model import Record
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database
from tests.integration.portal.tables.records import (
    USER,
    key_of,
    moment,
    notification,
    pages,
    subscription,
)

OWN = {"user_id": USER}
UNREAD = {"unread_by": USER}
READ = {"read": True, "read_at": moment(60), "unread_by": None}


@pytest.fixture
def inbox(database: Database) -> Store:
    database.create(NOTIFICATIONS)
    return database.store(NOTIFICATIONS)


@pytest.fixture
def subscriptions(database: Database) -> Store:
    database.create(SUBSCRIPTIONS)
    return database.store(SUBSCRIPTIONS)


def tell(inbox: Store, many: int) -> list[Record]:
    made = [notification(number) for number in range(many)]
    assert all(inbox.create_many(NOTIFICATIONS.put_notifications, made))
    return made


def test_the_notifications_of_a_user_are_listed_newest_first(inbox: Store) -> None:
    told = tell(inbox, 5)
    inbox.create_many(NOTIFICATIONS.put_notifications, [notification(9, user_id="somebody-else")])
    assert pages(inbox, NOTIFICATIONS.notifications, OWN, 2) == told[::-1]
    since = pages(inbox, NOTIFICATIONS.notifications, OWN, 2, since=moment(3))
    assert since == [told[4], told[3]]


def test_a_user_is_told_once_and_what_was_read_stays_read(inbox: Store) -> None:
    (told,) = tell(inbox, 1)
    key = key_of(NOTIFICATIONS, told)
    inbox.update(NOTIFICATIONS.mark_read, key, READ)
    again = [notification(n) for n in range(2)]
    assert inbox.create_many(NOTIFICATIONS.put_notifications, again) == [False, True]
    read = {name: value for name, value in {**told, **READ}.items() if value is not None}
    assert inbox.get(NOTIFICATIONS.get_notification, key) == read


def test_a_notification_is_found_by_its_id_alone(inbox: Store) -> None:
    told = tell(inbox, 3)
    where = {"notification_id": told[1]["notification_id"]}
    assert pages(inbox, NOTIFICATIONS.notification_by_id, where, 10) == [told[1]]
    nobody = {"notification_id": "f" * 32}
    assert pages(inbox, NOTIFICATIONS.notification_by_id, nobody, 10) == []


def test_the_unread_ones_are_listed_until_they_are_read(inbox: Store) -> None:
    told = tell(inbox, 4)
    inbox.update(NOTIFICATIONS.mark_read, key_of(NOTIFICATIONS, told[2]), READ)
    left = [told[3], told[1], told[0]]
    assert pages(inbox, NOTIFICATIONS.unread_in_full, UNREAD, 2) == left
    keys = pages(inbox, NOTIFICATIONS.unread_notifications, UNREAD, 2)
    assert keys == [{**key_of(NOTIFICATIONS, one), "unread_by": USER} for one in left]
    assert len(pages(inbox, NOTIFICATIONS.notifications, OWN, 2)) == 4


def test_marking_costs_one_write_for_the_item_and_one_for_the_list_it_leaves(
    inbox: Store, database: Database
) -> None:
    (told,) = tell(inbox, 1)
    meter = Meter(database.store(NOTIFICATIONS)._caller)
    store = database.store(NOTIFICATIONS, meter)
    store.update(NOTIFICATIONS.mark_read, key_of(NOTIFICATIONS, told), READ, expect={"read": False})
    assert dict(meter.written) == {"table": 1, "by_unread": 1}
    assert meter.read_units == 0


def test_what_nobody_was_told_cannot_be_marked(inbox: Store, database: Database) -> None:
    with pytest.raises(NotFound):
        inbox.update(NOTIFICATIONS.mark_read, key_of(NOTIFICATIONS, notification()), READ)
    assert database.items() == []


def test_subscriptions_are_made_once_listed_and_removed(subscriptions: Store) -> None:
    made = [
        subscriptions.put(SUBSCRIPTIONS.put_subscription, subscription(n, product_suite="Data"))
        for n in range(3)
    ]
    with pytest.raises(AlreadyExists):
        subscriptions.put(SUBSCRIPTIONS.put_subscription, subscription(0))
    assert pages(subscriptions, SUBSCRIPTIONS.subscriptions, OWN, 2) == made
    key = key_of(SUBSCRIPTIONS, made[1])
    assert subscriptions.get(SUBSCRIPTIONS.get_subscription, key) == made[1]
    subscriptions.delete(SUBSCRIPTIONS.delete_subscription, key)
    assert pages(subscriptions, SUBSCRIPTIONS.subscriptions, OWN, 2) == [made[0], made[2]]
    assert subscriptions.get(SUBSCRIPTIONS.get_subscription, key) is None


WANTED: list[Record] = [
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
        subscriptions.put(SUBSCRIPTIONS.put_subscription, one)
    found = [
        one
        for topic in topics(CONTENT)
        for one in pages(subscriptions, SUBSCRIPTIONS.subscribers, {"topic": topic}, 2)
        if matches(one, CONTENT)
    ]
    expected = [n for n, wanted in enumerate(WANTED) if matches(wanted, CONTENT)]
    assert sorted(one["user_id"] for one in found) == [f"user-{n}" for n in expected]
    assert expected == [0, 1, 2, 3, 5, 6, 8]


def test_the_subscribers_of_a_topic_are_listed_from_a_user_on(subscriptions: Store) -> None:
    for number in range(6):
        one = subscription(number, user_id=f"user-{number // 2}", tags=["demo"])
        subscriptions.put(SUBSCRIPTIONS.put_subscription, one)
    where = {"topic": "tag#demo"}
    users = [
        one["user_id"]
        for one in pages(subscriptions, SUBSCRIPTIONS.subscribers, where, 2, since="user-1")
    ]
    assert users == ["user-1", "user-1", "user-2", "user-2"]
