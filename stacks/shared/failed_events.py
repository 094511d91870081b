"""Failure destination of functions that are invoked asynchronously."""

import jsii
from aws_cdk import Acknowledgment, Duration, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from tablewright.constructs import Protection
from tablewright.constructs.alarms.alarms import alarm


class FailedEvents(Construct):
    """Keeps, for 14 days, the events that functions failed on three times, and tells of them.

    Only of events that are handed over asynchronously, runs by the clock among them: whoever waits
    for an answer is told.

    Example::

        failed = FailedEvents(self, "EventFailures", protection=stage.protection, topic=topic)
        failed.keep_of(clean.function, "Clean")
        CfnOutput(self, "FailedEvents", value=failed.queue.queue_arn)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        protection: Protection | None = None,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._topic = topic
        self.queue = sqs.Queue(
            self,
            "Queue",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
            removal_policy=(protection or Protection.protected()).removal_policy,
        )
        Validations.of(self.queue).acknowledge(
            Acknowledgment(
                id="AwsSolutions-SQS3",
                reason="The queue is itself where failures go; operators alone take from it.",
            )
        )
        alarm(
            self,
            "NotTaken",
            metric=self.queue.metric_approximate_number_of_messages_visible(
                period=Duration.minutes(1), statistic="Maximum"
            ),
            threshold=1,
            describes="Events, or runs by the clock, failed three times and are kept: mend the "
            "cause, then send the events again.",
            topic=topic,
            essential=True,
        )

    def keep_of(self, function: lambda_.IFunction, name: str = "") -> None:
        """Keep what this function fails on; several functions are told apart by a name."""
        grant = iam.Grant.add_to_principal(
            grantee=function, actions=["sqs:SendMessage"], resource_arns=[self.queue.queue_arn]
        )
        grant.assert_success()
        config = lambda_.EventInvokeConfig(
            self,
            f"{name}Config",
            function=function,
            on_failure=_SentTo(self.queue),
            retry_attempts=2,
        )
        # Lambda refuses a destination that the function may not yet send to.
        grant.apply_before(config)

    def watch(self, function: lambda_.IFunction) -> None:
        """Tell of events that could not be kept either: for those that nothing brings back."""
        alarm(
            self,
            "NotKept",
            metric=function.metric(
                "DestinationDeliveryFailures", period=Duration.minutes(5), statistic="Sum"
            ),
            threshold=1,
            describes="Events that failed three times could not be kept.",
            topic=self._topic,
        )


@jsii.implements(lambda_.IDestination)
class _SentTo:
    """The queue as a destination; CDK's own would let the function ask about it as well."""

    def __init__(self, queue: sqs.IQueue) -> None:
        self._queue = queue

    def bind(
        self, scope: Construct, fn: lambda_.IFunction, *, type: lambda_.DestinationType
    ) -> lambda_.DestinationConfig:
        return lambda_.DestinationConfig(destination=self._queue.queue_arn)
