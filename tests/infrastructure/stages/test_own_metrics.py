"""Alarms watch the very metrics that the functions write, and each stage's are its own."""

import json
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.infrastructure.stages.own_metrics import Metric, written
from tests.infrastructure.synthesis import STAGES, Assembly, Template, environment, one, resources

Stage = Callable[[str], Assembly]
Written = Callable[[str], dict[Metric, float]]


@pytest.fixture(scope="module")
def counted(stage: Stage) -> Written:
    """What a stage's functions write when they meet all the trouble that they count."""
    return cache(lambda name: written(stage(name), each=1))


@pytest.fixture(scope="module")
def watched(stage: Stage) -> Assembly:
    """Production with all alarms."""
    return stage("prod-us-east-1")


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
    name: str, stage: Stage, counted: Written
) -> None:
    watched = {metric for _, metric in own_alarms(stage(name))}
    assert bool(watched) is (name != "dev"), "dev alone has no alarms"
    assert watched <= counted(name).keys()


@pytest.mark.thorough
def test_each_trouble_reaches_its_alarm(watched: Assembly, counted: Written) -> None:
    found = counted("prod-us-east-1")
    # Of the backlog an expression tells, by the run before.
    silent = {
        alarm["AlarmDescription"]
        for alarm, metric in own_alarms(watched)
        if "Threshold" in alarm and found[metric] < alarm["Threshold"]
    }
    assert silent == set()


@pytest.mark.thorough
def test_stages_of_one_account_share_no_metric(stage: Stage, counted: Written) -> None:
    assert counted("dev").keys().isdisjoint(counted("staging"))
    for name in STAGES:
        namespaces = {metric.namespace for metric in counted(name)}
        assert namespaces == {f"Tablewright/{name}"}


@pytest.mark.thorough
def test_every_function_of_a_stage_counts_in_its_namespace(stage: Stage) -> None:
    for name in STAGES:
        for template in stage(name).templates.values():
            for function in resources(template, "AWS::Lambda::Function").values():
                told = function["Environment"]["Variables"]
                assert told["POWERTOOLS_METRICS_NAMESPACE"] == f"Tablewright/{name}"


@pytest.mark.thorough
def test_every_polled_source_has_its_alarm(watched: Assembly) -> None:
    polled = json.loads(environment(watched.template("sentiment"), "Ingest")["SOURCES"])["sources"]
    rung = {metric for _, metric in own_alarms(watched) if metric.name == "SourceErrors"}
    assert {metric.dimensions for metric in rung} == {
        frozenset({("source", source)}) for source in polled
    }


@pytest.mark.thorough
def test_a_source_is_given_up_only_after_three_polls(watched: Assembly) -> None:
    rule = one(watched.template("sentiment"), "AWS::Events::Rule", "Poll")
    alarm = one(watched.template("sentiment"), "AWS::CloudWatch::Alarm", "IngestionAlarmsreddit")
    assert rule["ScheduleExpression"] == f"rate({alarm['Period'] // 60} minutes)"
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (3, 4)
