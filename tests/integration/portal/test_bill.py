"""What the portal's news and events take, as its functions run."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from docs.bills import portal as bills
from docs.generate import DOCUMENTS
from docs.scenarios.portal_events import BATCH
from docs.scenarios.portal_inbox import SUBSCRIBERS
from lambdas.portal.handlers import events_api, notify_users, publish_announcements
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.pages.cost_chapter import Scale, Use, usage
from tablewright.runtime.ids import uuid7
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.functions import TAKEN, Around, message
from tests.integration.http import Requests
from tests.integration.portal.content.content_world import CONTRACT, OLA
from tests.integration.portal.fan_out.fan_out_world import CONTENT_TABLE, users
from tests.integration.portal.test_every_edge import Trial
from tests.integration.portal.uses import EVENTS_TABLE
from tests.integration.sentiment.http import metered
from tests.integration.tally import Tally

TABLES = {
    CONTENT_TABLE: ContentRegistry,
    "subscriptions": Subscriptions,
    "notifications": Notifications,
    EVENTS_TABLE: Events,
}


@pytest.fixture
def trial(
    dynamodb: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Trial:
    metered(monkeypatch)
    made = Trial(dynamodb, dynamodb_local, monkeypatch)
    made.begin(events_api, notify_users, publish_announcements)
    return made


def units(document: str, *uses: Use) -> tuple[Decimal, Decimal]:
    found = DOCUMENTS[document]
    used = usage(found.design, found.recorded(), Scale("run", uses, ()))
    return used.read_units, used.write_units


def consumed(tally: Tally, table: str) -> tuple[Decimal, Decimal]:
    return tally.read(table), tally.written(table)


def test_subscribers_are_told_for_what_is_billed(trial: Trial) -> None:
    trial.room.subscribe(*users(SUBSCRIBERS))
    trial.room.approved("c1")
    records = {"Records": trial.room.records()}
    tally = Tally(TABLES)
    with tally.counting():
        assert publish_announcements.handler(records, Around()) == TAKEN
        for body in trial.cloud.messages:
            tally.runs["Notify"] += 1
            assert notify_users.handler(message(body), Around()) == TAKEN
    told = Use("create_notification", "one notification", SUBSCRIBERS)
    assert consumed(tally, "notifications") == units("notifications", told)
    assert tally.calls["subscriptions:Query"] == 1
    assert tally.other_calls() == bills.CALLS_OF_AN_APPROVAL


def test_events_are_stored_for_what_is_billed(trial: Trial) -> None:
    ask = Requests(events_api.handler, CONTRACT, OLA)
    now = datetime.now(UTC)
    batch: list[dict[str, Any]] = [
        {"event_id": uuid7(now), "event_name": "content.viewed"} for _ in range(BATCH)
    ]
    tally = Tally(TABLES)
    with tally.counting():
        ask("POST", "/events", {"events": batch}, expect=202)
    stored = Use("store_event", f"{BATCH} events", BATCH)
    assert consumed(tally, EVENTS_TABLE) == units("events", stored)
    assert tally.other_calls() == {}
