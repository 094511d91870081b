"""What the functions do where their region is active, where it stands by, and where it is lost."""

import json
from typing import Any

import pytest

from lambdas.sentiment.analysis import Request
from lambdas.sentiment.handlers import analyse, heal_news, ingest
from tablewright.catalog.sentiment.items import Items
from tablewright.model import replaced
from tablewright.model.fields.time import iso_utc
from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable, Unreachable
from tablewright.runtime.regions import RegionalCaller
from tablewright.testing import Fault, Faulty, survives_every_fault
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.http import Context
from tests.integration.sentiment.conftest import ITEMS_TABLE, Edge, World
from tests.integration.sentiment.http import metered
from tests.integration.sentiment.moments import NOW
from tests.integration.session import HOME, Aws, start

AWAY = "us-west-2"
SWITCH_TABLE = "switch"
OFFERED = [
    {"source_id": f"{source}#1", "source_type": source, "text": "AI is so good"}
    for source in ("twitter", "reddit")
]
POLL = {"detail-type": "Scheduled Event"}
TOLD = {
    "ITEMS_TABLE": ITEMS_TABLE,
    "DASHBOARD_TABLE": "dashboard",
    "NEWS_TABLE": "news",
    "SWITCH_TABLE": SWITCH_TABLE,
    "REGIONS": f"{HOME},{AWAY}",
    "TOPIC_ARN": "topic",
    "SOURCES_SECRET_ARN": "keys of the sources",
    "WATCH_TAGS": '["AI"]',
    "TICKERS": "[]",
    "SOURCES": '{"sources": []}',
    "HEALING_THRESHOLD_SECONDS": "3600",
    "HEALING_BATCH": "100",
    "HEALING_PAUSE_SECONDS": "3600",
    "HEALING_ATTEMPTS": "5",
}


class There:
    """The functions at home, and what is stored in the other region."""

    def __init__(self, aws: Aws) -> None:
        self.items = aws.store(Items, ITEMS_TABLE)
        self.active = aws.store(RegionSwitch, SWITCH_TABLE)

    def move(self, region: str) -> None:
        example = ActiveRegion(**ActiveRegion.__entity__.example)
        self.active.put(RegionSwitch.first_move, replaced(example, region=region))

    def known(self) -> list[str]:
        keys = [{"source_id": one["source_id"]} for one in OFFERED]
        found = self.items.get_many(Items.known_sources, keys)
        return sorted(guard.source_id for guard in found)


@pytest.fixture
def there(world: World, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> There:
    metered(monkeypatch)
    cloud = Cloud({"keys of the sources": "{}"})
    aws = Aws(dynamodb_local, world.database, cloud, HOME, {Items: AWAY})
    aws.create(RegionSwitch, SWITCH_TABLE)
    aws.create(Items, ITEMS_TABLE)
    start(monkeypatch, aws, TOLD, {}, ingest, heal_news)
    return There(aws)


def test_a_standby_takes_in_for_the_active_region(world: World, there: There) -> None:
    there.move(AWAY)
    assert ingest.handler({"items": OFFERED}, Context())["stored"] == 2
    assert there.known() == ["reddit#1", "twitter#1"]
    assert world.stored() == []


def test_the_active_region_takes_in_for_itself(world: World, there: There) -> None:
    there.move(HOME)
    assert ingest.handler({"items": OFFERED}, Context())["stored"] == 2
    assert there.known() == []
    assert len(world.stored()) == 4


def test_only_the_active_region_polls_and_heals(there: There) -> None:
    assert heal_news.handler({}, Context())["found"] == 0
    there.move(AWAY)
    # What the switch says is kept for a moment: this is another environment of the functions.
    for module in (ingest, heal_news):
        module.resources.cache_clear()
    assert ingest.handler(POLL, Context()) == {}
    assert heal_news.handler({}, Context()) == {}


def over(home: Caller, away: Caller, world: World) -> Caller:
    """All that ingestion calls, where the tables are in two regions, home first."""
    callers = {HOME: home, AWAY: away}
    return Edge(RegionalCaller(lambda: (HOME, AWAY), callers.__getitem__), world.inbox)


def taken_in(world: World, edge: Caller) -> None:
    world.ingestion(edge).ingest(OFFERED, iso_utc(NOW)).raise_failure()


def outcome(world: World) -> Any:
    return world.stored(), sorted(set(world.inbox.messages))


def fresh(world: World) -> None:
    world.clear_items()
    world.inbox.messages.clear()


def test_whichever_call_does_not_reach_home_the_next_region_has_it(world: World) -> None:
    home = Faulty(world.dynamo)
    taken_in(world, over(home, world.dynamo, world))
    expected = outcome(world)
    for at in range(home.calls):
        fresh(world)
        unreachable = Faulty(world.dynamo, Fault(at, "unreachable"))
        # Nothing is repeated by whoever asked for it: it goes on elsewhere by itself.
        taken_in(world, over(unreachable, world.dynamo, world))
        assert unreachable.struck
        assert outcome(world) == expected
    assert home.calls == 6


class Lost:
    """A region that cannot be reached."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        raise Unreachable("no connection")


def test_every_fault_in_the_next_region_ends_in_the_same_state(world: World) -> None:
    def emptied() -> Caller:
        fresh(world)
        return world.dynamo

    calls = survives_every_fault(
        lambda caller: taken_in(world, over(Lost(), caller, world)),
        lambda: outcome(world),
        fresh=emptied,
    )
    assert len(calls) == 6


@pytest.mark.parametrize(("failures", "left"), [(1, []), (2, ["m1"])])
def test_an_analysis_that_a_lost_region_did_not_answer_is_recorded_by_the_next_try(
    failures: int, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Request] = []

    class Analysis:
        def carry_out(self, request: Request) -> str:
            tries.append(request)
            if len(tries) <= failures:
                raise Unavailable("no answer")
            return "recorded"

    monkeypatch.setattr(analyse, "analysis", Analysis)
    key = {"source_id": "reddit#1", "ingested_at": iso_utc(NOW), "source_type": "reddit"}
    message = {"messageId": "m1", "body": json.dumps({**key, "text_for_analysis": "so good"})}
    answer = analyse.handler({"Records": [message]}, Context())
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == left
    assert len(tries) == 2
