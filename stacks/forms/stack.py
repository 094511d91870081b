"""Forms of many tenants: taken in, delivered, counted, and managed by the tenants themselves."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_iam as iam
from constructs import Construct

from lambdas.contract import RECORDS_KEPT, Environment
from lambdas.forms.contract import (
    ADMIN_ROUTES,
    ON,
    PLANNER_FAILURES,
    SESSION_TAG,
    SUBMIT_ROUTES,
    AdminEnvironment,
    CountEnvironment,
    PlanEnvironment,
    SubmitEnvironment,
    VerifyEnvironment,
)
from stacks.forms.deliveries import FormDeliveries
from stacks.forms.payload_bucket import PayloadBucket
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from stacks.shared.stage_api import StageApi
from stacks.shared.stage_stack import StageStack
from stacks.shared.system_function import FormsFunction
from stacks.shared.table_key import TableKey
from stacks.shared.tenant_secrets import TenantSecrets
from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.stream import COUNTED_CHANGES, REMOVED_PAYLOADS
from tablewright.catalog.forms.tenants import SIGNING_KEYS
from tablewright.constructs import (
    CursorKey,
    PythonFunction,
    StreamConsumer,
)
from tablewright.constructs.alarms.alarms import alarm

SIGNED = "Every request is signed with a secret of its tenant, which the function verifies."
# What a tenant manages, and sees of what became of its submissions.
OF_A_TENANT = (
    *(Forms.put_config, Forms.get_config, Forms.update_config),
    *(Forms.put_claim, Forms.get_claim, Forms.update_claim, Forms.delete_claim),
    Forms.tenant_domains,
    *(Forms.put_destination, Forms.get_destination, Forms.update_destination),
    *(Forms.delete_destination, Forms.destinations, Forms.destinations_by_type),
    *(Forms.put_secret, Forms.get_secret, Forms.update_secret, Forms.secrets),
    *(Forms.put_submission, Forms.get_submission, Forms.update_submission),
    *(Forms.submissions, Forms.submissions_by_status, Forms.submissions_by_form),
    *(Forms.put_attempt, Forms.submission_attempts, Forms.destination_attempts),
    Forms.daily_metrics,
)
# What is no tenant's in particular.
SHARED = (*(Forms.tenants, Forms.day_of_tenants, Forms.delete_domain),)


class FormsStack(StageStack):
    """The table of all tenants, and the functions around it.

    The function of the admin API reaches a tenant's items, payloads and secrets only by a session
    of that tenant's.

    Example::

        FormsStack(app, stage=stage, identity=identity, operations=operations, keys={})
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        identity: IdentityStack,
        operations: OperationsStack,
        keys: Mapping[str, TableKey],
    ) -> None:
        super().__init__(scope, "forms", stage=stage)
        self._stage = stage
        self._topic = operations.alarm_topic
        name, key = f"{stage.name}-FormBridgeData", keys.get("forms")
        options = stage.table_options(self, name, system="forms", key=key, alarm_topic=self._topic)
        self.table = FormsTable(self, "Forms", **options)
        self.tables = (self.table,)
        self._payloads = PayloadBucket(
            self, "Payloads", protection=stage.protection, cors_origins=stage.cors_origins
        )
        self._secrets = TenantSecrets(self, "Secrets", prefix=f"{stage.name}/forms/")
        self.deliveries = FormDeliveries(
            self,
            "Deliveries",
            stage=stage,
            table=self.table,
            payloads=self._payloads,
            secrets=self._secrets,
            alarm_topic=self._topic,
        )
        self._failures = FailedEvents(
            self, "EventFailures", protection=stage.protection, topic=self._topic
        )
        counting = self._count()
        self._plan()
        self.http = http = self._api(identity)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "FormsTable", value=self.table.table_name)
        CfnOutput(self, "PayloadsBucket", value=self._payloads.bucket_name)
        CfnOutput(self, "EventBus", value=self.deliveries.bus.event_bus_name)
        CfnOutput(self, "DeliveriesQueue", value=self.deliveries.queue.queue.queue_arn)
        CfnOutput(self, "DeadLetters", value=self.deliveries.queue.dead_letters.queue_arn)
        CfnOutput(self, "GivenUpEvents", value=self.deliveries.pipe.dead_letters.queue_arn)
        CfnOutput(self, "FailedEvents", value=self._failures.queue.queue_arn)
        CfnOutput(self, "FailuresBucket", value=counting.failures.bucket_name)

    def _count(self) -> StreamConsumer:
        environment = CountEnvironment(
            forms_table=self.table.table_name, payloads_bucket=self._payloads.bucket_name
        )
        count = self._function("Count", "count_changes", environment, timeout=Duration.minutes(1))
        self.table.grant(
            count.function,
            *(Forms.count_daily, Forms.count_hourly),
            *(Forms.get_submission, Forms.get_attempt, Forms.get_request),
        )
        self._payloads.grant(count, "s3:DeleteObject")
        CfnOutput(self, "CountFunction", value=count.function.function_name)
        return StreamConsumer(
            self,
            "Counting",
            table=self.table,
            function=count.function,
            filters=(*COUNTED_CHANGES, *REMOVED_PAYLOADS),
            window=self._stage.stream_window,
            give_up_after=self._stage.give_up_after,
            kept=count.own_metric(RECORDS_KEPT, period=Duration.minutes(5)),
            protection=self._stage.protection,
            alarm_topic=self._topic,
        )

    def _plan(self) -> None:
        environment = PlanEnvironment(
            forms_table=self.table.table_name, shard_rules=self._stage.forms.shard_rules
        )
        plan = self._function("Plan", "plan_shards", environment, timeout=Duration.minutes(5))
        self.table.grant(
            plan.function,
            *(Forms.tenants, Forms.get_shards, Forms.begin_shards, Forms.append_shards),
            *(Forms.daily_metrics, Forms.hourly_metrics),
        )
        plan.let_go_on()
        every = Duration.hours(self._stage.forms.plan_hours)
        Schedule(self, "Planning", every, function=plan, failures=self._failures, topic=self._topic)
        alarm(
            self,
            "PlanFailures",
            metric=plan.own_metric(PLANNER_FAILURES, period=every),
            threshold=1,
            describes="The shards of a tenant could not be decided: it keeps those that it has.",
            topic=self._topic,
        )
        CfnOutput(self, "PlanFunction", value=plan.function.function_name)

    def _verify(self) -> PythonFunction:
        environment = VerifyEnvironment(
            forms_table=self.table.table_name, local_domains=self._local()
        )
        verify = self._function(
            "Verify", "verify_domains", environment, timeout=Duration.minutes(2)
        )
        lookups = (Forms.put_domain, Forms.get_domain, Forms.update_domain, Forms.delete_domain)
        self.table.grant(verify.function, Forms.due_claims, *lookups, shared=True)
        claims = (Forms.get_claim, Forms.update_claim)
        self.table.grant(verify.function, *claims, keys=["TENANT#*"])
        Schedule(
            self,
            "Verifying",
            Duration.minutes(5),
            function=verify,
            failures=self._failures,
            topic=self._topic,
        )
        CfnOutput(self, "VerifyFunction", value=verify.function.function_name)
        return verify

    def _api(self, identity: IdentityStack) -> StageApi:
        admin = self._admin(identity.cursor_key)
        http = StageApi(
            self,
            "HttpApi",
            "forms",
            stage=self._stage,
            identity=identity,
            function=admin,
            routes=ADMIN_ROUTES,
            alarm_topic=self._topic,
        )
        http.add_routes(self._submit().function, SUBMIT_ROUTES, open_because=SIGNED)
        return http

    def _submit(self) -> PythonFunction:
        days = self._stage.forms.submission_days
        environment = SubmitEnvironment(
            forms_table=self.table.table_name,
            payloads_bucket=self._payloads.bucket_name,
            secrets_prefix=self._secrets.prefix,
            submission_days=str(days) if days else None,
        )
        submit = self._function(
            "Submit",
            "submit",
            environment,
            timeout=Duration.seconds(20),
            memory_mb=1769,
            wants_token=False,
        )
        self.table.grant(
            submit.function,
            *(Forms.get_domain, Forms.get_config, Forms.secrets, Forms.get_shards),
            *(Forms.count_request, Forms.claim_request, Forms.get_request, Forms.finish_request),
            *(Forms.get_submission, Forms.put_submission),
        )
        # An upload is put by whoever has the address, in this function's name.
        self._payloads.grant(submit, "s3:PutObject", "s3:DeleteObject")
        self._payloads.grant_uploads(submit)
        self._secrets.grant_read(submit, SIGNING_KEYS)
        return submit

    def _admin(self, cursor_key: CursorKey) -> PythonFunction:
        verify = self._verify()
        admin = self._function(
            "Admin", "admin", timeout=Duration.seconds(29), slow=Duration.seconds(3)
        )
        access = self.table.tenant_access_role(
            "TenantAccess",
            *OF_A_TENANT,
            assumed_by=admin.role,
            session_tag=SESSION_TAG,
            scope=self,
        )
        environment = AdminEnvironment(
            forms_table=self.table.table_name,
            payloads_bucket=self._payloads.bucket_name,
            secrets_prefix=self._secrets.prefix,
            deliveries_queue_url=self.deliveries.queue.queue_url,
            cursor_secret_arn=cursor_key.secret_arn,
            verify_function=verify.function.function_name,
            tenant_role_arn=access.role_arn,
            local_webhooks=self._local(),
            page_limit=self._stage.told_page_limit,
        )
        admin.add_environment(environment.variables())
        CfnOutput(self, "TenantRole", value=access.role_arn)
        self._secrets.grant_manage(access)
        self._payloads.grant_tenant(access)
        self.table.grant(admin.function, *SHARED, shared=True)
        self.deliveries.queue.grant_send(admin.function)
        iam.Grant.add_to_principal(
            grantee=admin.role,
            actions=["lambda:InvokeFunction"],
            resource_arns=[verify.function.function_arn],
        ).assert_success()
        cursor_key.grant_read(admin.function)
        return admin

    def _local(self) -> str | None:
        """What switches on what is for this machine only."""
        return ON if self._stage.forms.local_webhooks else None

    def _function(
        self,
        id: str,
        module: str,
        environment: Environment | None = None,
        *,
        timeout: Duration,
        slow: Duration | None = None,
        memory_mb: int = 1024,
        wants_token: bool = True,
    ) -> PythonFunction:
        return FormsFunction(
            self,
            id,
            f"handlers.{module}",
            stage=self._stage,
            environment=environment.variables() if environment else {},
            timeout=timeout,
            slow=slow,
            memory_mb=memory_mb,
            wants_token=wants_token,
            alarm_topic=self._topic,
        )
