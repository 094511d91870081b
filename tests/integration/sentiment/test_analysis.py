"""An item is analysed once, however often that is asked for."""

import json
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.analysis import GONE, KNOWN, RECORDED, Analysis, BadRequest, Request
from lambdas.sentiment.model import MODEL_VERSION, Model
from tablewright.designs.fields import timestamp
from tablewright.designs.sentiment_items import ITEMS
from tablewright.runtime.meter import Meter
from tests.faults import survives_every_fault
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.moments import NOW

MOMENT = timestamp(NOW)
KEY = {"source_id": "reddit#post-1", "ingested_at": MOMENT}
RAW = {"source_id": "reddit#post-1", "source_type": "reddit", "text": "A wonderful, great day!"}


def analysis(world: World, caller: Any = None) -> Analysis:
    return Analysis(world.items(caller), Model())


@pytest.fixture
def request_of(world: World) -> Request:
    world.ingestion().take([RAW], MOMENT)
    return Request.parse(world.inbox.messages[0])


def test_a_pending_item_becomes_analysed(world: World, request_of: Request) -> None:
    assert analysis(world).carry_out(request_of) == RECORDED
    found = world.items().get(ITEMS.get_item, KEY)
    assert found is not None
    assert (found["status"], found["sentiment"]) == ("analyzed", "positive")
    assert Decimal("0.5") < found["score"] <= 1
    assert found["model_version"] == MODEL_VERSION
    assert found["text_snippet"] == RAW["text"]


def test_asking_again_changes_nothing(world: World, request_of: Request) -> None:
    analysis(world).carry_out(request_of)
    before = world.stored()
    changed = request_of._replace(text="A horrible, terrible day!")
    assert analysis(world).carry_out(changed) == KNOWN
    assert world.stored() == before


def test_recording_needs_no_read(world: World, request_of: Request) -> None:
    meter = Meter(world.edge)
    analysis(world, meter).carry_out(request_of)
    assert (meter.calls, meter.read_units, meter.write_units) == (1, Decimal(0), Decimal(1))


def test_an_item_that_was_removed_stays_removed(world: World, request_of: Request) -> None:
    world.remove(KEY)
    assert analysis(world).carry_out(request_of) == GONE
    assert [one for one in world.stored() if "status" in one] == []


def test_analysing_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    def fresh() -> Any:
        world.clear_items()
        world.inbox.messages.clear()
        world.ingestion().take([RAW], MOMENT)
        return world.edge

    def work(caller: Any) -> None:
        analysis(world, caller).carry_out(Request.parse(world.inbox.messages[0]))

    assert survives_every_fault(fresh, work, world.stored) == 1


@pytest.mark.parametrize(
    "body",
    ["", "[]", "{}", "null", json.dumps({**KEY, "text_for_analysis": 5}), json.dumps(KEY)],
)
def test_a_message_that_is_no_request_is_refused(body: str) -> None:
    with pytest.raises(BadRequest, match="not an analysis request"):
        Request.parse(body)
