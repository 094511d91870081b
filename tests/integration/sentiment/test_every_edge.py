"""Faults at every call that the sentiment functions make: of DynamoDB, SNS, Secrets Manager, and
of the sources' web servers."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from lambdas.sentiment.handlers import analyse, heal_news, ingest, project_items
from lambdas.sentiment.ingestion.articles import article as article_of
from lambdas.sentiment.sources.errors import Unavailable as UnreachableSource
from lambdas.sentiment.sources.web import Web
from tablewright.catalog.news.design import News
from tablewright.catalog.sentiment.items import PENDING
from tablewright.model.fields.time import iso_utc
from tablewright.testing import survives_every_fault
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.functions import Around, consumed
from tests.integration.sentiment.conftest import (
    DASHBOARD_TABLE,
    ITEMS_TABLE,
    NEWS_TABLE,
    World,
    item,
)
from tests.integration.sentiment.http import metered
from tests.integration.sentiment.news import raw as raw_news
from tests.integration.sentiment.news import seconds
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.server import running
from tests.integration.session import Aws, start

TOLD = {
    "ITEMS_TABLE": ITEMS_TABLE,
    "DASHBOARD_TABLE": DASHBOARD_TABLE,
    "NEWS_TABLE": NEWS_TABLE,
    "TOPIC_ARN": "topic",
    "SOURCES_SECRET_ARN": "keys of the sources",
    "WATCH_TAGS": '["AI", "climate"]',
    "TICKERS": "[]",
    "SOURCES": '{"sources": []}',
    "HEALING_THRESHOLD_SECONDS": "3600",
    "HEALING_BATCH": "100",
    "HEALING_PAUSE_SECONDS": "3600",
    "HEALING_ATTEMPTS": "5",
}
SECRETS = {"keys of the sources": json.dumps({"newsapi_api_key": KEY})}
MOMENTS = (
    "ingested_at",
    "item_ingested_at",
    "analyzed_at",
    "heal_after",
    "expires_at",
    "parked_at",
)


class Trial:
    """Functions that begin anew for every fault, in a world that is empty but for what is put."""

    def __init__(self, world: World, engine: DynamoDbLocal, patch: pytest.MonkeyPatch) -> None:
        self.world = world
        self.cloud = Cloud(SECRETS)
        self._aws = Aws(engine, world.database, self.cloud)
        self._patch = patch

    def begin(self, *modules: ModuleType) -> None:
        for table in (ITEMS_TABLE, DASHBOARD_TABLE, NEWS_TABLE):
            self.world.database.empty(table)
        self.cloud.published.clear()
        self.environment(*modules)

    def environment(self, *modules: ModuleType) -> None:
        start(self._patch, self._aws, TOLD, {}, *modules)

    def asked(self) -> set[str]:
        """Whose analysis was asked for, however often."""
        return {json.loads(message)["source_id"] for message in self.cloud.published}

    def stored(self, table: str) -> list[Any]:
        """What is stored, but for moments, which are of each run."""
        found = self.world.database.items(table)
        return [{n: v for n, v in one.items() if n not in MOMENTS} for one in found]


@pytest.fixture
def trial(world: World, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> Trial:
    metered(monkeypatch)
    return Trial(world, dynamodb_local, monkeypatch)


def test_items_are_stored_and_asked_for_whatever_fails(trial: Trial) -> None:
    items = [
        {"source_id": f"{source}#1", "source_type": source, "text": "AI"}
        for source in ("twitter", "reddit")
    ]
    calls = survives_every_fault(
        lambda: ingest.handler({"items": [*items, "nonsense"]}, Around()),
        lambda: (trial.asked(), [one.get("text") for one in trial.stored(ITEMS_TABLE)]),
        fresh=lambda: trial.begin(ingest),
    )
    assert len(calls) >= 5


def test_news_are_stored_whatever_fails(trial: Trial) -> None:
    """What was not asked for, because the answer to its storing was lost, is left to healing."""
    news = [raw_news(n, timestamp=seconds(datetime.now(UTC))) for n in (1, 2)]
    calls = survives_every_fault(
        lambda: ingest.handler({"news": news}, Around()),
        lambda: trial.stored(NEWS_TABLE),
        fresh=lambda: trial.begin(ingest),
    )
    assert len(calls) >= 3


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with running() as server:
        server.application = NewsApiServer([article(1)])
        settings = {"sources": ["newsapi"], "newsapi_url": server.url}
        monkeypatch.setitem(TOLD, "SOURCES", json.dumps(settings))
        yield


def test_a_poll_ends_the_same_whatever_fails(trial: Trial, polled: None) -> None:
    """What a poll did not do, for want of its source's key or answer, the next one does."""

    def poll() -> None:
        ingest.handler({"detail-type": "Scheduled Event"}, Around())

    def work() -> None:
        poll()
        poll()

    calls = survives_every_fault(
        work,
        lambda: (trial.asked(), [one["source_id"] for one in trial.stored(ITEMS_TABLE)]),
        fresh=lambda: trial.begin(ingest),
        beside=[(Web, "_once", UnreachableSource("injected"))],
    )
    assert len(calls) >= 6


def test_analyses_are_recorded_whatever_fails_and_one_that_fails_stops_no_other(
    trial: Trial,
) -> None:
    pending = [
        item(source_id=f"{source}#1", source_type=source, status=PENDING)
        for source in ("twitter", "reddit")
    ]
    records = [
        {
            "messageId": one.source_id,
            "body": json.dumps(
                {
                    **{name: one[name] for name in ("source_id", "ingested_at", "source_type")},
                    "text_for_analysis": "so good",
                }
            ),
        }
        for one in pending
    ]

    def fresh() -> None:
        trial.begin(analyse)
        trial.world.put(*pending)

    calls = survives_every_fault(
        lambda: consumed(analyse.handler({"Records": records}, Around())),
        lambda: trial.stored(ITEMS_TABLE),
        fresh=fresh,
    )
    assert len(calls) >= 2


def test_rows_follow_items_whatever_fails(trial: Trial) -> None:
    world = trial.world
    world.put(item(1, ingested_at=iso_utc(datetime.now(UTC))))
    records = world.stream()

    def fresh() -> None:
        trial.begin(project_items)

    calls = survives_every_fault(
        lambda: consumed(project_items.handler({"Records": records}, Around())),
        lambda: world.database.items(DASHBOARD_TABLE),
        fresh=fresh,
    )
    assert len(calls) >= 2


def test_what_was_never_analysed_is_asked_for_whatever_fails(trial: Trial) -> None:
    """A run that fails is followed by the next, when the pause is over."""
    then = datetime.now(UTC) - timedelta(hours=2)

    def fresh() -> None:
        trial.begin(heal_news)
        for number in range(2):
            article = article_of(raw_news(number, timestamp=seconds(then)), iso_utc(then))
            trial.world.news(trial.world.dynamo).put(News.put_news, article)

    def work() -> None:
        heal_news.handler({}, Around())
        if len(trial.asked()) < 2:
            forget_pauses(trial.world)
            heal_news.handler({}, Around())

    calls = survives_every_fault(work, trial.asked, fresh=fresh)
    assert len(calls) >= 5


def forget_pauses(world: World) -> None:
    items = [
        {n: v for n, v in one.items() if n != "heal_after"}
        for one in world.database.items(NEWS_TABLE)
    ]
    world.database.write(items, NEWS_TABLE)
