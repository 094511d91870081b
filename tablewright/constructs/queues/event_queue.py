"""Events of a bus that wait in a queue for the function that works on them."""

from aws_cdk import Duration, Fn
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import Protection
from tablewright.constructs.queues.message_queue import MessageQueue

_DEFAULT_BUS = "default"


class EventQueue(MessageQueue):
    """The events of a bus that match a pattern, each whole, in a queue until they are done.

    Everything that `MessageQueue` has. An event that EventBridge cannot bring to the queue within
    a day joins the `dead_letters` too.

    Example::

        deliveries = EventQueue(
            self, "Deliveries", bus=bus, visibility=Duration.minutes(3),
            pattern=events.EventPattern(
                source=["tablewright.forms"], detail_type=["submission.created"]
            ),
        )
        deliveries.consume(deliver.function, batch_size=10)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        bus: events.IEventBus,
        pattern: events.EventPattern,
        visibility: Duration,
        attempts: int = 5,
        oldest: Duration | None = None,
        alarm_topic: sns.ITopic | None = None,
        protection: Protection | None = None,
    ) -> None:
        if bus.event_bus_name == _DEFAULT_BUS:
            raise ValueError(
                "the default bus carries the events of the whole account: give the application "
                'one of its own, for example events.EventBus(self, "Bus")'
            )
        super().__init__(
            scope,
            id,
            visibility=visibility,
            attempts=attempts,
            oldest=oldest,
            alarm_topic=alarm_topic,
            protection=protection,
        )
        self.rule = events.Rule(
            self,
            "Rule",
            event_bus=bus,
            event_pattern=pattern,
            targets=[
                targets.SqsQueue(
                    self.queue,
                    dead_letter_queue=self.dead_letters,
                    max_event_age=Duration.hours(24),
                    retry_attempts=185,
                )
            ],
        )
        alarm(
            self,
            "NotQueued",
            metric=self._metric("FailedInvocations", bus),
            threshold=1,
            describes="Events did not reach the queue.",
            topic=alarm_topic,
        )
        alarm(
            self,
            "Lost",
            metric=self._metric("InvocationsFailedToBeSentToDlq", bus),
            threshold=1,
            describes="Events reached no queue: they are lost.",
            topic=alarm_topic,
            essential=True,
        )

    def _metric(self, name: str, bus: events.IEventBus) -> cloudwatch.Metric:
        # On a bus of its own a rule's id is not its name; its ARN ends with rule/BUS/NAME.
        rule = Fn.select(2, Fn.split("/", self.rule.rule_arn))
        return cloudwatch.Metric(
            namespace="AWS/Events",
            metric_name=name,
            dimensions_map={"EventBusName": bus.event_bus_name, "RuleName": rule},
            statistic="Sum",
            period=Duration.minutes(5),
        )
