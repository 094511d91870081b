"""A bucket that nobody but the application's own functions can reach."""

from collections.abc import Sequence

from aws_cdk import Acknowledgment, Duration, Validations
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.constructs.protection import Protection


def private_bucket(
    scope: Construct,
    id: str,
    *,
    protection: Protection,
    no_access_log: str,
    expires: Duration | None = None,
    rules: Sequence[s3.LifecycleRule] = (),
    versioned: bool = True,
    keep_versions: bool = False,
    cors_origins: Sequence[str] = (),
) -> s3.Bucket:
    """An encrypted bucket for requests over TLS, closed to the public.

    `versioned` where the stage's data can be taken back in time: what is overwritten or deleted
    is then kept for as many days, or for good with `keep_versions`. All objects are deleted
    after `expires`, if that is given. `no_access_log` says why it needs none. Pages of
    `cors_origins` may use signed addresses of its objects from browsers.

    Example::

        bucket = private_bucket(self, "Bucket", protection=stage.protection,
                                no_access_log="Written by one function, which logs what it writes.")
    """
    days = protection.recovery_days if versioned else None
    old = Duration.days(days) if days and not keep_versions else None
    bucket = s3.Bucket(
        scope,
        id,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        versioned=days is not None,
        lifecycle_rules=[
            s3.LifecycleRule(
                expiration=expires,
                abort_incomplete_multipart_upload_after=Duration.days(1),
                noncurrent_version_expiration=old,
                expired_object_delete_marker=True if old else None,
            ),
            *rules,
        ],
        cors=_cors(cors_origins),
        removal_policy=protection.removal_policy,
    )
    Validations.of(bucket).acknowledge(Acknowledgment(id="AwsSolutions-S1", reason=no_access_log))
    return bucket


def _cors(origins: Sequence[str]) -> list[s3.CorsRule] | None:
    if not origins:
        return None
    return [
        s3.CorsRule(
            allowed_origins=list(origins),
            allowed_methods=[s3.HttpMethods.GET, s3.HttpMethods.PUT],
            # An address is signed with the headers that it takes.
            allowed_headers=["*"],
            exposed_headers=["ETag"],
            max_age=3600,
        )
    ]
