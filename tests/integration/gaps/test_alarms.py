"""An alarm watches the metric of its own resource, period by period."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.gaps.clouds import Cloud, until


class Alarm:
    """On the sum of a function's errors per minute."""

    def __init__(self, cloud: Cloud, function: str, **more: Any) -> None:
        self._cloudwatch = cloud.client("cloudwatch")
        self._name = function
        self._where = [{"Name": "FunctionName", "Value": function}]
        defaults = {"EvaluationPeriods": 1, "TreatMissingData": "notBreaching"}
        self._cloudwatch.put_metric_alarm(
            AlarmName=function,
            Namespace="AWS/Lambda",
            MetricName="Errors",
            Dimensions=self._where,
            Statistic="Sum",
            Period=60,
            Threshold=2,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            **{**defaults, **more},
        )

    def errors(self, *, minutes_ago: Sequence[int], each: int = 1) -> None:
        now = datetime.now(UTC)
        self._cloudwatch.put_metric_data(
            Namespace="AWS/Lambda",
            MetricData=[
                {
                    "MetricName": "Errors",
                    "Dimensions": self._where,
                    "Value": each,
                    "Timestamp": now - timedelta(minutes=minutes),
                }
                for minutes in minutes_ago
            ],
        )

    def state(self) -> str:
        (found,) = self._cloudwatch.describe_alarms(AlarmNames=[self._name])["MetricAlarms"]
        return str(found["StateValue"])

    def becomes(self, state: str) -> bool:
        return until(lambda: self.state() == state)


def test_an_alarm_tells_of_its_own_function_only(cloud: Cloud) -> None:
    failing, sound = Alarm(cloud, "failing"), Alarm(cloud, "sound")
    assert sound.becomes("OK")
    failing.errors(minutes_ago=[0, 0])
    assert failing.becomes("ALARM")
    assert sound.state() == "OK"


@pytest.mark.parametrize(
    ("minutes_ago", "state"),
    [((0, 1, 2), "ALARM"), ((0, 0, 0), "OK"), ((0, 1, 9), "OK")],
)
def test_so_many_minutes_out_of_so_many_count(
    cloud: Cloud, minutes_ago: tuple[int, ...], state: str
) -> None:
    name = "-".join(map(str, minutes_ago))
    alarm = Alarm(cloud, f"m-of-n-{name}", EvaluationPeriods=5, DatapointsToAlarm=3)
    alarm.errors(minutes_ago=minutes_ago, each=2)
    assert alarm.state() == state


@pytest.mark.parametrize(
    ("treatment", "state"),
    [("notBreaching", "OK"), ("breaching", "ALARM"), ("missing", "INSUFFICIENT_DATA")],
)
def test_missing_data_is_treated_as_asked(cloud: Cloud, treatment: str, state: str) -> None:
    assert Alarm(cloud, f"missing-{treatment}", TreatMissingData=treatment).becomes(state)


def test_ministack_itself_takes_all_functions_for_one(
    cloud_without: Callable[[str], Cloud],
) -> None:
    other = cloud_without("cloudwatch.alarms")
    failing, sound = Alarm(other, "failing"), Alarm(other, "sound")
    failing.errors(minutes_ago=[0, 0])
    assert (failing.state(), sound.state()) == ("ALARM", "ALARM")
