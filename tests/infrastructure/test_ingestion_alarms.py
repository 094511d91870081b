"""The alarms on ingestion watch the very metrics that the function writes."""

import json
import subprocess
import sys

import pytest

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import Assembly, Template, environment, one, resources

# A poll of one source that fails at once and another with an entry that cannot be read.
POLL = """
from types import SimpleNamespace
from lambdas.sentiment import ingest
from lambdas.sentiment.outcome import Outcome
from lambdas.sentiment.sources import SourceError, Unreadable

def failing(query, deadline):
    raise SourceError("newsapi is down")
    yield

def garbled(query, deadline):
    yield Unreadable("reddit", "{}", "has no id")

ingest.sources = lambda: [
    SimpleNamespace(source_type="newsapi", fetch=failing),
    SimpleNamespace(source_type="reddit", fetch=garbled),
]
ingest.ingestion = lambda: SimpleNamespace(
    watch=SimpleNamespace(tags=["AI"]),
    take=lambda items, moment: Outcome(0, 0, []),
    park=lambda refused, moment: None,
)
context = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)
ingest.handler({"detail-type": "Scheduled Event"}, context)
"""

# A name with the dimensions, all of them, that tell it from others of the name.
Metric = tuple[str, frozenset[tuple[str, str]]]


@pytest.fixture(scope="module")
def alarms(prod: Assembly) -> list[Template]:
    found = resources(prod.template("sentiment"), "AWS::CloudWatch::Alarm").values()
    own = [alarm for alarm in found if alarm.get("Namespace") == "Tablewright"]
    return [alarm for alarm in own if not alarm["MetricName"].startswith("SelfHealing")]


@pytest.fixture(scope="module")
def written(prod: Assembly) -> dict[Metric, float]:
    """What the poll writes, in the surroundings that the stack gives the function."""
    told = environment(prod.template("sentiment"), "Ingest")
    done = subprocess.run(
        [sys.executable, "-c", POLL],
        cwd=ROOT,
        env={name: value for name, value in told.items() if name.startswith("POWERTOOLS_")},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[Metric, float] = {}
    for entry in map(json.loads, done.stdout.splitlines()):
        for directive in entry.get("_aws", {}).get("CloudWatchMetrics", ()):
            assert directive["Namespace"] == "Tablewright"
            for name in (metric["Name"] for metric in directive["Metrics"]):
                for names in directive["Dimensions"]:
                    where = frozenset((dimension, entry[dimension]) for dimension in names)
                    found[name, where] = found.get((name, where), 0) + sum(entry[name])
    return found


def test_a_source_that_stops_and_an_item_that_is_refused_reach_their_alarms(
    alarms: list[Template], written: dict[Metric, float]
) -> None:
    ringing = {
        alarm["AlarmDescription"]
        for alarm in alarms
        if written.get(watched_by(alarm), 0) >= alarm["Threshold"]
    }
    assert ringing == {
        "newsapi could not be read to its end, three polls of four.",
        "Items were refused; they are parked with the reason.",
    }


def test_every_polled_source_has_its_alarm(prod: Assembly, alarms: list[Template]) -> None:
    polled = json.loads(environment(prod.template("sentiment"), "Ingest")["SOURCES"])["sources"]
    watched = {watched_by(alarm) for alarm in alarms}
    assert {where for name, where in watched if name == "SourceErrors"} == {
        frozenset({("source", source)}) for source in polled
    }


def test_a_source_is_given_up_only_after_three_polls(prod: Assembly) -> None:
    rule = one(prod.template("sentiment"), "AWS::Events::Rule", "Poll")
    alarm = one(prod.template("sentiment"), "AWS::CloudWatch::Alarm", "IngestionAlarmsreddit")
    assert rule["ScheduleExpression"] == f"rate({alarm['Period'] // 60} minutes)"
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (3, 4)


def watched_by(alarm: Template) -> Metric:
    return alarm["MetricName"], frozenset((d["Name"], d["Value"]) for d in alarm["Dimensions"])
