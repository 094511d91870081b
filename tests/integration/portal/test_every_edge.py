"""Faults at every call that the portal's functions make: of DynamoDB, SQS, S3 and Lambda."""

import json
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from lambdas.portal.handlers import (
    clean_files,
    complete_uploads,
    index_content,
    notify_users,
    publish_announcements,
    run_calendar,
)
from tablewright.catalog.portal.content import APPROVED, EXPIRED, HARD
from tablewright.catalog.portal.events import Events
from tablewright.runtime.ids import uuid7
from tablewright.testing import Database, survives_every_fault
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.functions import Around, consumed, hurried, message
from tests.integration.portal.fan_out.fan_out_world import (
    CONTENT_TABLE,
    SEARCH_TABLE,
    FanOutWorld,
    users,
)
from tests.integration.portal.uses import EVENTS_TABLE, FILES, recorded, upload
from tests.integration.sentiment.http import metered
from tests.integration.session import Aws, start

TOLD = {
    "CONTENT_TABLE": CONTENT_TABLE,
    "SUBSCRIPTIONS_TABLE": "subscriptions",
    "NOTIFICATIONS_TABLE": "notifications",
    "EVENTS_TABLE": EVENTS_TABLE,
    "SEARCH_TABLE": SEARCH_TABLE,
    "FILES_BUCKET": FILES,
    "FANOUT_QUEUE_URL": "queue",
    "CURSOR_SECRET_ARN": "cursor key",
}
TABLES = (CONTENT_TABLE, SEARCH_TABLE, "subscriptions", "notifications", EVENTS_TABLE)
PAST = datetime.now(UTC) - timedelta(days=1)


class Trial:
    """Functions that begin anew for every fault, in a portal that is empty but for what is put."""

    def __init__(
        self, database: Database, engine: DynamoDbLocal, patch: pytest.MonkeyPatch
    ) -> None:
        self.cloud = Cloud()
        self.aws = Aws(engine, database, self.cloud)
        self.room = FanOutWorld(database)
        self._database = database
        self._patch = patch
        database.table(Events, EVENTS_TABLE)

    def begin(self, *modules: ModuleType) -> None:
        for table in TABLES:
            self._database.empty(table)
        self.cloud.objects.clear()
        self.cloud.messages.clear()
        self.cloud.invoked.clear()
        start(self._patch, self.aws, TOLD, {}, *modules)

    def content(self) -> list[tuple[str, str, Any]]:
        """What there is, its status and its file."""
        found = self._database.items(CONTENT_TABLE)
        texts = ({n: v.get("S") for n, v in one.items()} for one in found)
        return sorted((str(t["content_id"]), str(t["status"]), t.get("s3_key")) for t in texts)


@pytest.fixture
def trial(
    dynamodb: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Trial:
    metered(monkeypatch)
    return Trial(dynamodb, dynamodb_local, monkeypatch)


def test_announcements_are_published_whatever_fails(trial: Trial) -> None:
    trial.begin(publish_announcements)
    trial.room.approved("c1")
    records = trial.room.records()
    calls = survives_every_fault(
        lambda: consumed(publish_announcements.handler({"Records": records}, Around())),
        lambda: set(trial.cloud.messages),
        fresh=lambda: trial.begin(publish_announcements),
    )
    assert len(calls) >= 1


def test_content_is_indexed_whatever_fails(trial: Trial) -> None:
    def fresh() -> None:
        trial.begin(index_content)
        trial.room.write("c1")

    fresh()
    records = trial.room.records()
    calls = survives_every_fault(
        lambda: consumed(index_content.handler({"Records": records}, Around())),
        lambda: sorted(
            item["SK"]["S"] for item in trial.room.items(SEARCH_TABLE) if "revision" not in item
        ),
        fresh=fresh,
    )
    assert len(calls) >= 3


def test_every_subscriber_is_told_once_whatever_fails(trial: Trial) -> None:
    told: list[str] = []

    def fresh() -> None:
        trial.begin(notify_users)
        trial.room.subscribe(*users(3))
        trial.room.approved("c1")
        trial.room.cloud.messages.clear()
        trial.room.publish()
        told[:] = trial.room.cloud.messages[-1:]

    def work() -> None:
        consumed(notify_users.handler(message(told[0]), Around()))

    calls = survives_every_fault(work, lambda: sorted(u for u, _ in trial.room.told()), fresh=fresh)
    assert len(calls) >= 3


def test_a_file_that_arrives_is_settled_whatever_fails(trial: Trial) -> None:
    keys: list[str] = []

    def fresh() -> None:
        trial.begin(complete_uploads)
        trial.room.write("c1")
        keys[:] = [upload(trial.aws, "c1"), upload(trial.aws, "nobody")]

    def work() -> None:
        records = [{"s3": {"bucket": {"name": FILES}, "object": {"key": key}}} for key in keys]
        consumed(complete_uploads.handler(message(json.dumps({"Records": records})), Around()))

    def outcome() -> Any:
        ((id, status, key),) = trial.content()
        assert set(trial.cloud.objects) == {(FILES, keys[0])}
        assert key == keys[0]
        return id, status

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 4


def test_what_is_due_is_done_once_whatever_fails(trial: Trial) -> None:
    def fresh() -> None:
        trial.begin(run_calendar)
        file = recorded(trial.aws, "c1", uuid7(PAST))
        due = {"status": APPROVED, "expiry_date": PAST, "expiry_policy": HARD}
        trial.room.write("c1", **due, **file)

    def work() -> None:
        """What a run could not do is told, and done by the next."""
        for _ in range(2):
            run_calendar.handler({}, hurried())
            while trial.cloud.invoked:
                run_calendar.handler(trial.cloud.next_event(), hurried())

    def outcome() -> Any:
        return [(id, status) for id, status, _ in trial.content()], set(trial.cloud.objects)

    calls = survives_every_fault(work, outcome, fresh=fresh)
    assert len(calls) >= 5
    assert outcome() == ([("c1", EXPIRED)], set())


def test_files_of_nobody_go_whatever_fails(trial: Trial) -> None:
    def fresh() -> None:
        trial.begin(clean_files)
        trial.room.write("c0")
        for id in ("c0", "c1"):
            upload(trial.aws, id)

    def work() -> None:
        clean_files.handler({}, hurried())
        while trial.cloud.invoked:
            clean_files.handler(trial.cloud.next_event(), hurried())

    def outcome() -> list[str]:
        return [key.split("/")[-2] for _, key in trial.cloud.objects]

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 3
