"""The table of news on the real engine, and a topic that keeps what it is sent."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lambdas.sentiment.analysis import news_request
from tablewright.catalog.news.design import News, NewsItem, SparseNews, SparseNewsItem, news_healing
from tablewright.catalog.sentiment.items import PENDING
from tablewright.runtime.aws import Caller
from tablewright.runtime.healing.healing import Healed, Healing, Rules
from tablewright.runtime.healing.parked import Parked
from tablewright.runtime.messaging.topic import Message, Topic
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

# Far ahead, because the engine deletes what has expired.
NOW = datetime(2099, 3, 4, 12, tzinfo=UTC)


def news(number: int, age: timedelta = timedelta(hours=2), **changes: Any) -> NewsItem:
    """A pending article; the higher its number, the younger by seconds."""
    return NewsItem(
        **{
            "source_id": f"tiingo:{number:06}",
            "timestamp": NOW - age + timedelta(seconds=number % 3000),
            "status": PENDING,
            "source_type": "tiingo",
            "text_for_analysis": f"Company {number} reports earnings.",
            "matched_tickers": ["XYZ"],
            **changes,
        }
    )


class Inbox:
    """A topic's edge that keeps what it takes, and takes what it is told to."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.refuses: set[str] = set()

    @property
    def ids(self) -> list[str]:
        return [message["source_id"] for message in self.messages]

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "PublishBatch"
        entries = params["PublishBatchRequestEntries"]
        assert len(entries) <= 10
        failed = []
        for entry in entries:
            message = json.loads(entry["Message"])
            if message["source_id"] in self.refuses:
                failed.append({"Id": entry["Id"]})
            else:
                self.messages.append(message)
        return {"Successful": [], "Failed": failed}


class World:
    """The table, the topic and runs of healing."""

    def __init__(self, database: Database, design: type[News] = News) -> None:
        self.database = database
        self.design = design
        self.plan = news_healing(design)
        self.dynamo = database.caller
        self.inbox = Inbox()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        to: Caller = self.inbox if operation == "PublishBatch" else self.dynamo
        return to.call(operation, params)

    def store(self, caller: Caller | None = None) -> Store:
        return Store(self.design, self.database.table(self.design), caller or self)

    def put(self, *items: NewsItem) -> None:
        store = self.store()
        states = (self.plan.pending, self.plan.parked, self.plan.done)
        by_status = {state["status"]: state for state in states}
        kind = SparseNewsItem if self.design is SparseNews else NewsItem
        whole = [kind(**{**item, **by_status[item.status]}) for item in items]
        self.database.write([store._requests["NewsItem"].records.to_item(item) for item in whole])

    def heal(
        self,
        now: datetime = NOW,
        caller: Caller | None = None,
        weight: Callable[[NewsItem], int] = lambda _: 0,
        **rules: Any,
    ) -> Healed:
        """One run; `weight` is what the request for an item weighs beside what it says."""
        edge = caller or self
        topic = Topic(edge, "arn:topic", backoff=Backoff(attempts=2, first=0.001))

        def request(item: NewsItem) -> Message:
            message = news_request(item)
            return Message(message.text + " " * weight(item), message.attributes)

        healing = Healing(self.store(edge), topic, self.plan, request=request, rules=Rules(**rules))
        return healing.run(now)

    def parked(self, caller: Caller | None = None) -> Parked[NewsItem]:
        return Parked(self.store(caller), self.plan)

    def items(self) -> dict[str, NewsItem]:
        records = self.store()._requests["NewsItem"].records
        found = (records.to_record(item) for item in self.database.items())
        return {item.source_id: item for item in found}


@pytest.fixture
def world(dynamodb: Database) -> World:
    dynamodb.table(News)
    return World(dynamodb)


@pytest.fixture(params=[News, SparseNews], ids=["plain", "sparse"])
def either(request: pytest.FixtureRequest, dynamodb: Database) -> World:
    """A table of either variant."""
    dynamodb.table(request.param)
    return World(dynamodb, request.param)
