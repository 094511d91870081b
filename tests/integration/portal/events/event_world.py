"""Events as browsers send them, with their table behind one seam."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lambdas.portal.events.log import EventLog
from lambdas.portal.handlers import events_api
from lambdas.portal.openapi import document
from tablewright.catalog.portal.events import Event, Events, events_table
from tablewright.model import Record
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import KEYS
from tests.integration.http import Answer, Context, Contract

# Far ahead, because the engine deletes what has expired.
NOW = datetime(2099, 1, 26, 12, tzinfo=UTC)
DAY = "2099-01-26"
SHARDED = events_table(shards=3)
VARIANTS: dict[str, type[Events]] = {"one partition": Events, "three shards": SHARDED}

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem

ADA = {"sub": "ada", "cognito:groups": "[readers]"}
BOB = {"sub": "bob", "cognito:groups": "[authors]"}
GRACE = {"sub": "grace", "cognito:groups": "[approvers]"}
ROOT = {"sub": "root", "cognito:groups": "[admins]"}


class World:
    """A table of events, and the API in front of it."""

    def __init__(
        self, database: Database, monkeypatch: pytest.MonkeyPatch, table: type[Events] = Events
    ) -> None:
        database.table(table)
        self.database = database
        self.table = table
        self.now = NOW
        self._database = database
        self.edge: Caller = database.caller
        self._monkeypatch = monkeypatch
        self.start()

    def store(self, caller: Caller | None = None, **options: Any) -> Store:
        cursors = Cursors(KEYS, clock=lambda: self.now.timestamp())
        return self.database.store(self.table, caller or self.edge, cursors=cursors, **options)

    def start(self, caller: Caller | None = None, **options: Any) -> None:
        """A new environment of the API's function."""
        opened = events_api.Resources(EventLog(self.store(caller, **options)), lambda: self.now)
        self._monkeypatch.setattr(events_api, "resources", lambda: opened)

    def __call__(
        self,
        method: str,
        body: Any = None,
        *,
        claims: dict[str, str] = ADA,
        **query: Any,
    ) -> Answer:
        event = CONTRACT.event(method, "/events", body, claims=claims, query=query)
        return Answer(events_api.handler(event, Context()))

    def send(self, *batch: Record, claims: dict[str, str] = ADA) -> list[str]:
        """Append events; gives their ids."""
        answer = self("POST", {"events": list(batch)}, claims=claims)
        assert answer.status == 202, answer.text
        assert conforms(answer, "EventIds")
        return list(answer.json["event_ids"])

    def all(self, limit: int, claims: dict[str, str] = GRACE, **query: Any) -> list[Record]:
        """Everything in a list, page by page."""
        found: list[Record] = []
        cursor: dict[str, Any] = {}
        for _ in range(100):
            page = self("GET", claims=claims, limit=limit, **cursor, **query)
            assert page.status == 200, page.text
            assert conforms(page, "EventPage")
            assert len(page.json["items"]) <= limit
            found += page.json["items"]
            if page.json["next_cursor"] is None:
                return found
            cursor = {"cursor": page.json["next_cursor"]}
        raise AssertionError("the list does not end")

    def stored(self) -> list[Event]:
        """All events, in the order in which they happened."""
        records = Records(self.table.__design__, self.table.__design__.entities["Event"])
        found = [records.to_record(item) for item in self.items()]
        return sorted(found, key=lambda event: (event.timestamp, event.event_id))

    def items(self) -> list[Item]:
        """Everything that is stored, as it is stored, in one order."""
        return self._database.items()

    def emptied(self) -> Caller:
        self._database.empty()
        return self.edge


def id_of(number: int = 0, moment: datetime = NOW) -> str:
    """An id of this moment, like no other with another number."""
    return uuid7(moment, number.to_bytes(10, "big"))


def view(number: int = 0, moment: datetime = NOW, **changes: Any) -> Record:
    """An event as a browser sends it."""
    made = {"event_id": id_of(number, moment), "event_name": "content.viewed"}
    return {**made, "content_id": f"guide-{number}", "metadata": {"n": number}, **changes}


def ids(events: Iterable[Mapping[str, Any]]) -> list[str]:
    return [event["event_id"] for event in events]


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def pool(workers: int = 4) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers)
