"""No stage breaks a rule unacknowledged, and each rule of our own can be broken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from aws_cdk import Acknowledgment, App, Duration, Stack, Validations
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

from stacks.shared.failed_events import FailedEvents
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.constructs import TableAlarms
from tablewright.constructs.nag import RULE_IDS, TablewrightChecks
from tests.infrastructure.synthesis import STAGES, VARIANTS, Assembly, context, synthesize_stage

# What is for the one who deploys prod to settle: that nobody is told, that there are no replicas.
UNTOLD, ALONE = "Annotation::tablewright:alarmEmail", "Annotation::tablewright:replicas"
WARNED = {"prod": {UNTOLD, ALONE}, **{name: {UNTOLD} for name in VARIANTS}}


@pytest.mark.parametrize(
    "name",
    [*STAGES, *(pytest.param(n, marks=pytest.mark.thorough) for n in VARIANTS)],
)
def test_no_finding_is_left_unacknowledged(name: str, stage: Callable[[str], Assembly]) -> None:
    assert stage(name).findings() == WARNED.get(name, set())


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dev", "staging", "prod-accelerated"])
def test_every_acknowledgement_answers_a_finding(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acknowledged: set[str] = set()

    def record(_: Validations, *rules: Acknowledgment) -> None:
        acknowledged.update(rule.id for rule in rules)

    monkeypatch.setattr(Validations, "acknowledge", record)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        synthesize_stage(name, tmp_path)
    # CloudFormation's own rules are not asked here.
    answered = {id for id in acknowledged if not id.startswith("CloudFormation-")}
    assert Assembly(tmp_path).findings() - {UNTOLD, ALONE} == answered


def findings(stack: Stack) -> set[str]:
    report = TablewrightChecks().validate_scope(stack)
    return {violation.rule_name for violation in report.violations}


def sales_table(stack: Stack) -> tuple[SalesTable, dynamodb.CfnGlobalTable]:
    table = SalesTable(stack, "Sales")
    return table, cast(dynamodb.CfnGlobalTable, table.table.node.default_child)


def consumer(stack: Stack, **options: Any) -> None:
    table = dynamodb.TableV2(
        stack,
        "Streamed",
        partition_key=dynamodb.Attribute(name="PK", type=dynamodb.AttributeType.STRING),
        dynamo_stream=dynamodb.StreamViewType.NEW_IMAGE,
    )
    function = lambda_.Function(
        stack,
        "Consumer",
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
    )
    props = {
        "starting_position": lambda_.StartingPosition.LATEST,
        "bisect_batch_on_error": True,
        "report_batch_item_failures": True,
        "on_failure": sources.SqsDlq(sqs.Queue(stack, "Failed")),
        **options,
    }
    function.add_event_source(sources.DynamoEventSource(table, **props))


TABLE_RULES = set(RULE_IDS[:5])


def no_recovery(_: SalesTable, table: dynamodb.CfnGlobalTable) -> None:
    table.replicas = [
        dynamodb.CfnGlobalTable.ReplicaSpecificationProperty(
            region="eu-west-1", deletion_protection_enabled=True
        )
    ]


def unprotected(_: SalesTable, table: dynamodb.CfnGlobalTable) -> None:
    recovery = dynamodb.CfnGlobalTable.PointInTimeRecoverySpecificationProperty(
        point_in_time_recovery_enabled=True
    )
    table.replicas = [
        dynamodb.CfnGlobalTable.ReplicaSpecificationProperty(
            region=region,
            deletion_protection_enabled=region == "eu-west-1",
            point_in_time_recovery_specification=recovery,
        )
        for region in ("eu-west-1", "us-east-1")
    ]


def unencrypted(_: SalesTable, table: dynamodb.CfnGlobalTable) -> None:
    table.sse_specification = None


def everlasting(_: SalesTable, table: dynamodb.CfnGlobalTable) -> None:
    table.time_to_live_specification = None


def wrong_expiry(_: SalesTable, table: dynamodb.CfnGlobalTable) -> None:
    table.time_to_live_specification = dynamodb.CfnGlobalTable.TimeToLiveSpecificationProperty(
        enabled=True, attribute_name="created"
    )


def one_alarm_short(sales: SalesTable, _: dynamodb.CfnGlobalTable) -> None:
    assert sales.node.find_child("Alarms").node.try_remove_child("Throttles")


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (no_recovery, "PointInTimeRecovery"),
        (unprotected, "DeletionProtection"),
        (unencrypted, "Encryption"),
        (everlasting, "TimeToLive"),
        (wrong_expiry, "TimeToLive"),
        (one_alarm_short, "ThrottleAlarms"),
    ],
)
def test_a_bad_table_breaks_the_rule_and_no_other(
    spoil: Callable[[SalesTable, dynamodb.CfnGlobalTable], None], rule: str
) -> None:
    stack = Stack(App(context=context()), "Test")
    sales, table = sales_table(stack)
    assert findings(stack) == set()
    spoil(sales, table)
    assert findings(stack) == {f"Tablewright-{rule}"}


def test_alarms_of_another_table_do_not_count() -> None:
    stack = Stack(App(context=context()), "Test")
    sales, _ = sales_table(stack)
    alarms = sales.node.find_child("Alarms")
    assert alarms.node.try_remove_child("Throttles")
    TableAlarms(stack, "Others", design=sales.design, table_name="another")
    assert findings(stack) == {"Tablewright-ThrottleAlarms"}


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"on_failure": None}, "FailureDestination"),
        ({"bisect_batch_on_error": False}, "BisectBatch"),
        ({"report_batch_item_failures": False}, "PartialBatch"),
    ],
)
def test_a_careless_stream_consumer_breaks_the_rule(options: dict[str, Any], rule: str) -> None:
    stack = Stack(App(context=context()), "Test")
    consumer(stack, **options)
    assert findings(stack) - TABLE_RULES == {f"Tablewright-{rule}"}


def test_a_careful_stream_consumer_breaks_none() -> None:
    stack = Stack(App(context=context()), "Test")
    consumer(stack)
    assert findings(stack) - TABLE_RULES == set()


def test_a_consumer_of_a_queue_is_none_of_our_business() -> None:
    stack = Stack(App(context=context()), "Test")
    lambda_.CfnEventSourceMapping(
        stack,
        "Mapping",
        function_name="f",
        event_source_arn="arn:aws:sqs:eu-west-1:111122223333:queue",
    )
    assert findings(stack) == set()


def scheduled(stack: Stack, *, kept: bool) -> None:
    function = lambda_.Function(
        stack,
        "Scheduled",
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
    )
    every = events.Schedule.rate(Duration.hours(1))
    events.Rule(stack, "Rule", schedule=every, targets=[targets.LambdaFunction(function)])
    if kept:
        FailedEvents(stack, "Failed").keep_of(function)


def test_a_scheduled_function_whose_failures_are_dropped_breaks_the_rule() -> None:
    stack = Stack(App(context=context()), "Test")
    scheduled(stack, kept=False)
    assert findings(stack) == {"Tablewright-KeptEvents"}


def test_one_whose_failures_are_kept_breaks_none() -> None:
    stack = Stack(App(context=context()), "Test")
    scheduled(stack, kept=True)
    assert findings(stack) == set()


@pytest.mark.parametrize(
    ("principal", "broken"),
    [
        ("sns.amazonaws.com", True),
        ("s3.amazonaws.com", True),
        ("apigateway.amazonaws.com", False),
    ],
)
def test_whoever_waits_for_an_answer_needs_nothing_kept(principal: str, broken: bool) -> None:
    stack = Stack(App(context=context()), "Test")
    lambda_.CfnPermission(
        stack, "May", action="lambda:InvokeFunction", function_name="f", principal=principal
    )
    assert findings(stack) == ({"Tablewright-KeptEvents"} if broken else set())


def test_an_acknowledged_rule_is_quiet() -> None:
    stack = Stack(App(context=context()), "Test")
    sales, table = sales_table(stack)
    unencrypted(sales, table)
    Validations.of(sales).acknowledge(
        Acknowledgment(id="Tablewright-Encryption", reason="Public data.")
    )
    assert findings(stack) == set()
