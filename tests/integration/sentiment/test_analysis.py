"""An item is analysed once, however often that is asked for."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.analysis import Analysis, BadRequest, Request
from lambdas.sentiment.sentiment_model import MODEL_VERSION, Model
from tablewright.catalog.news.design import news_healing
from tablewright.catalog.sentiment.items import Items
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.meter import Meter
from tablewright.testing import survives_every_fault
from tests.integration.sentiment.conftest import NEWS_TABLE, World
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.news import raw as raw_news

MOMENT = iso_utc(NOW)
KEY = {"source_id": "reddit#post-1", "ingested_at": MOMENT}
RAW = {"source_id": "reddit#post-1", "source_type": "reddit", "text": "A wonderful, great day!"}


def analysis(world: World, caller: Any = None) -> Analysis:
    return Analysis([world.items(caller), world.news(caller)], Model(), now=lambda: NOW)


@pytest.fixture
def request_of(world: World) -> Request:
    world.ingestion().ingest([RAW], MOMENT)
    return Request.parse(world.inbox.messages[0])


def test_a_pending_item_becomes_analysed(world: World, request_of: Request) -> None:
    assert analysis(world).carry_out(request_of)
    found = world.items().get(Items.get_item, KEY)
    assert found is not None
    assert (found.status, found.sentiment) == ("analyzed", "positive")
    assert Decimal("0.5") < found.score <= 1
    assert found.model_version == MODEL_VERSION
    assert found.text_snippet == RAW["text"]


def test_asking_again_changes_nothing(world: World, request_of: Request) -> None:
    analysis(world).carry_out(request_of)
    before = world.stored()
    changed = request_of._replace(text="A horrible, terrible day!")
    assert not analysis(world).carry_out(changed)
    assert world.stored() == before


def test_recording_needs_no_read(world: World, request_of: Request) -> None:
    meter = Meter(world.edge)
    analysis(world, meter).carry_out(request_of)
    assert (meter.calls, meter.read_units, meter.write_units) == (1, Decimal(0), Decimal(1))


def test_an_item_that_was_removed_stays_removed(world: World, request_of: Request) -> None:
    world.remove(KEY)
    assert not analysis(world).carry_out(request_of)
    assert [one for one in world.stored() if "status" in one] == []


def test_analysing_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    def fresh() -> Any:
        world.clear_items()
        world.inbox.messages.clear()
        world.ingestion().ingest([RAW], MOMENT)
        return world.edge

    def work(caller: Any) -> None:
        analysis(world, caller).carry_out(Request.parse(world.inbox.messages[0]))

    assert len(survives_every_fault(work, world.stored, fresh=fresh)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        "null",
        json.dumps({**KEY, "source_type": "reddit", "text_for_analysis": 5}),
        json.dumps({**KEY, "source_type": "reddit"}),
        json.dumps({**KEY, "source_type": "rss", "text_for_analysis": "so good"}),
        json.dumps({"source_id": 5, "source_type": "tiingo", "text_for_analysis": "so good"}),
    ],
)
def test_a_message_that_is_no_request_is_refused(body: str) -> None:
    with pytest.raises(BadRequest, match="not an analysis request"):
        Request.parse(body)


@pytest.fixture
def news_request(world: World) -> Request:
    world.news_ingestion().ingest([raw_news(1)], MOMENT)
    return Request.parse(world.inbox.messages[0])


def test_news_are_analysed_by_the_same_function_in_their_own_table(
    world: World, news_request: Request
) -> None:
    assert analysis(world).carry_out(news_request)
    found = world.stored_news()["tiingo:1"]
    assert (found.status, found.sentiment) == ("analyzed", "positive")
    assert found.analyzed_at == MOMENT
    assert found.model_version == MODEL_VERSION
    assert world.stored() == []


def test_news_are_analysed_once_and_keep_their_moment(world: World, news_request: Request) -> None:
    analysis(world).carry_out(news_request)
    before = world.stored_news()
    later = Analysis([world.news()], Model(), now=lambda: NOW + timedelta(minutes=1))
    assert not later.carry_out(news_request)
    assert world.stored_news() == before


def test_recording_an_analysis_of_news_needs_no_read(world: World, news_request: Request) -> None:
    meter = Meter(world.edge)
    analysis(world, meter).carry_out(news_request)
    # The table, out of one place in by_status and into another, and into the two other indexes.
    assert (meter.calls, int(meter.read_units), int(meter.write_units)) == (1, 0, 5)


def test_parked_news_are_still_analysed_when_an_answer_comes(
    world: World, news_request: Request
) -> None:
    plan = news_healing()
    world.news().update(plan.mark, news_request.key, {**plan.parked, "parked_at": NOW})
    assert analysis(world).carry_out(news_request)
    assert world.stored_news()["tiingo:1"].status == "analyzed"


def test_news_that_expired_meanwhile_stay_away(world: World, news_request: Request) -> None:
    gone = news_request._replace(key={"source_id": "tiingo:2"})
    assert not analysis(world).carry_out(gone)
    assert list(world.stored_news()) == ["tiingo:1"]


def test_analysing_news_ends_the_same_whatever_fails_on_the_way(
    world: World, news_request: Request
) -> None:
    waiting = world.database.items(NEWS_TABLE)

    def fresh() -> Any:
        world.database.write(waiting, NEWS_TABLE)
        return world.edge

    def work(caller: Any) -> None:
        analysis(world, caller).carry_out(news_request)

    assert len(survives_every_fault(work, world.stored_news, fresh=fresh)) == 1
