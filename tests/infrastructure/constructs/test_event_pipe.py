"""Changes become events that say which item it was; what fails is kept and told."""

import json
from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.sentiment.items import Items
from tablewright.constructs import EventPipe, Protection
from tablewright.constructs.streams.event_references import detail_template
from tests.infrastructure.constructs.building_blocks import (
    IN_IRELAND,
    KeysOnly,
    Readings,
    Unstreamed,
    alarms,
    findings,
    table_in,
)
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    id_of,
    new_stack,
    one,
    only,
    resources,
    statements,
    template_of,
    text,
)

PIPE = "AWS::Pipes::Pipe"
INSERTED = {"eventName": ["INSERT"]}
OF_READINGS: dict[str, Any] = {
    "source": "meters",
    "detail_type": "reading.made",
    "entity": "Reading",
    "fields": ("unit", "at"),
    "filters": [INSERTED],
}


def piped(**props: Any) -> Template:
    stack = new_stack()
    bus = events.EventBus(stack, "Bus")
    EventPipe(stack, "Events", table=table_in(stack), bus=bus, **{**OF_READINGS, **props})
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return piped()


def stream(template: Template) -> dict[str, Any]:
    found: dict[str, Any] = only(template, PIPE)["SourceParameters"]["DynamoDBStreamParameters"]
    return found


def test_it_leads_from_the_stream_to_the_bus(template: Template) -> None:
    pipe = only(template, PIPE)
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    (bus,) = resources(template, "AWS::Events::EventBus")
    assert text(pipe["Source"]) == f"{{{table}.StreamArn}}"
    assert text(pipe["Target"]) == f"{{{bus}.Arn}}"
    assert pipe["TargetParameters"]["EventBridgeEventBusParameters"] == {
        "Source": "meters",
        "DetailType": "reading.made",
    }


def test_an_event_has_the_named_fields_and_nothing_else(template: Template) -> None:
    assert only(template, PIPE)["TargetParameters"]["InputTemplate"] == (
        '{"unit": <$.dynamodb.NewImage.unit.S>, "at": <$.dynamodb.NewImage.at.N>}'
    )


def test_only_what_matches_a_filter_becomes_an_event() -> None:
    patterns: list[dict[str, Any]] = [
        INSERTED,
        {"dynamodb": {"Keys": {"PK": {"S": [{"prefix": "METER#"}]}}}},
    ]
    filters = only(piped(filters=patterns), PIPE)["SourceParameters"]["FilterCriteria"]["Filters"]
    assert [json.loads(each["Pattern"]) for each in filters] == patterns


def test_a_batch_is_tried_again_and_halved_while_the_stream_has_it(template: Template) -> None:
    (dead,) = resources(template, "AWS::SQS::Queue")
    found = dict(stream(template))
    assert text(found.pop("DeadLetterConfig")["Arn"]) == f"{{{dead}.Arn}}"
    assert found == {
        "StartingPosition": "TRIM_HORIZON",
        "BatchSize": 10,
        "MaximumRecordAgeInSeconds": 6 * 3600,
        "MaximumRetryAttempts": -1,
        "OnPartialBatchItemFailure": "AUTOMATIC_BISECT",
        "ParallelizationFactor": 1,
    }


def test_batches_and_patience_can_be_chosen() -> None:
    found = stream(
        piped(
            batch_size=5,
            window=Duration.seconds(2),
            oldest=Duration.hours(1),
            attempts=3,
            parallelization=4,
        )
    )
    assert (found["BatchSize"], found["MaximumBatchingWindowInSeconds"]) == (5, 2)
    assert (found["MaximumRecordAgeInSeconds"], found["MaximumRetryAttempts"]) == (3600, 3)
    assert found["ParallelizationFactor"] == 4


def test_the_role_may_read_the_stream_put_on_the_bus_and_tell_and_nothing_else(
    template: Template,
) -> None:
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    (bus,) = resources(template, "AWS::Events::EventBus")
    (dead,) = resources(template, "AWS::SQS::Queue")
    (group,) = resources(template, "AWS::Logs::LogGroup")
    reads = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
    assert allowed(template, "EventsRole") == {
        *((f"dynamodb:{read}", f"{{{table}.StreamArn}}") for read in reads),
        ("events:PutEvents", f"{{{bus}.Arn}}"),
        ("sqs:SendMessage", f"{{{dead}.Arn}}"),
        ("logs:CreateLogStream", f"{{{group}.Arn}}"),
        ("logs:PutLogEvents", f"{{{group}.Arn}}"),
    }
    (trust,) = one(template, "AWS::IAM::Role", "EventsRole")["AssumeRolePolicyDocument"][
        "Statement"
    ]
    assert trust["Principal"] == {"Service": "pipes.amazonaws.com"}
    assert text(trust["Condition"]["StringEquals"]["aws:SourceAccount"]) == "{AWS::AccountId}"


def test_the_pipe_waits_for_the_permissions_that_are_checked(template: Template) -> None:
    policy = id_of(template, "AWS::IAM::Policy", "EventsRole")
    (pipe,) = (r for r in template["Resources"].values() if r["Type"] == PIPE)
    assert policy in pipe["DependsOn"]


def test_a_table_with_its_own_key_is_read_through_dynamodb_only() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = table_in(stack, encryption_key=kms.Key(stack, "Key"))
    EventPipe(stack, "Events", table=table, bus=events.EventBus(stack, "Bus"), **OF_READINGS)
    template = template_of(stack)
    (use,) = (s for s in statements(template, "EventsRole") if "kms:Decrypt" in s["Action"])
    (key,) = resources(template, "AWS::KMS::Key")
    assert text(use["Resource"]) == f"{{{key}.Arn}}"
    (service,) = use["Condition"]["StringEquals"].values()
    assert text(service).startswith("dynamodb.eu-west-1.")


def test_errors_are_logged_without_the_items(template: Template) -> None:
    (group,) = resources(template, "AWS::Logs::LogGroup")
    configured = only(template, PIPE)["LogConfiguration"]
    destination = configured.pop("CloudwatchLogsLogDestination")
    assert text(destination["LogGroupArn"]) == f"{{{group}.Arn}}"
    assert configured == {"Level": "ERROR"}
    assert resources(template, "AWS::Logs::LogGroup")[group]["RetentionInDays"] == 30


def test_failing_falling_behind_and_giving_up_are_told() -> None:
    stack = new_stack()
    topic = sns.Topic(stack, "Topic")
    bus = events.EventBus(stack, "Bus")
    EventPipe(
        stack,
        "Events",
        table=table_in(stack, protection=Protection.recoverable()),
        bus=bus,
        alarm_topic=topic,
        **OF_READINGS,
    )
    template = template_of(stack)
    (pipe,) = resources(template, PIPE)
    (dead,) = resources(template, "AWS::SQS::Queue")
    found = {
        name: (
            alarm["Namespace"],
            {d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]},
            len(alarm["AlarmActions"]),
        )
        for name, alarm in alarms(template).items()
    }
    of_pipe = ("AWS/EventBridge/Pipes", {"PipeName": f"{{{pipe}}}"}, 1)
    assert found == {
        "ExecutionFailed": of_pipe,
        "ExecutionPartiallyFailed": of_pipe,
        "ExecutionThrottled": of_pipe,
        "ExecutionTimeout": of_pipe,
        "ApproximateNumberOfMessagesVisible": (
            "AWS/SQS",
            {"QueueName": f"{{{dead}.QueueName}}"},
            1,
        ),
    }


@pytest.mark.parametrize(
    ("protection", "policy"), [(None, "RetainExceptOnCreate"), (Protection.throw_away(), "Delete")]
)
def test_what_was_given_up_is_as_protected_as_asked_for(
    protection: Protection | None, policy: str
) -> None:
    made = piped(protection=protection)["Resources"].values()
    assert {r["DeletionPolicy"] for r in made if r["Type"] == "AWS::SQS::Queue"} == {policy}


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"source": "aws.meters"}, "AWS's own: choose one without"),
        ({"batch_size": 11}, "1 to 10 events at once"),
        ({"oldest": Duration.hours(24)}, "forgets a change after 24 hours"),
        ({"oldest": Duration.seconds(59)}, "a minute or more"),
        ({"attempts": -1}, "choose 0 to 10000 attempts, or None"),
        ({"parallelization": 11}, "parallelization of 1 to 10"),
        ({"filters": []}, "give 1 to 5 filters"),
        ({"filters": [INSERTED] * 6}, "give 1 to 5 filters"),
        ({"filters": [{"eventName": ["x" * 4096]}]}, "4096 characters"),
        ({"entity": "Meter"}, "'Meter' is no entity of table design 'readings': choose one of"),
        ({"fields": ()}, "name at least one field of Reading"),
        ({"fields": ("volts",)}, "'volts' is no field of Reading: choose from meter, at, unit"),
    ],
)
def test_what_could_not_work_is_refused(props: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        piped(**props)


@pytest.mark.parametrize(
    ("entity", "field", "message"),
    [
        ("Submission", "data", "'data' is Binary and may be large"),
        ("Submission", "domain", "'domain' is optional"),
        ("DeliveryAttempt", "destination_id", "stands in the item's keys only"),
        ("TenantConfig", "forms", "'forms' is Document and may be large"),
    ],
)
def test_an_event_carries_nothing_but_references_that_are_always_there(
    entity: str, field: str, message: str
) -> None:
    stack = new_stack()
    forms = FormsTable(stack, "Forms")
    with pytest.raises(ValueError, match=message):
        EventPipe(
            stack,
            "Events",
            table=forms,
            bus=events.EventBus(stack, "Bus"),
            **{**OF_READINGS, "entity": entity, "fields": (field,)},
        )


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Unstreamed, "has no stream to consume: declare one"),
        (KeysOnly, "streams KEYS_ONLY, without"),
    ],
)
def test_a_table_whose_stream_does_not_tell_the_fields_is_refused(
    kind: type[Readings], message: str
) -> None:
    stack = new_stack()
    table = table_in(stack, kind)
    with pytest.raises(ValueError, match=message):
        EventPipe(stack, "Events", table=table, bus=events.EventBus(stack, "Bus"), **OF_READINGS)


def test_a_pipe_breaks_no_rule() -> None:
    stack = new_stack()
    bus = events.EventBus(stack, "Bus")
    EventPipe(stack, "Events", table=table_in(stack), bus=bus, **OF_READINGS)
    assert findings(stack) == set()


def test_a_secret_is_not_told_in_an_event() -> None:
    with pytest.raises(ValueError, match="'text_snippet' is secret: who needs it reads the item"):
        detail_template(Items.__design__, "Item", ["text_snippet"])
