"""Topic of alarms: where they are told."""

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

_CLOUDWATCH = "cloudwatch.amazonaws.com"


class AlarmTopic(Construct):
    """A topic that the account's alarms may publish to, and nobody else; told by e-mail.

    It is encrypted with a key of its own, which costs a dollar a month. With `encrypted=False` it
    has none, for a stage that is thrown away: names and states of alarms are all that passes.

    Example::

        alarms = AlarmTopic(self, "Alarms", email="ops@example.com")
        SalesTable(self, "Sales", alarm_topic=alarms.topic)
    """

    def __init__(
        self, scope: Construct, id: str, *, email: str | None = None, encrypted: bool = True
    ) -> None:
        super().__init__(scope, id)
        key = self._key() if encrypted else None
        self.topic = sns.Topic(self, "Topic", master_key=key, enforce_ssl=True)
        alarms = Stack.of(self).format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name="*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        # A topic with a policy loses the default one that lets the account's alarms in.
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(_CLOUDWATCH)],
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                conditions={"ArnLike": {"aws:SourceArn": alarms}},
            )
        )
        if email:
            self.topic.add_subscription(subscriptions.EmailSubscription(email))

    def _key(self) -> kms.Key:
        # CloudWatch cannot publish through the AWS-managed key: its policy names no services.
        key = kms.Key(self, "Key", enable_key_rotation=True, removal_policy=RemovalPolicy.DESTROY)
        # As AWS documents it, without conditions: whether CloudWatch tells KMS for which account
        # it asks is not documented, and an alarm that may not use the key is lost in silence. Who
        # may publish is narrowed by the topic.
        key.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(_CLOUDWATCH)],
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                # In a key's own policy this is the key.
                resources=["*"],
            )
        )
        return key
