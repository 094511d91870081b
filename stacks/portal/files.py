"""Files of the portal's content, and the queue through which S3 reports those that arrive."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.portal.contract import FILES_PREFIX
from tablewright.constructs import MessageQueue, Protection, PythonFunction
from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.wildcards import acknowledge_wildcard


class PortalFiles(Construct):
    """A bucket that is uploaded to and downloaded from by signed addresses only.

    What is replaced or deleted is kept as long as the table can be taken back in time.

    Example::

        files = PortalFiles(self, "Files", visibility=Duration.minutes(6), protection=...)
        files.arrivals.consume(uploads.function)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        visibility: Duration,
        protection: Protection,
        cors_origins: Sequence[str] = (),
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self.arrivals = MessageQueue(
            self,
            "Arrivals",
            visibility=visibility,
            alarm_topic=alarm_topic,
            protection=protection,
        )
        self.bucket = private_bucket(
            self,
            "Bucket",
            protection=protection,
            cors_origins=cors_origins,
        )
        self._report_arrivals()

    @property
    def bucket_name(self) -> str:
        return self.bucket.bucket_name

    def grant(self, function: PythonFunction, *actions: str, lists: bool = False) -> None:
        """Allow these actions on the objects of content, and to list them."""
        objects = self.bucket.arn_for_objects(f"{FILES_PREFIX}*")
        iam.Grant.add_to_principal(
            grantee=function.role, actions=list(actions), resource_arns=[objects]
        ).assert_success()
        acknowledge_wildcard(
            function.role, objects, reason="An object is named after its content and its upload."
        )
        if lists:
            # Without a condition on the prefix, which only lists have: S3 would say of a missing
            # object that it is forbidden.
            iam.Grant.add_to_principal(
                grantee=function.role,
                actions=["s3:ListBucket"],
                resource_arns=[self.bucket.bucket_arn],
            ).assert_success()

    def _report_arrivals(self) -> None:
        """By the bucket's own setting: CDK's way needs a function that may change any bucket."""
        queue = self.arrivals.queue
        queue.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("s3.amazonaws.com")],
                actions=["sqs:SendMessage"],
                resources=[queue.queue_arn],
                # Not by the bucket's ARN: bucket and queue would wait for one another.
                conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            )
        )
        resource = cast(s3.CfnBucket, self.bucket.node.default_child)
        filter = s3.CfnBucket.NotificationFilterProperty(
            s3_key=s3.CfnBucket.S3KeyFilterProperty(
                rules=[s3.CfnBucket.FilterRuleProperty(name="prefix", value=FILES_PREFIX)]
            )
        )
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            queue_configurations=[
                s3.CfnBucket.QueueConfigurationProperty(
                    event="s3:ObjectCreated:*", queue=queue.queue_arn, filter=filter
                )
            ]
        )
        # S3 tries whether it may send before it takes the setting.
        policy = queue.node.find_child("Policy")
        resource.node.add_dependency(policy)
