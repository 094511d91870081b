"""A queue of work for a function, with what failed beside it."""

from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import Protection

_CONSUME = ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage")


class MessageQueue(Construct):
    """Messages that wait in a queue until they are done.

    A message that was tried `attempts` times waits 14 days in `dead_letters`. `visibility` is how
    long a consumer may take before a message is given to another: AWS advises six times the
    consumer's timeout. A key of SQS encrypts both queues, at no monthly cost, and does not keep
    other services of AWS from sending to them.

    Example::

        queue = MessageQueue(self, "Deliveries", visibility=Duration.minutes(3))
        queue.grant_send(deliver.function)
        queue.consume(deliver.function, batch_size=10)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        visibility: Duration,
        attempts: int = 5,
        oldest: Duration | None = None,
        alarm_topic: sns.ITopic | None = None,
        protection: Protection | None = None,
    ) -> None:
        if attempts < 1:
            raise ValueError(f"a message is tried at least once, not {attempts} times")
        super().__init__(scope, id)
        self._visibility = visibility
        removal = (protection or Protection.protected()).removal_policy
        secure: dict[str, Any] = {
            "encryption": sqs.QueueEncryption.SQS_MANAGED,
            "enforce_ssl": True,
            "retention_period": Duration.days(14),
            "removal_policy": removal,
        }
        self.dead_letters = sqs.Queue(self, "DeadLetters", **secure)
        self.queue = sqs.Queue(
            self,
            "Queue",
            visibility_timeout=visibility,
            dead_letter_queue=sqs.DeadLetterQueue(
                max_receive_count=attempts, queue=self.dead_letters
            ),
            **secure,
        )
        self._watch(oldest or Duration.minutes(15), alarm_topic)

    @property
    def queue_url(self) -> str:
        """The address of the queue, for `Queue`."""
        return self.queue.queue_url

    def grant_send(self, grantee: iam.IGrantable) -> None:
        """Allow to send to the queue, and nothing else."""
        iam.Grant.add_to_principal(
            grantee=grantee, actions=["sqs:SendMessage"], resource_arns=[self.queue.queue_arn]
        ).assert_success()

    def consume(
        self,
        function: lambda_.IFunction,
        *,
        batch_size: int = 10,
        window: Duration | None = None,
        concurrency: int | None = None,
    ) -> lambda_.EventSourceMapping:
        """Give the messages to a function, which says by `batchItemFailures` which of them failed.

        `concurrency`, 2 or more, is how many batches may be worked on at once.

        Example::

            queue.consume(deliver.function, batch_size=10, window=Duration.seconds(1))
        """
        self._check_timeout(function)
        grant = iam.Grant.add_to_principal(
            grantee=function, actions=list(_CONSUME), resource_arns=[self.queue.queue_arn]
        )
        grant.assert_success()
        mapping = lambda_.EventSourceMapping(
            self,
            f"Mapping{function.node.addr[-8:]}",
            target=function,
            event_source_arn=self.queue.queue_arn,
            batch_size=batch_size,
            max_batching_window=window,
            max_concurrency=concurrency,
            report_batch_item_failures=True,
        )
        grant.apply_before(mapping)
        return mapping

    def _check_timeout(self, function: lambda_.IFunction) -> None:
        timeout = function.timeout if isinstance(function, lambda_.Function) else None
        if timeout and timeout.to_seconds() > self._visibility.to_seconds():
            raise ValueError(
                f"the function may take {timeout.to_seconds()} s, but a message is given to "
                f"another after {self._visibility.to_seconds()} s: choose a visibility of at "
                "least the function's timeout, better six times that"
            )

    def _watch(self, oldest: Duration, topic: sns.ITopic | None) -> None:
        alarm(
            self,
            "Waiting",
            metric=self.queue.metric_approximate_age_of_oldest_message(
                period=Duration.minutes(1), statistic="Maximum"
            ),
            threshold=oldest.to_seconds(),
            periods=5,
            breaching=3,
            describes=f"A message has waited for {oldest.to_seconds()} s or more.",
            topic=topic,
            essential=True,
        )
        alarm(
            self,
            "Failed",
            metric=self.dead_letters.metric_approximate_number_of_messages_visible(
                period=Duration.minutes(1), statistic="Maximum"
            ),
            threshold=1,
            describes="Messages were given up: mend their consumer, then redrive the queue.",
            topic=topic,
            essential=True,
        )
