"""Failure store: a bucket for the stream records that a consumer failed on."""

from typing import cast

from aws_cdk import Acknowledgment, Duration, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.protection import Protection


class FailureStore(Construct):
    """A bucket that Lambda writes given-up batches to, whole, and that forgets them in time.

    A queue or a topic would be told only where in the stream a batch was, which is worth nothing
    once the stream has dropped its records after 24 hours.

    Not versioned: an object goes once its records went through, and is not to come back. A bucket
    that still holds records refuses to be deleted with its stack, whatever its protection.

    Example::

        failures = FailureStore(self, "Failures", keep=Duration.days(30))
        failures.grant_put(function.role)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        keep: Duration | None = None,
        protection: Protection | None = None,
    ) -> None:
        super().__init__(scope, id)
        self.bucket = private_bucket(
            self,
            "Bucket",
            protection=protection or Protection.protected(),
            expires=keep or Duration.days(30),
            versioned=False,
            no_access_log="Empty while all is well: Lambda alone writes to it, and operators alone "
            "read from it.",
        )

    def grant_put(self, role: iam.IRole) -> iam.Grant:
        """Allow to add objects, and to see the bucket's list, which Lambda checks; no reading."""
        adds = iam.Grant.add_to_principal(
            grantee=role,
            actions=["s3:PutObject"],
            resource_arns=[self.bucket.arn_for_objects("aws/lambda/*")],
        )
        lists = iam.Grant.add_to_principal(
            grantee=role, actions=["s3:ListBucket"], resource_arns=[self.bucket.bucket_arn]
        )
        resource = cast("s3.CfnBucket", self.bucket.node.default_child)
        bucket = Stack.of(self).get_logical_id(resource)
        Validations.of(role).acknowledge(
            Acknowledgment(
                id=f"AwsSolutions-IAM5[Resource::<{bucket}.Arn>/aws/lambda/*]",
                reason="Lambda gives each object its name, by shard and time.",
            )
        )
        return adds.combine(lists)
