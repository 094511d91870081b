"""Audit of a stage: whether the account still is as the stage's templates promise."""

import json
from collections.abc import Sequence
from dataclasses import replace

from aws_cdk import ArnFormat, CfnOutput, Duration, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from constructs import Construct

from lambdas.audit.contract import (
    AUDIT_FAILURES,
    REPORTS_PREFIX,
    AuditEnvironment,
    TenantRole,
)
from stacks.operations import OperationsStack
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.constructs import AlarmLevel, PythonFunction, Source
from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.alarms.missed_runs import missed_runs_alarm
from tablewright.constructs.functions.bundling import PythonCode
from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.wildcards import acknowledge_wildcard

_SERVICES = ("cloudformation", "dynamodb", "events", "iam", "lambda", "logs", "pipes", "s3")
# At night, when nobody deploys: a stream keeps its records for a day.
_NIGHTLY = events.Schedule.cron(hour="3", minute="17")
_DAY = Duration.days(1)


class AuditStack(StageStack):
    """A function that audits other stacks every night, its reports, and an alarm.

    Example::

        AuditStack(app, stage=stage, operations=operations, stacks=[sales, forms],
                   tenant_roles=[TenantRole("…:Sales", sales.stack_name, "TenantAccess", "tenant")])
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        operations: OperationsStack,
        stacks: Sequence[Stack],
        tenant_roles: Sequence[TenantRole],
    ) -> None:
        super().__init__(scope, "audit", stage=stage)
        if stage.alarms is AlarmLevel.ALL:
            # It runs for seconds a night: that it failed is enough.
            AlarmLevel.ESSENTIAL.apply_to(self)
        topic = operations.alarm_topic
        reports = private_bucket(
            self,
            "Reports",
            protection=stage.protection,
            expires=Duration.days(400),
            versioned=False,
        )
        names = [stack.stack_name for stack in stacks]
        environment = AuditEnvironment(
            stacks=json.dumps(names),
            tenant_roles=json.dumps(tenant_roles),
            reports_bucket=reports.bucket_name,
        )
        audit = PythonFunction(
            self,
            "Audit",
            system="audit",
            handler="lambdas.audit.handlers.run_audit.handler",
            code=_code(stage),
            environment=environment.variables(),
            timeout=Duration.minutes(5),
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=topic,
        )
        self._let_read(audit.role, stage, names)
        self._let_describe(audit.role, stacks)
        self._allow(
            audit.role,
            ("s3:PutObject",),
            reports.arn_for_objects(f"{REPORTS_PREFIX}*"),
            "A report is named after its moment.",
        )
        failures = FailedEvents(self, "EventFailures", protection=stage.protection, topic=topic)
        Schedule(self, "Nightly", _NIGHTLY, function=audit, failures=failures)
        runs = audit.function.metric_invocations(period=_DAY)
        missed_runs_alarm(self, runs=runs, every=_DAY, topic=topic)
        alarm(
            self,
            "NotAsPromised",
            metric=audit.own_metric(AUDIT_FAILURES, period=Duration.hours(1)),
            threshold=1,
            describes="Something was changed by hand, or a tenant can reach another: read the "
            "newest report of the audit.",
            topic=topic,
            essential=True,
        )
        CfnOutput(self, "AuditFunction", value=audit.function.function_name)
        CfnOutput(self, "ReportsBucket", value=reports.bucket_name)
        CfnOutput(self, "FailedEvents", value=failures.queue.queue_arn)

    def _let_read(self, role: iam.Role, stage: Stage, stacks: Sequence[str]) -> None:
        """What is looked at is found in the stacks, so its names are known by their beginnings."""
        for name in stacks:
            stack = self.format_arn(
                service="cloudformation", resource="stack", resource_name=f"{name}/*"
            )
            actions = ("cloudformation:GetTemplate", "cloudformation:ListStackResources")
            self._allow(role, actions, stack, "The end of a stack's ARN is generated.")
        made = stage.stack_name("*")
        reason = "The names of what a stage has begin with the stage's."
        roles = self.format_arn(service="iam", region="", resource="role", resource_name=made)
        self._allow(role, ("iam:GetRolePolicy", "iam:ListRolePolicies"), roles, reason)
        actions = ("s3:GetBucketPublicAccessBlock", "s3:GetEncryptionConfiguration")
        self._allow(role, actions, f"arn:{self.partition}:s3:::{made}", reason)
        groups = self.format_arn(
            service="logs",
            resource="log-group",
            resource_name="*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        self._allow(role, ("logs:DescribeLogGroups",), groups, "A list, of names and settings.")
        generated = "The names of triggers are generated, and their states are no secret."
        for service, action, resource in (
            ("events", "DescribeRule", "rule"),
            ("pipes", "DescribePipe", "pipe"),
        ):
            arn = self.format_arn(service=service, resource=resource, resource_name="*")
            self._allow(role, (f"{service}:{action}",), arn, generated)
        mappings = self.format_arn(
            service="lambda",
            resource="event-source-mapping",
            resource_name="*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        self._allow(role, ("lambda:GetEventSourceMapping",), mappings, generated)

    def _let_describe(self, role: iam.Role, stacks: Sequence[Stack]) -> None:
        tables = [
            self.format_arn(service="dynamodb", resource="table", resource_name=one.table_name)
            for stack in stacks
            for one in stack.node.find_all()
            if isinstance(one, dynamodb.CfnGlobalTable)
        ]
        actions = ("Table", "ContinuousBackups", "TimeToLive")
        iam.Grant.add_to_principal(
            grantee=role,
            actions=[f"dynamodb:Describe{what}" for what in actions],
            resource_arns=tables,
        ).assert_success()

    def _allow(self, role: iam.Role, actions: Sequence[str], arn: str, reason: str) -> None:
        iam.Grant.add_to_principal(
            grantee=role, actions=list(actions), resource_arns=[arn]
        ).assert_success()
        acknowledge_wildcard(role, arn, reason=reason)


def _code(stage: Stage) -> PythonCode:
    """With the part of the library's commands that decides what policies allow."""
    code = stage.code("audit", services=_SERVICES)
    parts = ("tablewright/isolation", "tablewright/designs")
    added = (Source(stage.root / part, part) for part in parts)
    return replace(code, sources=(*code.sources, *added))
