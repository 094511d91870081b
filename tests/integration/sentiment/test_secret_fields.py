"""Items whose texts are encrypted: from ingestion to the page, none is stored in clear."""

import json
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.sentiment_model import Model
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.commands.items.reencrypt import Reencryption
from tablewright.commands.items.segments import Rate
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change
from tablewright.testing import survives_every_fault
from tests.integration.sentiment.conftest import DASHBOARD_TABLE, ITEMS_TABLE, World
from tests.integration.sentiment.http import Http
from tests.integration.sentiment.moments import NOW

TEXT = "The new AI model is wonderful, says Zaphod Beeblebrox"
RAW = {
    "source_id": "newsapi#one",
    "source_type": "newsapi",
    "text": TEXT,
    "metadata": {"author": "Ford Prefect"},
}
KEY = {"source_id": RAW["source_id"], "ingested_at": iso_utc(NOW)}


def ring(table: str) -> Ring:
    return Ring(table, {b"key1": b"k" * 32}, b"key1", b"d" * 32)


@pytest.fixture
def world(world: World) -> World:
    world.secrets = (Secrets(ring(ITEMS_TABLE)), Secrets(ring(DASHBOARD_TABLE)))
    return world


def ingest(world: World) -> None:
    outcome = world.ingestion().ingest([RAW], iso_utc(NOW))
    assert outcome.stored == 1
    # As the function has it: without keys.
    items = Store(Items, ITEMS_TABLE, world.edge, secrets=Secrets.withheld())
    analysis = Analysis((items, world.news()), Model())
    assert analysis.carry_out(Request.parse(world.inbox.messages[0]))


def hidden(world: World) -> bool:
    """Whether nothing of the text is to be found."""
    stored = repr([*world.stored(), *world.rows()])
    return not any(word in stored for word in ("Zaphod", "wonderful", "Prefect"))


def test_the_page_shows_what_is_stored_encrypted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(world)
    assert world.project() == {"batchItemFailures": []}
    assert hidden(world)
    answer = Http(world, monkeypatch)("GET", "/items")
    (shown,) = answer.json["items"]
    assert shown["text_snippet"] == TEXT
    found = world.items().get(Items.get_item, KEY)
    assert found is not None
    assert found.metadata == RAW["metadata"]
    assert found.score != Decimal("0.5")


def test_an_item_is_stored_encrypted_whatever_fails(world: World) -> None:
    """Whoever finishes another's claim stores what that holds, which it must decrypt."""

    def fresh() -> Caller:
        world.database.empty(ITEMS_TABLE)
        return world.edge

    def work(caller: Caller) -> None:
        world.ingestion(caller).ingest([RAW], iso_utc(NOW)).raise_failure()

    def outcome() -> Any:
        assert hidden(world)
        stored = world.items().get(Items.get_item, KEY)
        guard = world.items().get(Items.claimed_source, source_id=RAW["source_id"])
        return stored, guard, len(world.stored())

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 4


def test_encrypting_again_changes_no_row(world: World) -> None:
    ingest(world)
    world.project()
    before = world.rows()
    seen = len(world.stream())
    new = Secrets(Ring(ITEMS_TABLE, {b"key1": b"k" * 32, b"key2": b"n" * 32}, b"key2", b"d" * 32))
    work = Reencryption(Items.__design__, ITEMS_TABLE, world.dynamo, new, rate=Rate(1000))
    assert work.settle(world.stored())["done"] == 1
    world.secrets = (new, world.secrets[1])
    assert world.project(world.stream()[seen:]) == {"batchItemFailures": []}
    assert world.rows() == before


def test_what_cannot_be_decrypted_is_kept_and_told_without_its_text(world: World) -> None:
    ingest(world)
    world.project()
    (item,) = (one for one in world.stored() if "status" in one)
    moved = {**item, "source_id": {"S": "newsapi#two"}}
    seen = len(world.stream())
    world.database.write([moved], ITEMS_TABLE)
    failed: list[tuple[Change, Exception]] = []

    def keep(change: Change, error: Exception) -> bool:
        failed.append((change, error))
        return True

    answer = world.projector().project(world.stream()[seen:], keep)
    assert answer == {"batchItemFailures": []}
    ((change, error),) = failed
    assert isinstance(error, SecretUnreadable)
    assert error.field in ("Item.text_snippet", "Item.metadata")
    assert "Zaphod" not in repr(error)
    assert "Zaphod" not in json.dumps(change.record, default=repr)


def test_a_rejected_item_is_kept_encrypted(world: World) -> None:
    bad = {**RAW, "source_url": "ftp://example.com"}
    outcome = world.ingestion().ingest([bad], iso_utc(NOW))
    world.ingestion().put_rejected(outcome.rejected, iso_utc(NOW))
    assert hidden(world)
    (kept,) = world.dashboard_store().each(Dashboard.rejected_items, day=iso_utc(NOW)[:10])
    assert "Zaphod" in kept.item
