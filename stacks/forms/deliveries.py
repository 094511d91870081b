"""Deliveries: submissions as events on a bus, in a queue, to their destinations."""

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.forms.contract import CREATED, ON, REFERENCES, SOURCE, DeliverEnvironment
from stacks.forms.payload_bucket import PayloadBucket
from stacks.shared.stage import Stage
from stacks.shared.system_function import FormsFunction
from stacks.shared.tenant_secrets import TenantSecrets
from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.stream import CREATED_SUBMISSIONS
from tablewright.catalog.forms.tenants import HOOK_KEYS
from tablewright.constructs import EventPipe, EventQueue, PythonFunction
from tablewright.constructs.wildcards import acknowledge_wildcard

# Ten seconds for a webhook, the rest for AWS; an attempt is another's after two minutes.
_TIMEOUT = Duration.minutes(1)
# Each delivery has a function to itself: what one tenant's receiver takes, no other waits for.
_BATCH = 1
# And they leave room in the account for those who take submissions in.
_AT_ONCE = 100


class FormDeliveries(Construct):
    """The bus of the form system, and the function that delivers what is published there.

    Example::

        deliveries = FormDeliveries(self, "Deliveries", stage=stage, table=forms,
                                    payloads=payloads, secrets=secrets, alarm_topic=topic)
        deliveries.queue.grant_send(admin.function)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        table: FormsTable,
        payloads: PayloadBucket,
        secrets: TenantSecrets,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._stage = stage
        self.bus = events.EventBus(self, "Bus", event_bus_name=f"tablewright-{stage.name}-forms")
        self.pipe = EventPipe(
            self,
            "Pipe",
            table=table,
            bus=self.bus,
            source=SOURCE,
            detail_type=CREATED,
            entity="Submission",
            fields=REFERENCES,
            filters=CREATED_SUBMISSIONS,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=alarm_topic,
            protection=stage.protection,
        )
        self.queue = EventQueue(
            self,
            "Queue",
            bus=self.bus,
            pattern=events.EventPattern(source=[SOURCE], detail_type=[CREATED]),
            visibility=Duration.seconds(6 * _TIMEOUT.to_seconds()),
            # A delivery waits up to a quarter of an hour for its next attempt.
            oldest=Duration.minutes(45),
            alarm_topic=alarm_topic,
            protection=stage.protection,
        )
        self.deliver = self._deliver(table, payloads, secrets, alarm_topic)
        at_once = self.deliver.reserved_concurrency or _AT_ONCE
        self.queue.consume(self.deliver.function, batch_size=_BATCH, concurrency=at_once)

    def _deliver(
        self,
        table: FormsTable,
        payloads: PayloadBucket,
        secrets: TenantSecrets,
        alarm_topic: sns.ITopic | None,
    ) -> PythonFunction:
        settings = self._stage.forms
        environment = DeliverEnvironment(
            forms_table=table.table_name,
            payloads_bucket=payloads.bucket_name,
            secrets_prefix=secrets.prefix,
            deliveries_queue_url=self.queue.queue_url,
            event_bus_name=self.bus.event_bus_name,
            mail_from=settings.mail_from or "",
            retry_first_seconds=str(settings.retry_first_seconds),
            local_webhooks=ON if settings.local_webhooks else None,
        )
        deliver = FormsFunction(
            self,
            "Deliver",
            "handlers.deliver",
            stage=self._stage,
            environment=environment.variables(),
            timeout=_TIMEOUT,
            alarm_topic=alarm_topic,
        )
        table.grant(
            deliver.function,
            *(Forms.get_submission, Forms.update_submission, Forms.submission_attempts),
            *(Forms.put_attempt, Forms.get_attempt, Forms.update_attempt),
            *(Forms.get_config, Forms.get_shards),
            *(Forms.get_destination, Forms.update_destination),
        )
        payloads.grant(deliver, "s3:GetObject")
        secrets.grant_read(deliver, HOOK_KEYS)
        self.queue.grant_send(deliver.function)
        # A delivery that failed comes back by the queue, for days if need be.
        deliver.let_loop()
        self._let_reach_destinations(deliver)
        return deliver

    def _let_reach_destinations(self, deliver: PythonFunction) -> None:
        """What a tenant names is reached only where the stage names it too."""
        stack, settings = Stack.of(self), self._stage.forms
        buses = [self.bus.event_bus_arn, *(_bus_arn(stack, name) for name in settings.buses)]
        _allow(deliver, "events:PutEvents", buses)
        if settings.mail_from:
            domain = settings.mail_from.rpartition("@")[2]
            # SES goes by the address where it knows that, else by its domain.
            identities = [
                stack.format_arn(service="ses", resource="identity", resource_name=name)
                for name in (settings.mail_from, domain)
            ]
            _allow(deliver, "ses:SendEmail", identities)
        if settings.buckets:
            objects = [f"arn:{stack.partition}:s3:::{name}/*" for name in settings.buckets]
            _allow(deliver, "s3:PutObject", objects)
            for arn in objects:
                acknowledge_wildcard(
                    deliver.role, arn, reason="Objects are named after tenant, form and submission."
                )


def _allow(function: PythonFunction, action: str, resources: list[str]) -> None:
    iam.Grant.add_to_principal(
        grantee=function.role, actions=[action], resource_arns=resources
    ).assert_success()


def _bus_arn(stack: Stack, name: str) -> str:
    if name.startswith("arn:"):
        return name
    return stack.format_arn(service="events", resource="event-bus", resource_name=name)
