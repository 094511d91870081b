"""Work waits until it is done, and what cannot be done is kept and told."""

from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_sns as sns

from tablewright.constructs import Protection, WorkQueue
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


def work(**props: Any) -> Template:
    """A queue with a publisher and a consumer."""
    stack = new_stack()
    queue = WorkQueue(stack, "Work", **{"visibility": Duration.minutes(3), **props})
    queue.grant_publish(function_in(stack, "Publisher"))
    queue.consume(function_in(stack, "Consumer", timeout=Duration.seconds(30)))
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return work()


def queue_ids(template: Template) -> tuple[str, str]:
    """The ids of the queue and of its dead letters."""
    (queue,) = (id for id, q in resources(template, QUEUE).items() if "RedrivePolicy" in q)
    (dead,) = (id for id in resources(template, QUEUE) if id != queue)
    return queue, dead


def test_a_message_that_keeps_failing_waits_two_weeks_with_the_dead_letters(
    template: Template,
) -> None:
    queue, dead = queue_ids(template)
    policy = resources(template, QUEUE)[queue]["RedrivePolicy"]
    assert policy["maxReceiveCount"] == 5
    assert text(policy["deadLetterTargetArn"]) == f"{{{dead}.Arn}}"
    assert resources(template, QUEUE)[dead]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_the_queue_gets_messages_as_they_were_published(template: Template) -> None:
    queue, dead = queue_ids(template)
    subscription = only(template, "AWS::SNS::Subscription")
    assert subscription["RawMessageDelivery"] is True
    assert text(subscription["Endpoint"]) == f"{{{queue}.Arn}}"
    # A message that never reached the queue is kept as well.
    assert text(subscription["RedrivePolicy"]["deadLetterTargetArn"]) == f"{{{dead}.Arn}}"


def test_everything_is_encrypted_with_keys_that_sns_can_deliver_through(
    template: Template,
) -> None:
    assert all(q["SqsManagedSseEnabled"] is True for q in resources(template, QUEUE).values())
    assert text(only(template, "AWS::SNS::Topic")["KmsMasterKeyId"]).endswith("alias/aws/sns")
    assert not resources(template, "AWS::KMS::Key")


def test_only_the_topic_may_send_to_the_queues_and_nothing_goes_in_the_clear(
    template: Template,
) -> None:
    (topic,) = resources(template, "AWS::SNS::Topic")
    policies = resources(template, "AWS::SQS::QueuePolicy").values()
    assert len(policies) == 2
    for policy in policies:
        deny, allow = policy["PolicyDocument"]["Statement"]
        assert deny["Effect"] == "Deny"
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        assert allow["Principal"] == {"Service": "sns.amazonaws.com"}
        assert text(allow["Condition"]["ArnEquals"]["aws:SourceArn"]) == f"{{{topic}}}"


def test_a_publisher_may_publish_and_a_consumer_may_consume_and_no_more(
    template: Template,
) -> None:
    (topic,) = resources(template, "AWS::SNS::Topic")
    queue, _ = queue_ids(template)
    assert allowed(template, "PublisherRole") == {("sns:Publish", f"{{{topic}}}")}
    assert allowed(template, "ConsumerRole") == {
        ("sqs:DeleteMessage", f"{{{queue}.Arn}}"),
        ("sqs:GetQueueAttributes", f"{{{queue}.Arn}}"),
        ("sqs:ReceiveMessage", f"{{{queue}.Arn}}"),
    }


def test_the_consumer_says_which_messages_of_a_batch_failed(template: Template) -> None:
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    queue, _ = queue_ids(template)
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BatchSize"] == 10
    assert text(mapping["EventSourceArn"]) == f"{{{queue}.Arn}}"


def test_batch_window_and_concurrency_can_be_chosen() -> None:
    stack = new_stack()
    queue = WorkQueue(stack, "Work", visibility=Duration.minutes(1))
    queue.consume(function_in(stack), batch_size=50, window=Duration.seconds(2), concurrency=4)
    mapping = only(template_of(stack), "AWS::Lambda::EventSourceMapping")
    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == (50, 2)
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 4}


def test_waiting_messages_and_dead_letters_are_told() -> None:
    stack = new_stack()
    topic = sns.Topic(stack, "Alarms")
    WorkQueue(
        stack,
        "Work",
        visibility=Duration.minutes(1),
        oldest=Duration.minutes(2),
        alarm_topic=topic,
    )
    template = template_of(stack)
    queue, dead = queue_ids(template)
    found = {
        name: (text(alarm["Dimensions"][0]["Value"]), alarm["Threshold"], alarm["AlarmActions"])
        for name, alarm in alarms(template).items()
    }
    (told,) = (id for id in resources(template, "AWS::SNS::Topic") if id.startswith("Alarms"))
    assert found == {
        "ApproximateAgeOfOldestMessage": (f"{{{queue}.QueueName}}", 120, [{"Ref": told}]),
        "ApproximateNumberOfMessagesVisible": (f"{{{dead}.QueueName}}", 1, [{"Ref": told}]),
    }


def test_a_queue_has_no_name_that_another_stage_could_take(template: Template) -> None:
    assert "TopicName" not in only(template, "AWS::SNS::Topic")
    assert only(work(topic_name="mine"), "AWS::SNS::Topic")["TopicName"] == "mine"


@pytest.mark.parametrize(
    ("protection", "policy"), [(None, "RetainExceptOnCreate"), (Protection.throw_away(), "Delete")]
)
def test_waiting_work_is_as_protected_as_asked_for(
    protection: Protection | None, policy: str
) -> None:
    made = work(protection=protection)["Resources"].values()
    assert {r["DeletionPolicy"] for r in made if r["Type"] == QUEUE} == {policy}


def test_a_consumer_that_outlasts_the_visibility_is_refused() -> None:
    stack = new_stack()
    queue = WorkQueue(stack, "Work", visibility=Duration.seconds(20))
    with pytest.raises(ValueError, match="may take 30 s, but a message is given to another"):
        queue.consume(function_in(stack, timeout=Duration.seconds(30)))


def test_a_message_that_would_never_be_tried_is_refused() -> None:
    with pytest.raises(ValueError, match="at least once, not 0 times"):
        work(attempts=0)


def test_a_queue_breaks_no_rule() -> None:
    stack = new_stack()
    WorkQueue(stack, "Work", visibility=Duration.minutes(1)).consume(function_in(stack))
    assert findings(stack) == set()
