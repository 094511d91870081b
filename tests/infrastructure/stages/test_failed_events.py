"""An event that a function fails on for good is kept, and told."""

from typing import Any

import pytest
from aws_cdk import aws_sns as sns

from stacks.shared.failed_events import FailedEvents
from tablewright.constructs import Protection
from tests.infrastructure.constructs.building_blocks import alarms, findings, function_in
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    id_of,
    listed,
    new_stack,
    only,
    resources,
    template_of,
    text,
)

QUEUE = "AWS::SQS::Queue"
CONFIG = "AWS::Lambda::EventInvokeConfig"


def failing(**props: Any) -> Template:
    stack = new_stack()
    FailedEvents(stack, "Failed", **props).keep_of(function_in(stack))
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return failing()


def test_an_event_is_tried_three_times_and_then_kept(template: Template) -> None:
    config = only(template, CONFIG)
    (queue,) = resources(template, QUEUE)
    assert config["MaximumRetryAttempts"] == 2
    assert config["DestinationConfig"] == {
        "OnFailure": {"Destination": {"Fn::GetAtt": [queue, "Arn"]}}
    }
    assert config["Qualifier"] == "$LATEST"


def test_the_function_may_send_to_the_queue_before_lambda_asks_and_no_more(
    template: Template,
) -> None:
    (queue,) = resources(template, QUEUE)
    assert allowed(template, "FunctionRole") == {("sqs:SendMessage", f"{{{queue}.Arn}}")}
    policy = id_of(template, "AWS::IAM::Policy", "FunctionRole")
    (config,) = (r for r in template["Resources"].values() if r["Type"] == CONFIG)
    assert policy in listed(config["DependsOn"])


def test_events_are_kept_two_weeks_encrypted_and_never_sent_in_the_clear(
    template: Template,
) -> None:
    queue = only(template, QUEUE)
    assert queue["MessageRetentionPeriod"] == 14 * 24 * 3600
    assert queue["SqsManagedSseEnabled"] is True
    (statement,) = only(template, "AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_what_is_kept_and_what_could_not_be_kept_is_told() -> None:
    stack = new_stack()
    function = function_in(stack)
    failed = FailedEvents(stack, "Failed", topic=sns.Topic(stack, "Alarms"))
    failed.keep_of(function)
    failed.watch(function)
    template = template_of(stack)
    (queue,) = resources(template, QUEUE)
    (topic,) = resources(template, "AWS::SNS::Topic")
    watched = id_of(template, "AWS::Lambda::Function", "Function")
    found = {
        name: (text(alarm["Dimensions"][0]["Value"]), alarm["Threshold"], alarm["AlarmActions"])
        for name, alarm in alarms(template).items()
    }
    assert found == {
        "ApproximateNumberOfMessagesVisible": (f"{{{queue}.QueueName}}", 1, [{"Ref": topic}]),
        "DestinationDeliveryFailures": (f"{{{watched}}}", 1, [{"Ref": topic}]),
    }


def test_several_functions_share_the_queue() -> None:
    stack = new_stack()
    failed = FailedEvents(stack, "Failed")
    for name in ("Clean", "Export"):
        failed.keep_of(function_in(stack, name), name)
    template = template_of(stack)
    (queue,) = resources(template, QUEUE)
    configs = resources(template, CONFIG).values()
    assert {text(one["FunctionName"])[1:6] for one in configs} == {"Clean", "Expor"}
    kept = {text(one["DestinationConfig"]["OnFailure"]["Destination"]) for one in configs}
    assert kept == {f"{{{queue}.Arn}}"}


@pytest.mark.parametrize(
    ("protection", "policy"), [(None, "RetainExceptOnCreate"), (Protection.throw_away(), "Delete")]
)
def test_kept_events_are_as_protected_as_asked_for(
    protection: Protection | None, policy: str
) -> None:
    made = failing(protection=protection)["Resources"].values()
    assert {r["DeletionPolicy"] for r in made if r["Type"] == QUEUE} == {policy}


def test_the_queue_breaks_no_rule() -> None:
    stack = new_stack()
    FailedEvents(stack, "Failed").keep_of(function_in(stack))
    assert findings(stack) == set()
