"""A bucket that nobody but the application's own functions can reach."""

from collections.abc import Sequence

from aws_cdk import Acknowledgment, Duration, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.constructs.protection import Protection

_ACCESS_LOGS = "AccessLogs"


def private_bucket(
    scope: Construct,
    id: str,
    *,
    protection: Protection,
    no_access_log: str | None = None,
    expires: Duration | None = None,
    rules: Sequence[s3.LifecycleRule] = (),
    versioned: bool = True,
    keep_versions: bool = False,
    cors_origins: Sequence[str] = (),
) -> s3.Bucket:
    """An encrypted bucket for requests over TLS, closed to the public.

    `versioned` where the stage's data can be taken back in time: what is overwritten or deleted
    is then kept for as many days, or for good with `keep_versions`. All objects are deleted
    after `expires`, if that is given. Pages of `cors_origins` may use signed addresses of its
    objects from browsers.

    Who read and wrote what is in the stack's access logs, for data that outlives its stack, unless
    `no_access_log` says why it need not be.

    Example::

        bucket = private_bucket(self, "Bucket", protection=stage.protection)
    """
    days = protection.recovery_days if versioned else None
    old = Duration.days(days) if days and not keep_versions else None
    if no_access_log is None and protection.recovery_days is None:
        no_access_log = "Data of a stage that is thrown away as a whole."
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
    if no_access_log:
        _without_log(bucket, no_access_log)
    else:
        prefix = f"{scope.node.path.partition('/')[2]}/"
        _deliver_access_log(bucket, access_logs(scope, protection), prefix)
    return bucket


def access_logs(scope: Construct, protection: Protection) -> s3.Bucket:
    """The bucket with the access logs of all other buckets of a stack, kept for a year."""
    stack = Stack.of(scope)
    found = stack.node.try_find_child(_ACCESS_LOGS)
    if isinstance(found, s3.Bucket):
        return found
    made = s3.Bucket(
        stack,
        _ACCESS_LOGS,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        lifecycle_rules=[s3.LifecycleRule(expiration=Duration.days(365))],
        removal_policy=protection.removal_policy,
    )
    _without_log(made, "It is itself the log, and its own would never end.")
    return made


def _deliver_access_log(bucket: s3.Bucket, logs: s3.Bucket, prefix: str) -> None:
    # Not `server_access_logs_bucket`: without a feature flag it grants delivery by an ACL, which a
    # bucket that enforces its owner refuses.
    resource = bucket.node.default_child
    assert isinstance(resource, s3.CfnBucket)  # noqa: S101 - for the type checker
    resource.logging_configuration = s3.CfnBucket.LoggingConfigurationProperty(
        destination_bucket_name=logs.bucket_name, log_file_prefix=prefix
    )
    logs.add_to_resource_policy(
        iam.PolicyStatement(
            actions=["s3:PutObject"],
            principals=[iam.ServicePrincipal("logging.s3.amazonaws.com")],
            resources=[logs.arn_for_objects(f"{prefix}*")],
            conditions={
                "ArnLike": {"aws:SourceArn": bucket.bucket_arn},
                "StringEquals": {"aws:SourceAccount": Stack.of(bucket).account},
            },
        )
    )


def _without_log(bucket: s3.Bucket, reason: str) -> None:
    Validations.of(bucket).acknowledge(Acknowledgment(id="AwsSolutions-S1", reason=reason))


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
