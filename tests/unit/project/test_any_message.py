"""Whatever a queue brings is a message or a bad one, and never another error."""

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from lambdas.forms import contract
from lambdas.forms.delivery import messages as deliveries
from lambdas.portal.notification_fan_out import messages as announcements
from lambdas.portal.notification_fan_out.announcements import APPROVAL, Announcement
from lambdas.sentiment.analysis import BadRequest, Request
from tablewright.catalog.portal.content import Content
from tests.integration.anything import bodies

pytestmark = pytest.mark.thorough

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
ID = "0194a27b-a600-7000-8000-000000000000"
DELIVERY = {
    "deliver": {
        "tenant_id": "acme",
        "submission_id": ID,
        "destination_id": "crm",
        "attempt": 1,
        "since": "2025-01-26T12:00:00.000Z",
    }
}
CREATED = {
    "source": contract.SOURCE,
    "detail-type": contract.CREATED,
    "detail": {"tenant_id": "acme", "submission_id": ID},
}
ABOUT = Announcement.of(APPROVAL, Content(**Content.__entity__.example), "2025-01-26T12:00:00.000Z")
ANNOUNCEMENT = json.loads(announcements.messages_of(ABOUT, "ada")[0].body)
ANALYSIS = {
    "source_type": "reddit",
    "source_id": "reddit#1",
    "ingested_at": "2025-01-26T12:00:00.000Z",
    "text_for_analysis": "So good!",
}


@settings(max_examples=200)
@given(bodies(DELIVERY) | bodies(CREATED))
def test_any_message_about_deliveries(body: str) -> None:
    with suppress(deliveries.BadMessage):
        deliveries.read_message(body, NOW)


@settings(max_examples=200)
@given(bodies(ANNOUNCEMENT))
def test_any_message_about_content(body: str) -> None:
    with suppress(announcements.BadMessage):
        announcements.message_from(body)


@settings(max_examples=200)
@given(bodies(ANALYSIS))
def test_any_request_for_an_analysis(body: str) -> None:
    with suppress(BadRequest):
        Request.parse(body)


def test_what_these_are_made_from_is_sound() -> None:
    for sound in (DELIVERY, CREATED):
        deliveries.read_message(json.dumps(sound), NOW)
    Request.parse(json.dumps(ANALYSIS))
    announcements.message_from(json.dumps(ANNOUNCEMENT))
