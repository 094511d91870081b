"""The data model of the enablement portal, as it was published, section by section."""

import json
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.events import Event, Events
from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.catalog.portal.subscriptions import Subscription, Subscriptions
from tablewright.runtime.store.attribute_values import decode, encode
from tablewright.testing import Database
from tests.integration.portal.content.content_world import ADA, OLA, PAM, RON, World
from tests.integration.portal.events.event_world import World as EventWorld
from tests.integration.portal.fan_out.fan_out_world import FanOutWorld
from tests.integration.portal.inbox.inbox_http import Http

# Items in the forms that ISO 8601 has, as the published code wrote them.
TIMES = (
    "2025-01-25T10:04:00Z",
    "2025-01-25T10:04:00.123456Z",
    "2025-01-25T10:04:00.123456+00:00",
    "2025-01-25T10:04:00+00:00",
    "2025-01-25T10:04:00.123456",
)


def wire(**values: Any) -> dict[str, Any]:
    return {name: encode(value) for name, value in values.items()}


def plain(item: dict[str, Any]) -> dict[str, Any]:
    return {name: decode(value) for name, value in item.items()}


LISTS: list[dict[str, Any]] = [
    {"status": "Approved"},
    {"product_suite": "Data", "product_concept": "Lake"},
]
READER = {"sub": "ada", "cognito:groups": "[readers]"}


# 1. content_registry


def content_item(content_id: str, time: str, status: str = "Approved") -> dict[str, Any]:
    """An item with every published attribute, and with no other."""
    item = wire(
        content_id=content_id,
        status=status,
        title="Positioning",
        summary="What to say.",
        product_suite="Data",
        product_concept="Lake",
        audience_role="Sales",
        lifecycle_stage="Evaluate",
        owner_user_id="ada",
        tags=["Demo", "Data Lake"],
        version="1.0",
        last_updated=time,
        review_due_date="2026-06-30",
        effective_date="2025-01-01",
        expiry_date="2026-12-31",
        expiry_policy="soft_expire",
        s3_uri=f"s3://files/content/{content_id}/guide.pdf",
        file_name="guide.pdf",
        content_type="application/pdf",
        size_bytes=15,
        s3_bucket="files",
        s3_key=f"content/{content_id}/guide.pdf",
        uploaded_at=time,
    )
    item["status#last_updated#content_id"] = encode(f"{status}#{time}#{content_id}")
    item["product_suite#product_concept"] = encode("Data#Lake")
    item["last_updated#content_id"] = encode(f"{time}#{content_id}")
    return item


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


def test_an_item_has_the_published_attributes_and_keys(world: World) -> None:
    asked = ["title", "summary", "product_suite", "product_concept", "audience_role"]
    asked += ["lifecycle_stage", "tags", "version", "effective_date", "expiry_date"]
    item = plain(content_item("c1", TIMES[0], "Draft"))
    body = {name: item[name] for name in (*asked, "content_id", "status", "owner_user_id")}
    made = world("POST", "/content", body)
    assert made.status == 201, made.text
    (stored,) = map(plain, world.items())
    dates = {"effective_date": "2025-01-01T00:00:00.000Z"}
    dates["expiry_date"] = "2026-12-31T23:59:59.999Z"
    assert stored.items() >= {**body, **dates}.items()
    time = stored["last_updated"]
    assert stored["status#last_updated#content_id"] == f"Draft#{time}#c1"
    assert stored["product_suite#product_concept"] == "Data#Lake"
    assert stored["last_updated#content_id"] == f"{time}#c1"


@pytest.mark.parametrize("time", TIMES)
def test_published_items_are_read_listed_edited_and_deleted(world: World, time: str) -> None:
    item = content_item("c1", time)
    world.database.write([item], ContentRegistry)
    found = world("GET", "/content/c1", user=RON)
    names = {field.name for field in Content.__entity__.fields}
    assert found.json == {n: v for n, v in plain(item).items() if n in names}
    for asked in LISTS:
        assert world.listed(user=RON, **asked) == ["c1"]
        assert world.listed(user=RON, tag="DEMO", **asked) == ["c1"]
    edited = world("PATCH", "/content/c1", {"title": "New", "version": "1.0"}, user=PAM)
    assert edited.status == 200, edited.text
    assert (edited.json["status"], edited.json["version"]) == ("Approved", "1.1")
    assert edited.json["tags"] == ["Demo", "Data Lake"]
    (stored,) = map(plain, world.items())
    assert stored["due_at"] == "2026-06-30T00:00:00.000Z"
    # The author's next edit waits; readers keep this one.
    drafted = world("PATCH", "/content/c1", {"summary": "More.", "version": "1.1"}, user=ADA)
    assert drafted.json["draft"] == {"summary": "More."}
    assert world("GET", "/content/c1", user=RON).json["summary"] == "What to say."
    assert world.move("Approved", user=PAM).json["summary"] == "More."
    gone = {"version": world.latest()}
    assert world("DELETE", "/content/c1", gone, user=OLA).status == 204


@pytest.mark.parametrize("asked", LISTS)
def test_content_is_listed_last_updated_first_page_by_page(
    world: World, asked: dict[str, Any]
) -> None:
    items = [content_item(f"c{n}", f"2025-01-2{n}T10:00:00Z") for n in range(5)]
    world.database.write(items, ContentRegistry)
    assert world.listed(2, RON, **asked) == ["c4", "c3", "c2", "c1", "c0"]


def test_every_status_is_set_from_every_other(world: World) -> None:
    statuses = ("Draft", "Approved", "Deprecated", "Expired")
    world.make()
    for start in statuses:
        for end in statuses:
            assert world.move(start, user=PAM).json["status"] == start
            assert world.move(end, user=PAM).json["status"] == end


@pytest.mark.parametrize("name", ["review_due_date", "effective_date", "expiry_date"])
@pytest.mark.parametrize("text", ["", "31.12.2026"])
def test_a_published_date_that_is_none_is_named_and_can_be_removed(
    world: World, name: str, text: str
) -> None:
    world.database.write([{**content_item("c1", TIMES[0]), name: {"S": text}}], ContentRegistry)
    assert world.listed(user=RON, status="Approved") == ["c1"]
    refused = world("PATCH", "/content/c1", {"title": "New", "version": "1.0"}, user=PAM)
    assert (refused.status, refused.json["errors"][0]["pointer"]) == (400, name)
    removed = world("PATCH", "/content/c1", {name: None, "version": "1.0"}, user=PAM)
    assert (removed.status, removed.json.get(name)) == (200, None)


# 2. notifications


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


@pytest.fixture
def http(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(room, monkeypatch)


def notification_item(time: str, notification_id: str = "n1") -> dict[str, Any]:
    item = wire(
        user_id="ada",
        notification_id=notification_id,
        type="success",
        title="Done",
        message="It is done.",
        read=False,
        created_at=time,
        content_id="c1",
    )
    return {**item, "created_at#notification_id": encode(f"{time}#{notification_id}")}


def test_a_notification_has_the_published_attributes(room: FanOutWorld) -> None:
    store = room.notifications_store(room.edge)
    item = plain(notification_item("2025-01-25T10:04:00.000Z"))
    names = {field.name for field in Notification.__entity__.fields}
    made = Notification(**{n: v for n, v in item.items() if n in names})
    for new in (True, False):
        assert store.create_many(Notifications.create_notification, [made]) == [new]
    (stored,) = map(plain, room.items("notifications"))
    assert stored == item


@pytest.mark.parametrize("time", TIMES)
def test_published_items_are_listed_read_and_marked_as_read(
    http: Http, room: FanOutWorld, time: str
) -> None:
    room.database.write([notification_item(time)], "notifications")
    (found,) = http.pages("/notifications")
    assert (found["notification_id"], found["created_at"]) == ("n1", time)
    assert http("GET", "/notifications/n1").json == found
    marked = http("POST", "/notifications/n1/read")
    assert marked.json["read"] is True
    (stored,) = map(plain, room.items("notifications"))
    assert (stored["read"], stored["created_at#notification_id"]) == (True, f"{time}#n1")


def test_notifications_are_listed_newest_first_page_by_page(http: Http, room: FanOutWorld) -> None:
    items = [notification_item(f"2025-01-2{n}T10:00:00Z", f"n{n}") for n in range(5)]
    room.database.write(items, "notifications")
    found = [one["notification_id"] for one in http.pages("/notifications", limit=2)]
    assert found == ["n4", "n3", "n2", "n1", "n0"]


# 3. subscriptions


def test_a_subscription_has_the_published_attributes(http: Http, room: FanOutWorld) -> None:
    body = {
        "subscription_id": "sub-1",
        "product_suite": "Data",
        "product_concept": "Lake",
        "tags": ["Demo"],
    }
    assert http("POST", "/subscriptions", {**body, "user_id": "ada"}).status == 201
    items = map(plain, room.items("subscriptions"))
    (stored,) = (one for one in items if one["user_id"] == "ada")
    assert stored.items() >= {**body, "user_id": "ada"}.items()
    assert "created_at" in stored


@pytest.mark.parametrize("time", TIMES)
def test_published_items_are_listed_read_and_deleted(
    http: Http, room: FanOutWorld, time: str
) -> None:
    item = {"user_id": "ada", "subscription_id": "sub_1", "tags": ["Demo"], "created_at": time}
    room.database.write([wire(**item)], "subscriptions")
    assert http.pages("/subscriptions", limit=1) == [item]
    assert http("GET", "/subscriptions/sub_1").json == item
    assert http("DELETE", "/subscriptions/sub_1").status == 204
    assert http.pages("/subscriptions") == []


# 4. events


def event_item(time: str, event_id: str = "evt_1") -> dict[str, Any]:
    item = wire(
        date_bucket=time[:10],
        event_id=event_id,
        event_name="content viewed",
        user_id="ada",
        content_id="c1",
        metadata={"source": "search"},
        timestamp=time,
    )
    return {**item, "ts#event_id": encode(f"{time}#{event_id}")}


@pytest.fixture
def events(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> EventWorld:
    return EventWorld(dynamodb, monkeypatch)


def test_an_event_has_the_published_attributes(events: EventWorld) -> None:
    item = plain(event_item("2099-01-26T10:04:00.000Z"))
    asked = ("event_id", "event_name", "user_id", "content_id", "metadata", "timestamp")
    event = {name: item[name] for name in asked}
    # In a list, and by itself.
    events.send(event)
    assert events("POST", event, claims=READER).json == {"event_ids": ["evt_1"]}
    (stored,) = map(plain, events.items())
    assert {n: v for n, v in stored.items() if n != "ttl"} == item


@pytest.mark.parametrize("time", TIMES)
def test_published_items_are_listed_by_day_and_by_user(events: EventWorld, time: str) -> None:
    item = event_item(time)
    events.database.write([item], Events)
    names = {field.name for field in Event.__entity__.fields}
    shown = {n: v for n, v in plain(item).items() if n in names}
    assert events.all(1, date_bucket="2025-01-25") == [shown]
    assert events.all(1, READER, user_id="ada") == [shown]


def test_events_are_listed_newest_first_page_by_page(events: EventWorld) -> None:
    items = [event_item(f"2025-01-25T1{n}:00:00Z", f"e{n}") for n in range(5)]
    events.database.write(items, Events)
    assert [one["event_id"] for one in events.all(2, date_bucket="2025-01-25")] == [
        *("e4", "e3", "e2", "e1", "e0")
    ]


# Pagination


def test_a_cursor_is_given_as_next_cursor_and_taken_as_cursor(world: World) -> None:
    items = [content_item(f"c{n}", f"2025-01-2{n}T10:00:00Z") for n in range(2)]
    world.database.write(items, ContentRegistry)
    first = world("GET", "/content", user=RON, status="Approved", limit=1).json
    cursor = first["next_cursor"]
    assert urlsafe_b64decode(cursor + "==")
    second = world("GET", "/content", user=RON, status="Approved", cursor=cursor).json
    assert [one["content_id"] for one in first["items"] + second["items"]] == ["c1", "c0"]
    assert json.loads(json.dumps(second))["next_cursor"] is None


def test_the_access_patterns_have_the_published_names() -> None:
    patterns: dict[Any, str] = {
        ContentRegistry: "get_content list_content_by_status list_content_by_product "
        "create_content update_content delete_content",
        Notifications: "list_notifications get_notification mark_as_read create_notification",
        Subscriptions: "list_subscriptions get_subscription create_subscription "
        "delete_subscription",
        Events: "store_event list_events_for_date query_events_by_user",
    }
    for table, names in patterns.items():
        assert {*names.split()} <= table.__design__.patterns.keys()
    assert Subscription.__entity__.by_name.keys() >= {"product_suite", "product_concept", "tags"}
