"""The form in which templates are reviewed."""

from typing import Any

import pytest

from tests.infrastructure.review import reviewed, shortened
from tests.infrastructure.synthesis import Template

ALARM = {
    "Namespace": "AWS/SQS",
    "MetricName": "Age",
    "Statistic": "Maximum",
    "Period": 300,
    "ComparisonOperator": "GreaterThanOrEqualToThreshold",
    "Threshold": 60,
    "EvaluationPeriods": 5,
    "DatapointsToAlarm": 3,
}
KIND = "AWS/SQS Age: Maximum of 300 s >= 60, 3 of 5"


def counts(*resources: Template) -> Template:
    """The counts beside the resources, of which none is left."""
    short = reviewed({"Resources": {f"Id{n}": one for n, one in enumerate(resources)}})
    assert short.pop("Resources") == {}
    return short


def alarm(**properties: Any) -> Template:
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": {**ALARM, **properties}}


def test_alarms_are_counted_by_metric_rule_and_topic() -> None:
    told = alarm(AlarmActions=[{"Ref": "Topic"}])
    assert counts(alarm(), told, told, alarm(Threshold=61)) == {
        "AWS::CloudWatch::Alarm": {
            f"{KIND}, to nobody": 1,
            f"{KIND}, to its topic": 2,
            "AWS/SQS Age: Maximum of 300 s >= 61, 3 of 5, to nobody": 1,
        }
    }


def test_an_alarm_with_metric_math_shows_its_expression() -> None:
    metric = {"Namespace": "AWS/Usage", "MetricName": "ResourceCount"}
    math = {
        **{name: ALARM[name] for name in ("ComparisonOperator", "Threshold", "EvaluationPeriods")},
        "Metrics": [
            {"Id": "e", "Expression": "2 * used"},
            {"Id": "used", "MetricStat": {"Metric": metric, "Stat": "Maximum", "Period": 60}},
        ],
    }
    assert counts({"Type": "AWS::CloudWatch::Alarm", "Properties": math}) == {
        "AWS::CloudWatch::Alarm": {
            "AWS/Usage ResourceCount: 2 * used of Maximum of 60 s >= 60, 5 of 5, to nobody": 1
        }
    }


def test_log_groups_are_counted_by_retention() -> None:
    kept = {"DeletionPolicy": "Retain", "Properties": {"RetentionInDays": 7}}
    groups = ({"Type": "AWS::Logs::LogGroup", **one} for one in ({}, kept, kept))
    assert counts(*groups) == {"AWS::Logs::LogGroup": {"kept forever": 1, "kept 7 days, Retain": 2}}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"Ref": "Table"}, "${Table}"),
        ({"Fn::GetAtt": ["Table", "Arn"]}, "${Table.Arn}"),
        ({"Fn::ImportValue": "app:Topic"}, "${import app:Topic}"),
        ({"Fn::Sub": "a-${AWS::Region}"}, "a-${AWS::Region}"),
        ({"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":x"]]}, "arn:${AWS::Partition}:x"),
        ([{"Key": "stage", "Value": "prod"}, {"Key": "team", "Value": "a"}], "stage=prod, team=a"),
    ],
)
def test_intrinsic_functions_and_tags_are_one_line(value: Any, text: str) -> None:
    assert shortened({"Property": value}) == {"Property": text}


@pytest.mark.parametrize(
    "value", [[], {"Fn::Select": [0, ["a"]]}, {"Statement": [{"Effect": "Deny"}]}]
)
def test_everything_else_stays_as_it_is(value: Any) -> None:
    assert shortened(value) == value
