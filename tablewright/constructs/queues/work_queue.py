"""Work handed from one function to another: a topic, the queue behind it, and what failed."""

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from tablewright.constructs.protection import Protection
from tablewright.constructs.queues.message_queue import MessageQueue


class WorkQueue(MessageQueue):
    """A topic whose messages wait in a queue, as they were published, until they are done.

    A message that was tried `attempts` times, or that never reached the queue, waits 14 days in
    `dead_letters`. `visibility` is how long a consumer may take before a message is given to
    another: AWS advises six times the consumer's timeout.

    Keys that AWS keeps encrypt everything, at no monthly cost: the topic the account's SNS key,
    which every principal here that may publish may use, the queues one of SQS, which SNS may
    deliver to. AWS services cannot publish to such a topic; for them it would need its own key.

    Example::

        work = WorkQueue(self, "Analysis", visibility=Duration.minutes(3))
        work.grant_publish(ingestion.function)
        work.consume(analysis.function, batch_size=10)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        visibility: Duration,
        topic_name: str | None = None,
        attempts: int = 5,
        oldest: Duration | None = None,
        alarm_topic: sns.ITopic | None = None,
        protection: Protection | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            visibility=visibility,
            attempts=attempts,
            oldest=oldest,
            alarm_topic=alarm_topic,
            protection=protection,
        )
        self.topic = sns.Topic(
            self,
            "Topic",
            topic_name=topic_name,
            master_key=kms.Alias.from_alias_name(self, "Key", "alias/aws/sns"),
            enforce_ssl=True,
        )
        self.topic.add_subscription(
            subscriptions.SqsSubscription(
                self.queue, raw_message_delivery=True, dead_letter_queue=self.dead_letters
            )
        )

    @property
    def topic_arn(self) -> str:
        """The ARN of the topic, for `Topic`."""
        return self.topic.topic_arn

    def grant_publish(self, grantee: iam.IGrantable) -> None:
        """Allow to publish to the topic; its key allows itself to whoever may."""
        iam.Grant.add_to_principal(
            grantee=grantee, actions=["sns:Publish"], resource_arns=[self.topic_arn]
        ).assert_success()
