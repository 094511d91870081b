"""Whatever is sent to the APIs of the portal is answered, and never by a 500."""

from typing import Any

import pytest
from hypothesis import given

from lambdas.portal.handlers import content_api, events_api, inbox_api
from tablewright.testing import Database
from tests.integration.anything import ANY_REQUESTS, Sample, answered, events, not_asked
from tests.integration.portal.content.content_world import (
    ADA,
    CONTRACT,
    NEW,
    OLA,
    PAM,
    PDF,
    World,
    file_of,
)
from tests.integration.portal.events import event_world
from tests.integration.portal.events.event_world import DAY, view
from tests.integration.portal.fan_out.fan_out_world import FanOutWorld
from tests.integration.portal.inbox import inbox_http as inboxes

ONE = "/content/c1"
ID = "0194a27b-a600-7000-8000-000000000000"
FULL = {
    **NEW,
    "product_suite": "Suite",
    "product_concept": "Concept",
    "tags": ["a", "b"],
    "review_due_date": "2025-02-01T00:00:00.000Z",
    "effective_date": "2025-02-01T00:00:00.000Z",
    "expiry_date": "2026-02-01T00:00:00.000Z",
    "expiry_policy": "soft_expire",
}
CONTENT = [
    Sample("POST", "/content", FULL),
    Sample("POST", "/content", NEW),
    Sample("GET", "/content", query={"status": "Draft"}),
    Sample("GET", "/search", query={"q": "Positioning", "tag": "a"}),
    Sample("GET", "/content", query={"product_suite": "Suite", "product_concept": "Concept"}),
    Sample(
        "GET",
        "/content",
        query={"owner_user_id": "ada", "audience_role": "A", "lifecycle_stage": "B", "tag": "a"},
    ),
    Sample("GET", ONE),
    Sample("PATCH", ONE, {"title": "New", "tags": ["x"], "version": "1"}),
    Sample("DELETE", ONE, {"version": "1"}),
    Sample("POST", f"{ONE}/status", {"status": "Approved", "version": "1"}),
    Sample("POST", f"{ONE}/file", file_of(PDF, "a.pdf")),
    Sample("DELETE", f"{ONE}/draft", {"version": "1"}),
    Sample("GET", f"{ONE}/file", query={"draft": "true"}),
    Sample("GET", "/openapi.json"),
]
INBOX = [
    Sample("GET", "/notifications", query={"unread": "true"}),
    Sample("GET", "/notifications/unread-count"),
    Sample("GET", f"/notifications/{ID}"),
    Sample("POST", f"/notifications/{ID}/read"),
    Sample("POST", "/notifications/read", {"notification_ids": [ID]}),
    Sample("POST", "/subscriptions", {"product_suite": "Suite", "product_concept": "Concept"}),
    Sample("POST", "/subscriptions", {"tag": "a"}),
    Sample("GET", "/subscriptions"),
    Sample("GET", f"/subscriptions/{ID}"),
    Sample("DELETE", f"/subscriptions/{ID}"),
]
EVENTS = [
    Sample("POST", "/events", {"events": [view(), view(1, search_query="x")]}),
    Sample("GET", "/events", query={"date_bucket": DAY, "event_name": "content.viewed"}),
    Sample("GET", "/events", query={"user_id": "ada"}),
]
CLAIMS = [ADA, PAM, OLA, {}]


def test_every_route_is_among_the_samples() -> None:
    assert not_asked(CONTRACT, [*CONTENT, *INBOX, *EVENTS]) == set()


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


@ANY_REQUESTS
@given(event=events(CONTRACT, CONTENT, CLAIMS))
def test_any_request_for_content_is_answered(world: World, event: dict[str, Any]) -> None:
    world("POST", "/content", NEW)
    answered(content_api.handler, event)


@pytest.fixture
def desk(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> inboxes.Http:
    return inboxes.Http(FanOutWorld(dynamodb), monkeypatch)


@ANY_REQUESTS
@given(event=events(inboxes.CONTRACT, INBOX, CLAIMS))
def test_any_request_for_an_inbox_is_answered(desk: inboxes.Http, event: dict[str, Any]) -> None:
    answered(inbox_api.handler, event)


@pytest.fixture
def log(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> event_world.World:
    return event_world.World(dynamodb, monkeypatch)


@ANY_REQUESTS
@given(event=events(event_world.CONTRACT, EVENTS, CLAIMS))
def test_any_request_about_events_is_answered(
    log: event_world.World, event: dict[str, Any]
) -> None:
    answered(events_api.handler, event)
