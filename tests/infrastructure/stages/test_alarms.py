"""Alarms of production, which the snapshots only count."""

import json
from collections import Counter

import pytest

from tests.infrastructure.synthesis import Assembly, Template, resources

SYSTEMS = ("sales", "sentiment", "forms", "portal")
NOT_OF_A_RULE = {"AlarmDescription", "Tags", "AlarmActions", "OKActions"}


def rule(alarm: Template) -> str:
    """The metric that an alarm watches, with its dimensions, and when it fires."""
    return json.dumps({k: v for k, v in alarm.items() if k not in NOT_OF_A_RULE}, sort_keys=True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_alarm_watches_something_of_its_own(system: str, prod: Assembly) -> None:
    alarms = resources(prod.template(system), "AWS::CloudWatch::Alarm")
    assert alarms
    assert [
        found for found, count in Counter(map(rule, alarms.values())).items() if count > 1
    ] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_alarm_and_its_end_reach_the_topic(system: str, prod: Assembly) -> None:
    for id, alarm in resources(prod.template(system), "AWS::CloudWatch::Alarm").items():
        (action,) = alarm["AlarmActions"]
        assert "AlarmsTopic" in action["Fn::ImportValue"], id
        assert alarm["OKActions"] == alarm["AlarmActions"], id
