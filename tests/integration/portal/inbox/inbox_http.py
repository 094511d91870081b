"""The API of notifications and subscriptions, as API Gateway calls it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from lambdas.portal.handlers import inbox_api
from lambdas.portal.notification_fan_out.announcements import APPROVAL, Announcement, notification
from lambdas.portal.openapi import document
from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.store.records import Records
from tests.integration.conftest import KEYS
from tests.integration.http import Answer, Context, Contract
from tests.integration.portal.fan_out.fan_out_world import NOW, FanOutWorld, content

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem


class Http:
    """Sends requests to the handler on behalf of a user."""

    def __init__(self, room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = room
        self.clock = NOW.timestamp()
        self.over(room.edge)
        monkeypatch.setattr(inbox_api, "resources", lambda: self.resources)

    def over(self, caller: Caller, now: datetime = NOW) -> None:
        """Answer from here on over another caller."""
        cursors = Cursors(KEYS, clock=lambda: self.clock)
        notifications = self.room.notifications_store(caller)
        subscriptions = self.room.subscriptions_store(caller)
        notifications._cursors = subscriptions._cursors = cursors
        self.resources = inbox_api.Resources(notifications, subscriptions, lambda: now)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        user: str = "ada",
        groups: str = "[readers]",
        **query: Any,
    ) -> Answer:
        claims = {"sub": user, **({"cognito:groups": groups} if groups else {})}
        event = CONTRACT.event(method, path, body, claims=claims, query=query)
        return Answer(inbox_api.handler(event, Context()))

    def pages(self, path: str, user: str = "ada", **query: Any) -> list[Record]:
        """All records of a list, page by page."""
        found: list[Record] = []
        for _ in range(100):
            answer = self("GET", path, user=user, **query)
            assert answer.status == 200, answer.text
            found += answer.json["items"]
            if answer.json["next_cursor"] is None:
                return found
            query["cursor"] = answer.json["next_cursor"]
        raise AssertionError("the list does not end")


def tell(room: FanOutWorld, user: str, count: int) -> list[Notification]:
    """So many notifications of a user, the oldest first."""
    moments = (iso_utc(NOW + timedelta(minutes=number)) for number in range(count))
    told = [
        notification(Announcement.of(APPROVAL, content(f"c{n}"), at), user)
        for n, at in enumerate(moments)
    ]
    records = Records(Notifications.__design__, Notification.__entity__)
    room.database.write([records.to_item(one) for one in told], "notifications")
    return told


def ids(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return [one["notification_id"] for one in records]
