"""The function that heals: what it says about a run, and how it learns its rules."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from lambdas.sentiment.analysis import HEALING, news_request
from lambdas.sentiment.handlers import heal_news
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.healing.healing import Healing, Rules
from tablewright.runtime.healing.parked import Parked
from tablewright.runtime.messaging.topic import Topic
from tests.integration.http import Context
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.http import Logs, metered, metrics
from tests.integration.sentiment.news import raw, seconds

RULES = {
    "HEALING_THRESHOLD_SECONDS": "3600",
    "HEALING_BATCH": "100",
    "HEALING_PAUSE_SECONDS": "3600",
    "HEALING_ATTEMPTS": "5",
}


@pytest.fixture(autouse=True)
def function(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    metered(monkeypatch)
    for name, value in RULES.items():
        monkeypatch.setenv(name, value)
    rules = Rules.from_environment()
    topic = Topic(world.edge, "arn:topic")
    monkeypatch.setattr(heal_news, "rules", lambda: rules)
    made = Healing(world.news(), topic, HEALING, request=news_request, rules=rules)
    monkeypatch.setattr(heal_news, "healing", lambda: made)
    monkeypatch.setattr(heal_news, "parked", lambda: Parked(world.news(), HEALING))
    monkeypatch.setattr(heal_news, "resources", Active)


class Active:
    def is_active(self) -> bool:
        return True


def test_the_rules_are_those_of_the_environment() -> None:
    assert Rules.from_environment() == Rules()


def test_a_run_is_logged_and_measured_by_these_names(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = Logs(monkeypatch)
    now = datetime.now(UTC)
    old = seconds(now - timedelta(hours=2))
    batch = [raw(n, timestamp=old) for n in range(5)]
    batch.append(raw(5, timestamp=seconds(now)))
    world.news_ingestion().ingest(batch, iso_utc(now))
    world.inbox.messages.clear()
    parked = {**HEALING.parked, "parked_at": iso_utc(now)}
    world.news().update(HEALING.mark, {"source_id": "tiingo:4"}, parked)

    answer = heal_news.handler({}, Context())
    assert answer == {"found": 4, "republished": 4, "failed": 0, "parked": 0, "parked_in_all": 1}
    assert len(world.inbox.messages) == 4
    (entry,) = logs.of("Self-healing completed")
    assert entry["level"] == "INFO"
    extra = entry["extra"]
    assert (extra["stale_items_found"], extra["items_republished"]) == (4, 4)
    assert extra["threshold_hours"] == 1
    assert 0 < extra["execution_time_ms"] < 60_000
    assert "great success" not in logs.text

    printed = capsys.readouterr().out
    counted = {one["name"]: one for one in metrics(printed)}
    assert {name: one["values"] for name, one in counted.items() if "Time" not in name} == {
        "SelfHealingItemsFound": [4.0],
        "SelfHealingItemsRepublished": [4.0],
        "SelfHealingItemsParked": [1.0],
    }
    assert counted["SelfHealingExecutionTime"]["values"] == [extra["execution_time_ms"]]
    assert counted["SelfHealingItemsFound"]["dimensions"] == [{"service": "sentiment"}]
    units = {
        metric["Name"]: metric["Unit"]
        for line in printed.splitlines()
        if line.startswith('{"_aws"')
        for group in json.loads(line)["_aws"]["CloudWatchMetrics"]
        for metric in group["Metrics"]
    }
    assert units["SelfHealingExecutionTime"] == "Milliseconds"


def test_a_run_without_work_is_logged_and_measured_at_zero(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = Logs(monkeypatch)
    answer = heal_news.handler({}, Context())
    assert set(answer.values()) == {0}
    extra = logs.of("Self-healing completed")[0]["extra"]
    assert (extra["stale_items_found"], extra["items_republished"]) == (0, 0)
    counted = {one["name"]: one["values"] for one in metrics(capsys.readouterr().out)}
    assert counted == {
        "SelfHealingItemsFound": [0.0],
        "SelfHealingItemsRepublished": [0.0],
        "SelfHealingExecutionTime": [extra["execution_time_ms"]],
    }
