"""Both tables of the sentiment system on the real engine, and the stream between them."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.dashboard import DashboardReader
from lambdas.sentiment.ingestion.item_ingestion import ItemIngestion
from lambdas.sentiment.ingestion.news_ingestion import NewsIngestion
from lambdas.sentiment.ingestion.watch_tags import Watch
from lambdas.sentiment.projector import Projector, implied
from tablewright.catalog.news.design import News, NewsItem
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import ANALYZED, Item, Items
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.retry import Backoff
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.batches import delete_request, write_all
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing import Database
from tests.integration.conftest import CURSORS
from tests.integration.sentiment.moments import NOW

ITEMS_TABLE, DASHBOARD_TABLE, NEWS_TABLE = "items", "dashboard", "news"
WATCH = Watch(["AI", "climate", "economy", "health", "sport", "music"])


def item(number: int = 0, **changes: Any) -> Item:
    """An analysed item like no other with another number."""
    return Item(
        **{
            **Item.__entity__.example,
            "source_id": f"newsapi#article-{number:05}",
            "ingested_at": iso_utc(NOW),
            "score": Decimal(number % 100).scaleb(-2),
            "sentiment": ("positive", "neutral", "negative")[number % 3],
            "status": ANALYZED,
            **changes,
        }
    )


class Inbox:
    """A topic's edge that keeps what it is sent, in place of SNS."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.refuses: set[str] = set()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "PublishBatch"
        entries = params["PublishBatchRequestEntries"]
        taken = [one for one in entries if self._id(one) not in self.refuses]
        self.messages += [entry["Message"] for entry in taken]
        left = [{"Id": entry["Id"]} for entry in entries if entry not in taken]
        return {"Successful": [{"Id": entry["Id"]} for entry in taken], "Failed": left}

    @staticmethod
    def _id(entry: dict[str, Any]) -> str:
        return str(json.loads(entry["Message"])["source_id"])


class Edge:
    """All that a function calls, through one seam: DynamoDB and SNS."""

    def __init__(self, dynamo: Caller, inbox: Caller) -> None:
        self._dynamo = dynamo
        self._inbox = inbox

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        to = self._inbox if operation == "PublishBatch" else self._dynamo
        return to.call(operation, params)


class World:
    """The system's tables in one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.dynamo = database.caller
        self.inbox = Inbox()
        # Of items, and of the dashboard.
        self.secrets = (Secrets.in_clear(), Secrets.in_clear())
        self.edge: Caller = Edge(self.dynamo, self.inbox)

    def items(self, caller: Caller | None = None) -> Store:
        return Store(Items, ITEMS_TABLE, caller or self.edge, secrets=self.secrets[0])

    def dashboard_store(self, caller: Caller | None = None) -> Store:
        cursors = CURSORS
        edge, secrets = caller or self.edge, self.secrets[1]
        return Store(Dashboard, DASHBOARD_TABLE, edge, cursors=cursors, secrets=secrets)

    def dashboard(self, caller: Caller | None = None, now: Any = NOW) -> DashboardReader:
        return DashboardReader(self.dashboard_store(caller), now)

    def projector(self, caller: Caller | None = None) -> Projector:
        return Projector(
            caller or self.edge,
            dashboard_table=DASHBOARD_TABLE,
            items_table=ITEMS_TABLE,
            items_secrets=self.secrets[0],
            dashboard_secrets=self.secrets[1],
        )

    def ingestion(self, caller: Caller | None = None) -> ItemIngestion:
        edge = caller or self.edge
        return ItemIngestion(self.items(edge), self.dashboard_store(edge), self._topic(edge), WATCH)

    def news(self, caller: Caller | None = None) -> Store:
        return Store(News, NEWS_TABLE, caller or self.edge, cursors=CURSORS)

    def news_ingestion(self, caller: Caller | None = None) -> NewsIngestion:
        edge = caller or self.edge
        return NewsIngestion(self.news(edge), self.dashboard_store(edge), self._topic(edge))

    @staticmethod
    def _topic(edge: Caller) -> Topic:
        return Topic(edge, "arn:topic", backoff=Backoff(attempts=2, first=0.001))

    def stored_news(self) -> dict[str, NewsItem]:
        """The articles by their ids."""
        records = self.news()._requests["NewsItem"].records
        found = (records.to_record(one) for one in self.database.items(NEWS_TABLE))
        return {one.source_id: one for one in found}

    def put(self, *records: Item) -> None:
        """Store items as they are, past the guard."""
        store = self.items()
        for record in records:
            self.dynamo.call(
                "PutItem", {"TableName": ITEMS_TABLE, "Item": self._wire(store, record)}
            )

    def remove(self, record: Mapping[str, Any]) -> None:
        key = {name: {"S": record[name]} for name in ("source_id", "ingested_at")}
        self.dynamo.call("DeleteItem", {"TableName": ITEMS_TABLE, "Key": key})

    def spoil(self, record: Item) -> None:
        """Make an item unsound, as only another program would."""
        key = {name: {"S": record[name]} for name in ("source_id", "ingested_at")}
        change: dict[str, Any] = {
            "UpdateExpression": "SET #score = :score",
            "ExpressionAttributeNames": {"#score": "score"},
            "ExpressionAttributeValues": {":score": {"S": "very"}},
        }
        self.dynamo.call("UpdateItem", {"TableName": ITEMS_TABLE, "Key": key, **change})

    def stored(self) -> list[dict[str, Any]]:
        return self.database.items(ITEMS_TABLE)

    def rows(self) -> list[dict[str, Any]]:
        """Everything in the dashboard's table but the marks of what was counted."""
        found = self.database.items(DASHBOARD_TABLE)
        return [row for row in found if not row["day_partition"]["S"].startswith("events|")]

    def clear_dashboard(self) -> None:
        self._clear(DASHBOARD_TABLE, "day_partition")

    def clear_items(self) -> None:
        self._clear(ITEMS_TABLE, "source_id")

    def stream(self) -> list[dict[str, Any]]:
        """All records of the items' stream so far, as a mapping with the stack's filter passes
        them on: those of items that are analysed, or were."""
        records = self.database.changes(ITEMS_TABLE)
        return [record for record in records if _passes(record)]

    def project(
        self, records: Sequence[dict[str, Any]] | None = None, caller: Caller | None = None
    ) -> dict[str, Any]:
        """Deliver the records, by default all, to the projector."""
        records = self.stream() if records is None else records
        return self.projector(caller).project(records, lambda *_: None)

    def project_rows(self, records: Sequence[Item]) -> None:
        """Write the rows of very many items, without storing or counting them."""
        projection = self.projector()._projection
        projection.apply(projection.rows(implied(record)) for record in records)

    def _clear(self, table: str, pk: str) -> None:
        rows = self.database.items(table)
        keys = [{name: row[name] for name in (pk, "ingested_at")} for row in rows]
        requests = [delete_request(key) for key in keys]
        write_all(Transport(self.dynamo), table, requests)

    @staticmethod
    def _wire(store: Store, record: Item) -> dict[str, Any]:
        return store._requests["Item"].records.to_item(record)


def _passes(record: dict[str, Any]) -> bool:
    images = (record["dynamodb"].get(name, {}) for name in ("NewImage", "OldImage"))
    return any(image.get("status", {}).get("S") == ANALYZED for image in images)


@pytest.fixture
def world(dynamodb: Database) -> World:
    dynamodb.table(Items, ITEMS_TABLE, stream=True)
    dynamodb.table(Dashboard, DASHBOARD_TABLE)
    dynamodb.table(News, NEWS_TABLE)
    return World(dynamodb)
