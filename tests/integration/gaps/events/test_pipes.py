"""A pipe carries what it is meant to from a table's stream to an event bus."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.gaps.events.input_template import render
from tests.integration.gaps.clouds import Cloud, deploy, running, until

PATTERN = {"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["wanted"]}}}}
TEMPLATE = '{"id": <$.dynamodb.NewImage.PK.S>, "text": "item <$.dynamodb.NewImage.PK.S>"}'
READ = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
NUMBERS = itertools.count()


class Piped:
    """A table, the pipe behind its stream, and a queue with what came out of the bus."""

    def __init__(self, cloud: Cloud, *, actions: list[str], **stream: Any) -> None:
        self.cloud = cloud
        self.name = f"pipe{next(NUMBERS)}"
        self.ids = deploy(cloud, self.name, {"Resources": _resources(actions, stream)})

    def put(self, key: str, kind: str = "wanted") -> None:
        item = {"PK": {"S": key}, "kind": {"S": kind}}
        self.cloud.client("dynamodb").put_item(TableName=self.ids["Table"], Item=item)

    def received(self, queue: str = "Queue") -> list[dict[str, Any]]:
        """What is new in a queue, in order of arrival."""
        sqs, url = self.cloud.client("sqs"), self.ids[queue]
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for message in messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return [json.loads(message["Body"]) for message in messages]

    def forbid(self, action: str) -> None:
        denial = {"Statement": [{"Effect": "Deny", "Action": action, "Resource": "*"}]}
        self.cloud.client("iam").put_role_policy(
            RoleName=self.ids["Role"], PolicyName="denial", PolicyDocument=json.dumps(denial)
        )

    def permit(self) -> None:
        iam = self.cloud.client("iam")
        iam.delete_role_policy(RoleName=self.ids["Role"], PolicyName="denial")

    def received_of(self, count: int) -> list[dict[str, Any]]:
        received: list[dict[str, Any]] = []
        while len(received) < count:
            received += until(self.received)
        return received


def _resources(actions: list[str], stream: dict[str, Any]) -> dict[str, Any]:
    def arn(name: str) -> dict[str, Any]:
        return {"Fn::GetAtt": [name, "Arn"]}

    stream_arn = {"Fn::GetAtt": ["Table", "StreamArn"]}
    statements = [
        {"Effect": "Allow", "Action": READ, "Resource": stream_arn},
        {"Effect": "Allow", "Action": actions, "Resource": [arn("Bus"), arn("DeadLetters")]},
    ]
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "pipes.amazonaws.com"},
    }
    resources = {
        "Table": {
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": {"Ref": "AWS::Region"}}],
        },
        "Bus": {"Name": {"Ref": "AWS::StackName"}},
        "Queue": {},
        "DeadLetters": {},
        "Rule": {
            "EventBusName": {"Ref": "Bus"},
            "EventPattern": {"source": ["sales"]},
            "Targets": [{"Id": "queue", "Arn": arn("Queue")}],
        },
        "Role": {
            "AssumeRolePolicyDocument": {"Statement": [trust]},
            "Policies": [{"PolicyName": "all", "PolicyDocument": {"Statement": statements}}],
        },
        "Pipe": {
            "Name": {"Ref": "AWS::StackName"},
            "RoleArn": arn("Role"),
            "Source": stream_arn,
            "SourceParameters": {
                "FilterCriteria": {"Filters": [{"Pattern": json.dumps(PATTERN)}]},
                "DynamoDBStreamParameters": {
                    "StartingPosition": "TRIM_HORIZON",
                    "BatchSize": 10,
                    "DeadLetterConfig": {"Arn": arn("DeadLetters")},
                    **stream,
                },
            },
            "Target": arn("Bus"),
            "TargetParameters": {
                "InputTemplate": TEMPLATE,
                "EventBridgeEventBusParameters": {
                    "Source": "sales",
                    "DetailType": "$.eventName",
                },
            },
        },
    }
    types = {
        "Table": "DynamoDB::GlobalTable",
        "Bus": "Events::EventBus",
        "Queue": "SQS::Queue",
        "DeadLetters": "SQS::Queue",
        "Rule": "Events::Rule",
        "Role": "IAM::Role",
        "Pipe": "Pipes::Pipe",
    }
    return {
        name: {"Type": f"AWS::{types[name]}", "Properties": properties}
        for name, properties in resources.items()
    }


SEND = ["events:PutEvents", "sqs:SendMessage"]


def test_what_the_filter_lets_through_reaches_the_bus_as_the_template_says(cloud: Cloud) -> None:
    piped = Piped(cloud, actions=SEND)
    piped.put("a")
    piped.put("b", kind="other")
    piped.put("c")
    received = piped.received_of(2)
    assert [event["detail"] for event in received] == [
        {"id": "a", "text": "item a"},
        {"id": "c", "text": "item c"},
    ]
    assert {(event["source"], event["detail-type"]) for event in received} == {("sales", "INSERT")}


def test_what_the_role_may_not_put_is_given_up_to_the_dead_letters(cloud: Cloud) -> None:
    piped = Piped(cloud, actions=["sqs:SendMessage"], MaximumRetryAttempts=1)
    piped.put("a")
    (dead,) = until(lambda: piped.received("DeadLetters"))
    assert dead["context"]["condition"] == "RetryAttemptsExhausted"
    assert dead["DDBStreamBatchInfo"]["batchSize"] == 1
    assert piped.received() == []


def test_a_restart_neither_repeats_nor_forgets(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path / "state")
    with running(cloud):
        piped = Piped(cloud, actions=SEND)
        piped.put("before")
        assert len(until(piped.received)) == 1
        piped.forbid("events:PutEvents")
        piped.put("meanwhile")
    with running(cloud):
        piped.permit()
        (event,) = until(piped.received)
        assert event["detail"]["id"] == "meanwhile"


@pytest.mark.parametrize(
    ("template", "rendered"),
    [
        ('{"a": <$.text>}', {"a": 'say "hi"'}),
        ('{"a": "<$.text>!"}', {"a": 'say "hi"!'}),
        ('{"a": <$.list[1]>}', {"a": 2}),
        ('{"a": "<$.list>"}', {"a": "[1, 2]"}),
        ('{"a": <$.absent.deeper>, "b": "<$.absent>"}', {"a": None, "b": ""}),
        ('{"a": <aws.pipes.pipe-name>}', {"a": "p"}),
        ("<$>", {"text": 'say "hi"', "list": [1, 2]}),
    ],
)
def test_a_placeholder_is_json_unless_it_is_in_a_string(template: str, rendered: Any) -> None:
    record = {"text": 'say "hi"', "list": [1, 2]}
    assert json.loads(render(template, record, {"aws.pipes.pipe-name": "p"})) == rendered


def test_with_the_gap_open_nothing_reaches_the_bus(cloud_without: Callable[[str], Cloud]) -> None:
    cloud = cloud_without("events.pipes")
    piped = Piped(cloud, actions=SEND)
    piped.put("a")
    until(
        lambda: "delivers to sns and states, not to events" in (cloud.state / "log.txt").read_text()
    )
    assert piped.received() == []
