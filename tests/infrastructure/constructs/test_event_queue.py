"""Events of a bus wait in a queue until they are done, and none is lost on the way."""

from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_sns as sns

from tablewright.constructs import EventQueue, MessageQueue, Protection
from tests.infrastructure.constructs.building_blocks import alarms, findings, function_in
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    new_stack,
    only,
    resources,
    template_of,
    text,
)

QUEUE = "AWS::SQS::Queue"
RULE = "AWS::Events::Rule"
PATTERN = events.EventPattern(source=["forms"], detail_type=["submission.created"])


def queued(**props: Any) -> Template:
    """A bus, its queue, and a function that consumes it and sends to it."""
    stack = new_stack()
    given = {"visibility": Duration.minutes(3), "pattern": PATTERN, **props}
    queue = EventQueue(stack, "Work", bus=events.EventBus(stack, "Bus"), **given)
    consumer = function_in(stack, "Consumer", timeout=Duration.seconds(30))
    queue.grant_send(consumer)
    queue.consume(consumer)
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return queued()


def queue_ids(template: Template) -> tuple[str, str]:
    """The ids of the queue and of its dead letters."""
    (queue,) = (id for id, q in resources(template, QUEUE).items() if "RedrivePolicy" in q)
    (dead,) = (id for id in resources(template, QUEUE) if id != queue)
    return queue, dead


def test_the_events_that_match_go_whole_to_the_queue(template: Template) -> None:
    rule = only(template, RULE)
    (bus,) = resources(template, "AWS::Events::EventBus")
    queue, _ = queue_ids(template)
    (target,) = rule["Targets"]
    assert text(rule["EventBusName"]) == f"{{{bus}}}"
    assert rule["EventPattern"] == {"source": ["forms"], "detail-type": ["submission.created"]}
    assert text(target["Arn"]) == f"{{{queue}.Arn}}"
    assert target.keys().isdisjoint({"Input", "InputPath", "InputTransformer"})


def test_an_event_that_does_not_reach_the_queue_joins_the_dead_letters(template: Template) -> None:
    (target,) = only(template, RULE)["Targets"]
    queue, dead = queue_ids(template)
    assert text(target["DeadLetterConfig"]["Arn"]) == f"{{{dead}.Arn}}"
    assert target["RetryPolicy"] == {
        "MaximumEventAgeInSeconds": 86_400,
        "MaximumRetryAttempts": 185,
    }
    redrive = resources(template, QUEUE)[queue]["RedrivePolicy"]
    assert text(redrive["deadLetterTargetArn"]) == f"{{{dead}.Arn}}"


def test_only_the_rule_may_send_to_the_queues_and_nothing_goes_in_the_clear(
    template: Template,
) -> None:
    (rule,) = resources(template, RULE)
    policies = resources(template, "AWS::SQS::QueuePolicy").values()
    assert len(policies) == 2
    for policy in policies:
        deny, allow = policy["PolicyDocument"]["Statement"]
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        assert allow["Principal"] == {"Service": "events.amazonaws.com"}
        assert text(allow["Condition"]["ArnEquals"]["aws:SourceArn"]) == f"{{{rule}.Arn}}"
    assert all(q["SqsManagedSseEnabled"] is True for q in resources(template, QUEUE).values())


def test_a_consumer_may_consume_and_send_and_says_what_failed(template: Template) -> None:
    queue, _ = queue_ids(template)
    actions = ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage", "SendMessage")
    assert allowed(template, "ConsumerRole") == {
        (f"sqs:{action}", f"{{{queue}.Arn}}") for action in actions
    }
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_waiting_failing_and_losing_are_told() -> None:
    stack = new_stack()
    EventQueue(
        stack,
        "Work",
        bus=events.EventBus(stack, "Bus"),
        pattern=PATTERN,
        visibility=Duration.minutes(1),
        oldest=Duration.minutes(2),
        alarm_topic=sns.Topic(stack, "Alarms"),
    )
    template = template_of(stack)
    found = alarms(template)
    assert {name: (a["Threshold"], len(a["AlarmActions"])) for name, a in found.items()} == {
        "ApproximateAgeOfOldestMessage": (120, 1),
        "ApproximateNumberOfMessagesVisible": (1, 1),
        "FailedInvocations": (1, 1),
        "InvocationsFailedToBeSentToDlq": (1, 1),
    }
    (rule,) = resources(template, RULE)
    (bus,) = resources(template, "AWS::Events::EventBus")
    by_name = {d["Name"]: d["Value"] for d in found["FailedInvocations"]["Dimensions"]}
    assert text(by_name["EventBusName"]) == f"{{{bus}}}"
    part, (split, arn) = (
        by_name["RuleName"]["Fn::Select"][0],
        (by_name["RuleName"]["Fn::Select"][1]["Fn::Split"]),
    )
    assert (part, split, text(arn)) == (2, "/", f"{{{rule}.Arn}}")


@pytest.mark.parametrize(
    ("protection", "policy"), [(None, "RetainExceptOnCreate"), (Protection.throw_away(), "Delete")]
)
def test_waiting_events_are_as_protected_as_asked_for(
    protection: Protection | None, policy: str
) -> None:
    made = queued(protection=protection)["Resources"].values()
    assert {r["DeletionPolicy"] for r in made if r["Type"] == QUEUE} == {policy}


def test_the_bus_of_the_whole_account_is_refused() -> None:
    stack = new_stack()
    bus = events.EventBus.from_event_bus_name(stack, "Default", "default")
    with pytest.raises(ValueError, match="give the application one of its own"):
        EventQueue(stack, "Work", bus=bus, pattern=PATTERN, visibility=Duration.minutes(1))


def test_an_event_that_would_never_be_tried_is_refused() -> None:
    with pytest.raises(ValueError, match="at least once, not 0 times"):
        queued(attempts=0)


def test_a_queue_without_a_bus_or_a_topic_breaks_no_rule() -> None:
    stack = new_stack()
    MessageQueue(stack, "Work", visibility=Duration.minutes(1)).consume(function_in(stack))
    assert findings(stack) == set()


def test_an_event_queue_breaks_no_rule() -> None:
    stack = new_stack()
    EventQueue(
        stack,
        "Work",
        bus=events.EventBus(stack, "Bus"),
        pattern=PATTERN,
        visibility=Duration.minutes(1),
    ).consume(function_in(stack))
    assert findings(stack) == set()
