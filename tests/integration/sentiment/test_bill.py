"""What items and news take, from the sources to the dashboard, as the functions run."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from docs.bills import sentiment as bills
from docs.generate import DOCUMENTS
from docs.scenarios import financial_news
from docs.scenarios.sentiment_items import TAGS
from docs.scenarios.sentiment_scales import MET, Size, dashboard_scale, items_scale
from lambdas.sentiment.handlers import analyse, ingest, project_items
from tablewright.catalog.news.design import News
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.pages.cost_chapter import Scale, usage
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.functions import TAKEN, Around
from tests.integration.sentiment.conftest import DASHBOARD_TABLE, ITEMS_TABLE, NEWS_TABLE, World
from tests.integration.sentiment.http import metered
from tests.integration.sentiment.news import raw, seconds
from tests.integration.sentiment.test_every_edge import TOLD
from tests.integration.session import Aws, start
from tests.integration.tally import Tally

# As many as are looked up together.
MANY = 100
# As many messages as the queue hands on together.
TOGETHER = 10


class Run:
    """The functions of the system, watched."""

    def __init__(self, world: World, engine: DynamoDbLocal, patch: pytest.MonkeyPatch) -> None:
        metered(patch)
        self.cloud = Cloud()
        aws = Aws(engine, world.database, self.cloud)
        told = {**TOLD, "WATCH_TAGS": json.dumps(sorted(TAGS))}
        start(patch, aws, told, {}, ingest, analyse, project_items)
        self.world = world
        self.tally = Tally({ITEMS_TABLE: Items, DASHBOARD_TABLE: Dashboard, NEWS_TABLE: News})

    def take(self, event: dict[str, Any]) -> None:
        """Offer the same as often as sources do, and analyse what is asked for."""
        with self.tally.counting():
            for _ in range(MET):
                ingest.handler(event, Around())
            asked = self.cloud.published
            for first in range(0, len(asked), TOGETHER):
                self.tally.runs["Analyse"] += 1
                batch = asked[first : first + TOGETHER]
                records = [{"messageId": str(n), "body": body} for n, body in enumerate(batch)]
                assert analyse.handler({"Records": records}, Around()) == TAKEN

    def project(self) -> None:
        records = self.world.stream()
        with self.tally.counting():
            for record in records:
                self.tally.runs["Project"] += 1
                assert project_items.handler({"Records": [record]}, Around()) == TAKEN

    def consumed(self, table: str) -> tuple[Any, Any]:
        return self.tally.read(table), self.tally.written(table)


@pytest.fixture
def run(world: World, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(world, dynamodb_local, monkeypatch)


def of_scale(document: str, scale: Scale) -> tuple[Any, Any]:
    found = usage(DOCUMENTS[document].design, DOCUMENTS[document].recorded(), scale)
    return found.read_units, found.write_units


def items(many: int) -> dict[str, Any]:
    """Items of five tags, as a source offers them."""
    text = " ".join(sorted(TAGS)) + " so good"
    about = {"source_type": "newsapi", "text": text}
    return {"items": [{"source_id": f"newsapi#{number}", **about} for number in range(many)]}


def test_items_take_the_units_and_calls_that_are_billed(run: Run) -> None:
    run.take(items(MANY))
    scale = items_scale(Size("run", MANY, 0, "one item"))
    assert run.consumed(ITEMS_TABLE) == of_scale("sentiment-items", scale)
    assert run.tally.other_calls() == bills.CALLS_OF_100


def test_an_item_is_shown_for_the_units_that_are_billed(run: Run) -> None:
    run.take(items(1))
    run.project()
    scale = dashboard_scale(Size("run", 1, 0, "one item"))
    assert run.consumed(DASHBOARD_TABLE) == of_scale("sentiment-dashboard", scale)
    assert run.tally.runs["Project"] == 1


def test_news_take_the_units_and_calls_that_are_billed(run: Run) -> None:
    now = seconds(datetime.now(UTC))
    run.take({"news": [raw(n, timestamp=now) for n in range(MANY)]})
    scale = financial_news.scale(MANY, 0)
    healed = [use for use in scale.uses if use.pattern != "mark_healing"]
    assert run.consumed(NEWS_TABLE) == of_scale("financial-news", scale._replace(uses=healed))
    assert run.tally.other_calls() == bills.CALLS_OF_100
