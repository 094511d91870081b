"""The scheduled audit on a deployed stack: it passes, and says what somebody changed by hand."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_pipes as pipes
from aws_cdk import aws_sqs as sqs

from lambdas.audit.checks import checks_of
from lambdas.audit.contract import AuditEnvironment, TenantRole
from lambdas.audit.handlers import run_audit
from lambdas.audit.promises import RULE, Promise
from tablewright.catalog.forms.constructs import FormsTable
from tablewright.constructs import Protection
from tablewright.constructs.private_bucket import private_bucket
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tests.infrastructure.catalog.test_forms import OF_TENANTS
from tests.infrastructure.synthesis import new_stack, template_of
from tests.integration.functions import Around
from tests.integration.gaps.clouds import Cloud, deploy

STACK, TABLE, REPORTS = "audited-stage", "stage-forms", "audit-reports"
# What a run calls: its role is compared with these.
CALLED = {
    *(("cloudformation", name) for name in ("GetTemplate", "ListStackResources")),
    *(("dynamodb", f"Describe{what}") for what in ("Table", "ContinuousBackups", "TimeToLive")),
    *(("s3", name) for name in ("GetPublicAccessBlock", "GetBucketEncryption", "PutObject")),
    *(("iam", name) for name in ("ListRolePolicies", "GetRolePolicy")),
    ("logs", "DescribeLogGroups"),
    *(("events", "DescribeRule"), ("lambda", "GetEventSourceMapping"), ("pipes", "DescribePipe")),
}
SERVICES = {service for service, _ in CALLED}
NOW = datetime(2026, 1, 31, 5, tzinfo=UTC)


class Recorded:
    """A client that notes what it is asked for."""

    def __init__(self, service: str, caller: Caller, calls: set[tuple[str, str]]) -> None:
        self._service = service
        self._caller = caller
        self._calls = calls

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self._calls.add((self._service, operation))
        return self._caller.call(operation, params)


class AuditedStage:
    """A table, a bucket, logs and a role for tenants, and the function that audits them."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.calls: set[tuple[str, str]] = set()
        template = {"Resources": template_of(_stack())["Resources"]}
        ids = deploy(cloud, STACK, template)

        def named(beginning: str) -> str:
            found = [name for name in ids if name.startswith(beginning) and "Policy" not in name]
            (name,) = found
            return ids[name]

        self.role, self.logs, self.bucket = map(named, ("FormsAccessRole", "Logs", "Files"))
        self.rule, self.mapping, self.pipe = map(named, ("Rule", "Mapping", "Pipe"))
        cloud.client("s3").create_bucket(
            Bucket=REPORTS, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        design = "tablewright.catalog.forms.design:Forms"
        self.environment = AuditEnvironment(
            stacks=json.dumps([STACK]),
            tenant_roles=json.dumps([TenantRole(design, STACK, "FormsAccessRole", "tenant_id")]),
            reports_bucket=REPORTS,
        )

    def resources(self) -> run_audit.Resources:
        clients: dict[str, Caller] = {
            name: Recorded(name, Boto3Client(self.cloud.client(name)), self.calls)
            for name in SERVICES
        }
        return run_audit.Resources(self.environment, clients.__getitem__, lambda: NOW)

    def wrong(self) -> list[tuple[str, Any, Any]]:
        checks = run_audit.audited(self.resources())
        return [(one.point, one.promised, one.found) for one in checks if not one.holds]


def _stack() -> Stack:
    stack = new_stack()
    protection = Protection(
        removal_policy=Protection.throw_away().removal_policy,
        deletion_protection=True,
        recovery_days=35,
        backups=None,
    )
    forms = FormsTable(stack, "Forms", table_name=TABLE, protection=protection)
    function = iam.Role(stack, "Function", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    forms.tenant_access_role("Access", *OF_TENANTS, assumed_by=function, session_tag="tenant_id")
    private_bucket(stack, "Files", protection=Protection.throw_away())
    logs.LogGroup(stack, "Logs", retention=logs.RetentionDays.ONE_MONTH)
    _add_triggers(stack, role=function)
    return stack


def _add_triggers(stack: Stack, *, role: iam.Role) -> None:
    """A rule, a mapping and a pipe: switched off, each stops a system without an error."""
    bus = events.EventBus(stack, "Bus")
    events.CfnRule(stack, "Rule", schedule_expression="rate(1 day)")
    queue = sqs.Queue(stack, "Source")
    worker = lambda_.Function(
        stack,
        "Worker",
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): pass"),
        role=role,
    )
    lambda_.CfnEventSourceMapping(
        stack, "Mapping", function_name=worker.function_name, event_source_arn=queue.queue_arn
    )
    pipes.CfnPipe(
        stack, "Pipe", role_arn=role.role_arn, source=queue.queue_arn, target=bus.event_bus_arn
    )


@pytest.fixture(scope="module")
def stage(cloud: Cloud) -> AuditedStage:
    return AuditedStage(cloud)


def test_what_is_as_it_was_deployed_passes_and_is_reported(
    stage: AuditedStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_audit, "resources", stage.resources)
    answer = run_audit.handler({}, Around())
    assert stage.calls == CALLED
    assert answer == {"checks": 12, "wrong": 0, "report": "reports/2026-01-31/050000.md"}
    read = stage.cloud.client("s3").get_object
    report = read(Bucket=REPORTS, Key=answer["report"])["Body"].read().decode()
    assert "12 checks, 0 wrong." in report
    whole = json.loads(read(Bucket=REPORTS, Key="reports/2026-01-31/050000.json")["Body"].read())
    assert {one["point"] for one in whole["listed"]} == {
        *("deletion protection", "encryption by KMS", "point-in-time recovery", "expiry"),
        *("public access blocked", "encryption", "days that logs are kept"),
        *("tenants that reach others", "switched on"),
    }


CHANGES = (
    *("rule", "mapping", "pipe"),
    *("point-in-time recovery", "expiry", "deletion protection"),
    *("days that logs are kept", "public access blocked", "tenants that reach others"),
)


@contextmanager
def changed(stage: AuditedStage, what: str) -> Iterator[None]:
    """By hand, and put back."""
    client = stage.cloud.client
    dynamo, s3_, iam_ = client("dynamodb"), client("s3"), client("iam")

    def recovery(on: bool) -> None:
        dynamo.update_continuous_backups(
            TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": on}
        )

    def expiry(on: bool) -> None:
        dynamo.update_time_to_live(
            TableName=TABLE, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": on}
        )

    def protection(on: bool) -> None:
        dynamo.update_table(TableName=TABLE, DeletionProtectionEnabled=on)

    def kept(on: bool) -> None:
        client("logs").put_retention_policy(
            logGroupName=stage.logs, retentionInDays=30 if on else 3653
        )

    def closed(on: bool) -> None:
        names = (
            "BlockPublicAcls",
            "IgnorePublicAcls",
            "BlockPublicPolicy",
            "RestrictPublicBuckets",
        )
        s3_.put_public_access_block(
            Bucket=stage.bucket, PublicAccessBlockConfiguration=dict.fromkeys(names, on)
        )

    def narrow(on: bool) -> None:
        statement = {"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "*"}
        if on:
            iam_.delete_role_policy(RoleName=stage.role, PolicyName="planted")
        else:
            document = json.dumps({"Statement": [statement]})
            iam_.put_role_policy(RoleName=stage.role, PolicyName="planted", PolicyDocument=document)

    def rule(on: bool) -> None:
        switch = client("events").enable_rule if on else client("events").disable_rule
        switch(Name=stage.rule)

    def mapping(on: bool) -> None:
        client("lambda").update_event_source_mapping(UUID=stage.mapping, Enabled=on)

    def pipe(on: bool) -> None:
        switch = client("pipes").start_pipe if on else client("pipes").stop_pipe
        switch(Name=stage.pipe)

    switch = {
        "rule": rule,
        "mapping": mapping,
        "pipe": pipe,
        "point-in-time recovery": recovery,
        "expiry": expiry,
        "deletion protection": protection,
        "days that logs are kept": kept,
        "public access blocked": closed,
        "tenants that reach others": narrow,
    }[what]
    switch(False)
    try:
        yield
    finally:
        switch(True)


def test_what_was_changed_by_hand_is_found(stage: AuditedStage) -> None:
    with ExitStack() as all_of_them:
        for what in CHANGES:
            all_of_them.enter_context(changed(stage, what))
        expected = [*CHANGES[3:], *(["switched on"] * 3)]
        assert sorted(point for point, _, _ in stage.wrong()) == sorted(expected)
    assert stage.wrong() == []


def test_rule_of_a_bus_is_looked_up_on_its_bus() -> None:
    """CloudFormation names such a rule `bus|rule`; the local cloud names it without its bus."""
    calls: list[tuple[str, Any]] = []

    class Events:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            calls.append((operation, params))
            return {"State": "DISABLED"}

    promise = Promise(STACK, RULE, "orders|stage-Rule-1", {})
    (check,) = checks_of(promise, lambda service: Events())
    assert (check.promised, check.found) == (True, False)
    assert calls == [("DescribeRule", {"Name": "stage-Rule-1", "EventBusName": "orders"})]
