"""The portal on the local cloud: written, approved, told, downloaded; recorded."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local.clients.portal import Portal
from local.clients.users import ADMIN, APPROVER, AUTHOR, Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import event_key
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store
from tests.e2e.conftest import NewUser
from tests.e2e.support.lists import listed
from tests.e2e.support.polling import eventually

NOTES = "Notes, with a snowman ☃\n".encode()


@pytest.fixture
def portal(deployment: Deployment, users: Users, new_reader: NewUser) -> Portal:
    """The portal with a reader who is told of what has the reader's own tag."""
    reader = new_reader()
    return Portal(deployment, users, reader=reader, tag=f"for {reader}")


def invoke(cloud: Cloud, function: str, event: dict[str, Any]) -> Any:
    payload = json.dumps(event).encode()
    answer = cloud.connection.client("lambda").invoke(FunctionName=function, Payload=payload)
    said = json.loads(answer["Payload"].read())
    assert "FunctionError" not in answer, said
    return said


def test_an_author_creates_an_approver_approves_and_a_subscriber_is_told_and_downloads(
    portal: Portal,
) -> None:
    reader = portal.api(portal.reader)
    portal.subscribe()
    draft = portal.create("Positioning")
    id = draft["content_id"]
    assert (draft["status"], draft["version"]) == ("Draft", "1")
    assert reader("GET", f"/content/{id}").status == 404
    with_file = portal.attach(id, "Übersicht.txt", NOTES)
    own = portal.api(AUTHOR)("POST", f"/content/{id}/status", _move("Approved", with_file))
    assert own.status == 403
    approved = portal.approve(with_file)
    assert approved["status"] == "Approved"

    told = portal.notification(id)
    assert (told["title"], told["read"]) == ("Positioning", False)
    assert portal.download(id) == NOTES
    assert reader("GET", "/notifications/unread-count").json["unread"] == 1
    path = f"/notifications/{told['notification_id']}"
    assert portal.api(AUTHOR)("GET", path).status == 404
    assert reader("POST", f"{path}/read").status == 200
    assert reader("GET", "/notifications/unread-count").json["unread"] == 0
    found = listed(
        reader, "/content", product_suite="Data", product_concept="Warehouse", status="Approved"
    )
    assert id in [one["content_id"] for one in found]

    def searched() -> list[str]:
        (tag,) = portal.subscribed["tags"]
        return [one["content_id"] for one in listed(reader, "/search", q="posit", tag=tag)]

    assert eventually(lambda: searched() == [id])


def test_an_edit_of_what_somebody_else_has_changed_is_refused_with_what_is_there(
    portal: Portal,
) -> None:
    portal.subscribe()
    made = portal.approve(portal.create("Pricing"))
    path = f"/content/{made['content_id']}"
    portal.notification(made["content_id"])  # an approval that is over is not told any more
    change = {"title": "Pricing, again", "version": made["version"]}
    changed = portal.api(AUTHOR)("PATCH", path, change)
    assert changed.status == 200
    stale = portal.api(APPROVER)("PATCH", path, {"title": "Mine", "version": made["version"]})
    assert (stale.status, stale.json["current"]) == (409, changed.json)
    # Readers keep what was approved until the change is. Each approval is told, once.
    reader = portal.api(portal.reader)
    assert changed.json["draft"] == {"title": "Pricing, again"}
    assert reader("GET", path).json["title"] == "Pricing"
    portal.approve(changed.json)
    assert reader("GET", path).json["title"] == "Pricing, again"

    def told() -> list[str]:
        items = reader("GET", "/notifications", limit=100).json["items"]
        return [one["message"] for one in items if one.get("content_id") == made["content_id"]]

    assert eventually(lambda: len(told()) == 2)


def test_the_calendar_lets_content_expire_and_tells_its_owner(
    portal: Portal, cloud: Cloud, deployment: Deployment
) -> None:
    ahead, past = (iso_utc(datetime.now(UTC) + timedelta(hours=h)) for h in (1, -1))
    draft = portal.create("Soon gone", expiry_date=ahead, expiry_policy="soft_expire")
    key = {"content_id": portal.approve(draft)["content_id"]}
    table = deployment.output("portal", "ContentTable")
    store = Store(ContentRegistry, table, Boto3Client(cloud.connection.client("dynamodb")))
    # As if an hour had gone by.
    due = {"expiry_date": past, "due_at": past}
    made = store.update(ContentRegistry.update_content, key, due)
    ran = invoke(cloud, deployment.output("portal", "CalendarFunction"), {})
    assert ran["failed"] == 0
    path = f"/content/{made['content_id']}"
    assert portal.api(portal.reader)("GET", path).json["status"] == "Expired"

    def told() -> bool:
        items = listed(portal.api(AUTHOR), "/notifications")
        mine = [one for one in items if one.get("content_id") == made["content_id"]]
        return any(one["type"] == "warning" for one in mine)

    assert eventually(told)


def test_nobody_without_a_role_gets_in(portal: Portal) -> None:
    stranger = portal.api("acme")
    for path in ("/content?status=Approved", "/notifications", "/subscriptions"):
        assert stranger("GET", path).status == 403
    assert stranger("POST", "/subscriptions", portal.subscribed).status == 403


def test_what_happened_is_listed_by_day_and_by_user(portal: Portal) -> None:
    id = uuid7(datetime.now(UTC))
    event = {"event_id": id, "event_name": "content.viewed", "metadata": {"page": 1}}
    reader = portal.api(portal.reader)
    for _ in range(2):
        appended = reader("POST", "/events", {"events": [event]})
        assert (appended.status, appended.json["event_ids"]) == (202, [id])
    day = event_key(id)["date_bucket"]
    assert reader("GET", "/events", date_bucket=day).status == 403
    happened = listed(portal.api(ADMIN), "/events", date_bucket=day)
    (mine,) = (one for one in happened if one["event_id"] == id)
    by_user = reader("GET", "/events", user_id=mine["user_id"]).json["items"]
    assert [one["event_id"] for one in by_user] == [id]


def _move(status: str, content: dict[str, Any]) -> dict[str, str]:
    return {"status": status, "version": content["version"]}
