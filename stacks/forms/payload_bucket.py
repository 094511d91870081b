"""Bucket of the payloads that do not fit into their items."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.catalog.forms.submissions import LINK_DAYS, LINKS, UPLOAD_DAYS, UPLOADS
from tablewright.constructs import Protection, PythonFunction, TenantAccessRole
from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.wildcards import acknowledge_wildcard


class PayloadBucket(Construct):
    """A bucket whose objects belong to items of a table: each is there before its item is.

    What is overwritten or deleted is kept as long as the table can be taken back in time, so that
    a restored item finds its payload. Uploads that nobody submits are removed after a day, and so
    is what was laid out for a link.

    Example::

        payloads = PayloadBucket(self, "Payloads", protection=stage.protection)
        payloads.grant(submit, "s3:PutObject")
        payloads.grant_uploads(submit)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        protection: Protection,
        cors_origins: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        self.bucket = private_bucket(
            self,
            "Bucket",
            protection=protection,
            cors_origins=cors_origins,
            rules=[
                s3.LifecycleRule(
                    prefix=prefix,
                    expiration=Duration.days(days),
                    noncurrent_version_expiration=Duration.days(days)
                    if protection.recovery_days
                    else None,
                )
                for prefix, days in ((UPLOADS, UPLOAD_DAYS), (LINKS, LINK_DAYS))
            ],
        )

    @property
    def bucket_name(self) -> str:
        return self.bucket.bucket_name

    def grant(self, function: PythonFunction, *actions: str) -> None:
        """Allow these actions on the objects, and nothing on the bucket itself."""
        self._allow(function, "*", actions)

    def grant_tenant(self, access: TenantAccessRole) -> None:
        """Allow to read the payloads of the one tenant that a session is of, and to lay them out
        for a link."""
        read = access.grant_objects(self.bucket, "s3:GetObject")
        link = access.grant_objects(self.bucket, "s3:GetObject", "s3:PutObject", prefix=LINKS)
        for arn in (read, link):
            acknowledge_wildcard(access.role, arn, reason="Payloads of the session's own tenant.")

    def grant_uploads(self, function: PythonFunction) -> None:
        """Allow to read uploads, and to learn which of them there are not."""
        self._allow(function, f"{UPLOADS}*", ["s3:GetObject"])
        # Without it S3 says that a missing object is forbidden, as it would say of all of them if
        # the function might not read any. A condition on the prefix holds for lists alone.
        iam.Grant.add_to_principal(
            grantee=function.role,
            actions=["s3:ListBucket"],
            resource_arns=[self.bucket.bucket_arn],
        ).assert_success()

    def _allow(self, function: PythonFunction, objects: str, actions: Sequence[str]) -> None:
        arn = self.bucket.arn_for_objects(objects)
        iam.Grant.add_to_principal(
            grantee=function.role, actions=list(actions), resource_arns=[arn]
        ).assert_success()
        acknowledge_wildcard(
            function.role, arn, reason="An object is named after its tenant and submission."
        )
