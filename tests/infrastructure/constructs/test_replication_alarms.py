"""A replica that falls behind is told of, each by its own alarm."""

from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_sns as sns

from tests.infrastructure.constructs.building_blocks import IN_IRELAND, findings, table_in
from tests.infrastructure.synthesis import new_stack, resources, template_of, text

REPLICAS = ["us-west-2", "ap-south-1"]


def watched(**props: Any) -> list[dict[str, Any]]:
    stack = new_stack(env=IN_IRELAND)
    topic = sns.Topic(stack, "Topic")
    table_in(stack, replicas=REPLICAS, alarm_topic=topic, **props)
    found = resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
    return [alarm for alarm in found if alarm.get("MetricName") == "ReplicationLatency"]


def test_each_receiving_region_has_its_alarm() -> None:
    found = watched()
    where = [{d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]} for alarm in found]
    assert [each["ReceivingRegion"] for each in where] == REPLICAS
    assert len({each["TableName"] for each in where}) == 1
    for alarm in found:
        assert len(alarm["AlarmActions"]) == 1
        assert alarm["Namespace"] == "AWS/DynamoDB"


def test_five_seconds_in_three_of_five_minutes_are_too_many() -> None:
    for alarm in watched():
        assert alarm["Threshold"] == 5000
        assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (3, 5)
        assert alarm["Period"] == 60


def test_how_far_behind_is_too_far_can_be_chosen() -> None:
    assert {alarm["Threshold"] for alarm in watched(replication_latency=Duration.millis(1500))} == {
        1500
    }


def test_a_table_without_replicas_has_none() -> None:
    stack = new_stack()
    table_in(stack)
    found = resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
    assert "ReplicationLatency" not in {alarm.get("MetricName") for alarm in found}


def test_the_alarms_break_no_rule() -> None:
    stack = new_stack(env=IN_IRELAND)
    table_in(stack, replicas=REPLICAS)
    assert findings(stack) == set()
