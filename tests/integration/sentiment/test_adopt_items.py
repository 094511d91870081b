"""Items that the published code wrote are adopted: their sources are known, all are analyzed."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest

from lambdas.sentiment.adopt_items import ItemAdoption, main
from lambdas.sentiment.ingestion.outcome import Outcome
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.testing import Crash, Fault, Faulty, survives_every_fault
from tests.integration.published import sentiment_as_published as published
from tests.integration.published.sentiment_as_published import SAMPLE_ITEM
from tests.integration.sentiment.conftest import ITEMS_TABLE, World
from tests.integration.sentiment.moments import NOW, TODAY

UTCNOW = NOW.replace(tzinfo=None, microsecond=123456)
LATER = iso_utc(NOW + timedelta(hours=1))
# Sources of the published items: analyzed, pending with a text, pending without one.
SOURCES = ("newsapi#analyzed", "newsapi#pending", "newsapi#empty")
SAMPLE = {**SAMPLE_ITEM, "ingested_at": {"S": iso_utc(NOW)}}


@pytest.fixture
def client(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in world.database.environment.items():
        monkeypatch.setenv(name, value)
    return boto3.session.Session().client("dynamodb")


def raw(source_id: str) -> dict[str, Any]:
    return {
        "source_id": source_id,
        "source_type": "newsapi",
        "model_version": "v1.0.0",
        "matched_tags": ["AI", "demo"],
    }


def write_published_items(client: Any) -> None:
    """Items as the published code leaves them, and the Sample Item, which has no status."""
    for source_id in SOURCES:
        text = {"text_snippet": "A wonderful, great success!"} if "pending" in source_id else {}
        published.insert_item_if_new(client, ITEMS_TABLE, {**raw(source_id), **text}, UTCNOW)
    key = (SOURCES[0], UTCNOW.isoformat() + "Z")
    published.update_with_sentiment(client, ITEMS_TABLE, *key, "negative", 0.7, "v1.0.0")
    client.put_item(TableName=ITEMS_TABLE, Item=SAMPLE)


def adopt(world: World, caller: Caller | None = None, **options: Any) -> dict[str, int]:
    return dict(ItemAdoption(world.items(caller), **options).settle(world.stored()))


def items(world: World) -> dict[str, dict[str, Any]]:
    stored = (one for one in world.stored() if one["ingested_at"]["S"] != "guard")
    return {one["source_id"]["S"]: one for one in stored}


def test_ingestion_finds_adopted_sources_known(world: World, client: Any) -> None:
    write_published_items(client)
    assert adopt(world) == {"adopted": 4}
    before = world.stored()
    known = [raw(source_id) for source_id in (*SOURCES, SAMPLE["source_id"]["S"])]
    assert world.ingestion().ingest(known, LATER) == Outcome(0, 4, [])
    assert not world.ingestion().insert_item_if_new(known[0], LATER)
    assert world.stored() == before
    assert world.inbox.messages == []


def test_adopted_items_are_analyzed_and_shown(world: World, client: Any) -> None:
    write_published_items(client)
    adopt(world)
    assert world.project() == {"batchItemFailures": []}
    shown = {one.source_id: one for one in world.dashboard().get_recent_items()}
    found = {source: (one.sentiment, one.score) for source, one in shown.items()}
    assert found.pop("newsapi#pending")[0] == "positive"
    assert found == {
        "newsapi#analyzed": ("negative", Decimal("0.7")),
        "newsapi#empty": ("neutral", Decimal("0.5")),
        SAMPLE["source_id"]["S"]: ("neutral", Decimal("0.72")),
    }
    assert {one["status"]["S"] for one in items(world).values()} == {"analyzed"}
    assert world.dashboard().get_sentiment_distribution() == {
        "positive": 1, "neutral": 2, "negative": 1,
    }  # fmt: skip
    assert [one.ingested_at[:10] for one in shown.values()] == [TODAY] * 4


def test_items_are_adopted_once(world: World, client: Any) -> None:
    write_published_items(client)
    adopt(world)
    before = world.stored()
    assert adopt(world) == {"guard": 4, "known": 4}
    assert world.stored() == before


def test_adopting_ends_the_same_whatever_fails_on_the_way(world: World, client: Any) -> None:
    def fresh() -> Any:
        world.clear_items()
        write_published_items(client)
        return world.edge

    def work(caller: Any) -> None:
        adopt(world, caller)

    assert len(survives_every_fault(work, world.stored, fresh=fresh)) > 8


def test_ingestion_finishes_what_a_killed_run_has_claimed(world: World, client: Any) -> None:
    pending = raw("newsapi#pending")
    published.insert_item_if_new(client, ITEMS_TABLE, {**pending, "text_snippet": "Oh"}, UTCNOW)
    with pytest.raises(Crash):
        adopt(world, Faulty(world.edge, Fault(1, "crash after")))
    assert world.ingestion().ingest([pending], LATER) == Outcome(0, 1, [])
    assert len(items(world)) == 1
    assert len(world.inbox.messages) == 1
    assert adopt(world) == {"guard": 1, "known": 1}


def test_items_of_our_own_are_left_as_they_are(world: World) -> None:
    world.ingestion().insert_item_if_new(raw("newsapi#ours"), iso_utc(NOW))
    before = world.stored()
    assert adopt(world) == {"guard": 1, "known": 1}
    assert world.stored() == before


def test_of_two_items_of_one_source_the_first_is_adopted(world: World, client: Any) -> None:
    for seconds in range(2):
        now = UTCNOW + timedelta(seconds=seconds)
        published.insert_item_if_new(client, ITEMS_TABLE, raw("newsapi#twice"), now)
    counts = ItemAdoption(world.items()).settle(
        sorted(world.stored(), key=lambda one: str(one["ingested_at"]["S"]))
    )
    assert counts == {"adopted": 1, "copy": 1}
    (guard,) = (one for one in world.stored() if "state" in one)
    assert guard["item_ingested_at"] == {"S": UTCNOW.isoformat() + "Z"}


def test_a_dry_run_writes_nothing(world: World, client: Any) -> None:
    write_published_items(client)
    before = world.stored()
    assert adopt(world, dry_run=True) == {"adopted": 4}
    assert world.stored() == before


def test_an_item_of_another_key_is_told(world: World, client: Any) -> None:
    key = {"source_id": {"S": "News 1"}, "ingested_at": SAMPLE["ingested_at"]}
    client.put_item(TableName=ITEMS_TABLE, Item={**SAMPLE, **key})
    assert adopt(world) == {"unsound": 1}


def test_the_command_goes_through_the_table(
    world: World, client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_published_items(client)
    state = tmp_path / "state.json"
    options = ["--table", ITEMS_TABLE, "--region", "eu-west-1", "--rate", "1000", "--days", "30"]
    endpoint = world.database.environment["AWS_ENDPOINT_URL_DYNAMODB"]
    options += ["--state", str(state), "--endpoint-url", endpoint]
    before = world.stored()
    assert main([*options, "--dry-run"]) == 0
    assert world.stored() == before
    assert main(options) == 0
    assert "4 adopted" in capsys.readouterr().err
    assert not state.exists()
    guards = [one for one in world.stored() if "state" in one]
    assert len(guards) == 4
    assert all("expires_at" in one for one in guards)
