"""Alarms watch the very metrics that the functions write, and each stage's are its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import pytest

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import STAGES, Assembly, Template, environment, one, resources

Stage = Callable[[str], Assembly]
# Every function that writes metrics, by its id in the stack of its system.
WRITERS = {
    "Ingest": "sentiment",
    "NewsHeal": "sentiment",
    "Plan": "forms",
    "Calendar": "portal",
    "ArchiveExport": "portal",
    "Project": "sentiment",
    "Count": "forms",
    "FanOutPublish": "portal",
}


class Metric(NamedTuple):
    """What tells a metric from all others of an account and region."""

    namespace: str
    name: str
    dimensions: frozenset[tuple[str, str]]


@pytest.fixture(scope="module")
def written(stage: Stage) -> Callable[[str], dict[Metric, float]]:
    """What a stage's functions write when they meet trouble, told what their stacks tell them."""

    @cache
    def of(name: str) -> dict[Metric, float]:
        told = {
            function: {
                setting: value
                for setting, value in environment(stage(name).template(system), function).items()
                if setting in ("SOURCES", "TICKERS") or setting.startswith("POWERTOOLS_")
            }
            for function, system in WRITERS.items()
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.infrastructure.troubled_runs", json.dumps(told)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found: dict[Metric, float] = {}
        for entry in map(json.loads, done.stdout.splitlines()):
            for directive in entry.get("_aws", {}).get("CloudWatchMetrics", ()):
                for metric in (metric["Name"] for metric in directive["Metrics"]):
                    for names in directive["Dimensions"]:
                        where = frozenset((dimension, entry[dimension]) for dimension in names)
                        key = Metric(directive["Namespace"], metric, where)
                        found[key] = found.get(key, 0) + sum(entry[metric])
        return found

    return of


def own_alarms(assembly: Assembly) -> Iterator[tuple[Template, Metric]]:
    """The alarms on metrics that are not AWS's own, each with its metric."""
    for template in assembly.templates.values():
        for alarm in resources(template, "AWS::CloudWatch::Alarm").values():
            for metric in metrics_of(alarm):
                if not metric["Namespace"].startswith("AWS/"):
                    where = frozenset((d["Name"], d["Value"]) for d in metric["Dimensions"])
                    yield alarm, Metric(metric["Namespace"], metric["MetricName"], where)


def metrics_of(alarm: Template) -> list[Template]:
    if "Metrics" not in alarm:
        return [alarm]
    return [m["MetricStat"]["Metric"] for m in alarm["Metrics"] if "MetricStat" in m]


@pytest.mark.parametrize("name", STAGES)
def test_every_metric_that_an_alarm_watches_is_written(
    name: str, stage: Stage, written: Callable[[str], dict[Metric, float]]
) -> None:
    watched = {metric for _, metric in own_alarms(stage(name))}
    assert watched
    assert watched <= written(name).keys()


def test_each_trouble_reaches_its_alarm(
    prod: Assembly, written: Callable[[str], dict[Metric, float]]
) -> None:
    found = written("prod")
    # Of the backlog an expression tells, by the run before.
    silent = {
        alarm["AlarmDescription"]
        for alarm, metric in own_alarms(prod)
        if "Threshold" in alarm and found[metric] < alarm["Threshold"]
    }
    assert silent == set()


def test_stages_of_one_account_share_no_metric(
    stage: Stage, written: Callable[[str], dict[Metric, float]]
) -> None:
    assert written("dev").keys().isdisjoint(written("staging"))
    for name in STAGES:
        namespaces = {metric.namespace for metric in written(name)}
        assert namespaces == {f"Tablewright/{name}"}


def test_every_function_of_a_stage_counts_in_its_namespace(stage: Stage) -> None:
    for name in STAGES:
        for template in stage(name).templates.values():
            for function in resources(template, "AWS::Lambda::Function").values():
                told = function["Environment"]["Variables"]
                assert told["POWERTOOLS_METRICS_NAMESPACE"] == f"Tablewright/{name}"


def test_every_polled_source_has_its_alarm(prod: Assembly) -> None:
    polled = json.loads(environment(prod.template("sentiment"), "Ingest")["SOURCES"])["sources"]
    watched = {metric for _, metric in own_alarms(prod) if metric.name == "SourceErrors"}
    assert {metric.dimensions for metric in watched} == {
        frozenset({("source", source)}) for source in polled
    }


def test_a_source_is_given_up_only_after_three_polls(prod: Assembly) -> None:
    rule = one(prod.template("sentiment"), "AWS::Events::Rule", "Poll")
    alarm = one(prod.template("sentiment"), "AWS::CloudWatch::Alarm", "IngestionAlarmsreddit")
    assert rule["ScheduleExpression"] == f"rate({alarm['Period'] // 60} minutes)"
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (3, 4)
