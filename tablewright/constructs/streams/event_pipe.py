"""Changes of a table as events on a bus: which item it was, never what was in it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Validations
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_pipes as pipes
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import KEPT, Protection
from tablewright.constructs.service_principals import own_account_service
from tablewright.constructs.streams.access import grant_stream, stream_of
from tablewright.constructs.streams.event_references import check_filters, detail_template
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.constructs.vended_logs import vended_log_group

# PutEvents takes no more at once.
_MOST_EVENTS = 10
# Stands for no limit.
_UNLIMITED = -1
_Bus = pipes.CfnPipe.PipeTargetEventBridgeEventBusParametersProperty
_Stream = pipes.CfnPipe.PipeSourceDynamoDBStreamParametersProperty
_WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")


class EventPipe(Construct):
    """Puts an event on a bus for each change of a table that matches one of the filters.

    The event's detail has these `fields` of the entity and nothing else: a reader that needs more
    reads the item. Numbers arrive as text, as they are in the stream.

    A batch that the bus does not take is tried again, halved on the way, until its oldest record is
    `oldest` old; that is well before the stream forgets it. `attempts` gives up sooner, which
    frees the records behind it, and risks more of them when the bus is out of reach. What was
    given up is told in `dead_letters`, by its place in the stream, which keeps it for 24 hours.

    Example::

        EventPipe(self, "Events", table=forms, bus=bus, source="tablewright.forms",
                  detail_type="submission.created", entity="Submission",
                  fields=("tenant_id", "submission_id"),
                  filters=[{"eventName": ["INSERT"],
                            "dynamodb": {"Keys": {"SK": {"S": [{"prefix": "SUB#"}]}}}}])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        bus: events.IEventBus,
        source: str,
        detail_type: str,
        entity: str,
        fields: Sequence[str],
        filters: Sequence[Mapping[str, Any]],
        batch_size: int = _MOST_EVENTS,
        window: Duration | None = None,
        oldest: Duration | None = None,
        attempts: int | None = None,
        parallelization: int = 1,
        log_level: str = "ERROR",
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = KEPT,
        alarm_topic: sns.ITopic | None = None,
        protection: Protection | None = None,
    ) -> None:
        stream = stream_of(table)
        oldest = oldest or Duration.hours(6)
        check_filters(filters)
        _check_limits(source, batch_size, oldest, attempts, parallelization)
        template = detail_template(table.design, entity, fields)
        super().__init__(scope, id)
        self._topic = alarm_topic
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
            removal_policy=(protection or Protection.protected()).removal_policy,
        )
        Validations.of(self.dead_letters).acknowledge(
            Acknowledgment(id="AwsSolutions-SQS3", reason="It is itself where failures are kept.")
        )
        log_group = vended_log_group(self, "Logs", retention=log_retention, removal=log_removal)
        self.role = iam.Role(
            self,
            "Role",
            description="Reads the stream of a table and puts events on a bus.",
            assumed_by=own_account_service(self, "pipes"),
        )
        self.pipe = pipes.CfnPipe(
            self,
            "Pipe",
            role_arn=self.role.role_arn,
            source=stream,
            source_parameters=pipes.CfnPipe.PipeSourceParametersProperty(
                filter_criteria=_criteria(filters),
                dynamo_db_stream_parameters=_Stream(
                    # LATEST would pass over what is written while the pipe is being made.
                    starting_position="TRIM_HORIZON",
                    batch_size=batch_size,
                    maximum_batching_window_in_seconds=window.to_seconds() if window else None,
                    maximum_record_age_in_seconds=oldest.to_seconds(),
                    maximum_retry_attempts=_UNLIMITED if attempts is None else attempts,
                    on_partial_batch_item_failure="AUTOMATIC_BISECT",
                    parallelization_factor=parallelization,
                    dead_letter_config=pipes.CfnPipe.DeadLetterConfigProperty(
                        arn=self.dead_letters.queue_arn
                    ),
                ),
            ),
            target=bus.event_bus_arn,
            target_parameters=pipes.CfnPipe.PipeTargetParametersProperty(
                input_template=template,
                event_bridge_event_bus_parameters=_Bus(source=source, detail_type=detail_type),
            ),
            # Without the execution data, which is the items.
            log_configuration=pipes.CfnPipe.PipeLogConfigurationProperty(
                level=log_level,
                cloudwatch_logs_log_destination=pipes.CfnPipe.CloudwatchLogsLogDestinationProperty(
                    log_group_arn=log_group.log_group_arn
                ),
            ),
        )
        # A pipe that may not yet read its stream cannot be made.
        for grant in (
            grant_stream(table, self.role),
            self._allow("events:PutEvents", on=bus.event_bus_arn),
            self._allow("sqs:SendMessage", on=self.dead_letters.queue_arn),
            self._allow(*_WRITE_LOGS, on=log_group.log_group_arn),
        ):
            grant.apply_before(self.pipe)
        self._watch()

    @property
    def pipe_name(self) -> str:
        """The name of the pipe."""
        return self.pipe.ref

    def _allow(self, *actions: str, on: str) -> iam.Grant:
        return iam.Grant.add_to_principal(
            grantee=self.role, actions=list(actions), resource_arns=[on]
        )

    def _watch(self) -> None:
        """Pipes do not measure how old what they read is: only what keeps them from going on."""
        failing = "The bus does not take events: while it does not, those behind them wait."
        behind = "The pipe falls behind the stream: its executions are held back."
        slow = "The pipe falls behind the stream: its executions take too long."
        for id, name, describes in (
            ("Failing", "ExecutionFailed", failing),
            ("PartlyFailing", "ExecutionPartiallyFailed", failing),
            ("Throttled", "ExecutionThrottled", behind),
            ("TimedOut", "ExecutionTimeout", slow),
        ):
            # One failure is tried again and gone; it counts when it goes on.
            self._alarm(id, metric=self._metric(name), describes=describes, periods=5, breaching=3)
        self._alarm(
            "GivenUp",
            metric=self.dead_letters.metric_approximate_number_of_messages_visible(
                period=Duration.minutes(1), statistic="Maximum"
            ),
            describes="Changes were given up: the stream has them for 24 hours after they were "
            "made.",
            essential=True,
        )

    def _metric(self, name: str) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace="AWS/EventBridge/Pipes",
            metric_name=name,
            dimensions_map={"PipeName": self.pipe_name},
            statistic="Sum",
            period=Duration.minutes(1),
        )

    def _alarm(self, id: str, **props: Any) -> None:
        alarm(self, id, threshold=1, topic=self._topic, **props)


def _criteria(filters: Sequence[Mapping[str, Any]]) -> pipes.CfnPipe.FilterCriteriaProperty:
    patterns = (json.dumps(pattern) for pattern in filters)
    return pipes.CfnPipe.FilterCriteriaProperty(
        filters=[pipes.CfnPipe.FilterProperty(pattern=pattern) for pattern in patterns]
    )


def _check_limits(
    source: str, batch_size: int, oldest: Duration, attempts: int | None, parallelization: int
) -> None:
    if source.startswith("aws."):
        raise ValueError(f"the source '{source}' is AWS's own: choose one without 'aws.'")
    if not 1 <= batch_size <= _MOST_EVENTS:
        raise ValueError(
            f"a bus takes 1 to {_MOST_EVENTS} events at once: choose such a batch_size, "
            f"not {batch_size}"
        )
    if not 60 <= oldest.to_seconds() < Duration.hours(24).to_seconds():
        raise ValueError(
            "the stream forgets a change after 24 hours: choose an `oldest` of a minute or more, "
            f"and less than that, not {oldest.to_seconds():.0f} s"
        )
    if attempts is not None and not 0 <= attempts <= 10_000:
        raise ValueError(
            f"choose 0 to 10000 attempts, or None for as many as fit into `oldest`, not {attempts}"
        )
    if not 1 <= parallelization <= 10:
        raise ValueError(f"choose a parallelization of 1 to 10, not {parallelization}")
