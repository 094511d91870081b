"""Replica of a key of KMS, whose primary is found by its alias in another region."""

from typing import Any

from aws_cdk import ArnFormat, CustomResource, Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from tablewright.constructs.protection import Protection
from tablewright.constructs.wildcards import acknowledge_wildcard

# What the function runs that asks for the primary key; part of the library.
HANDLER = "tablewright.runtime.secrets.primary_key.handler"


def primary_key(
    scope: Construct, id: str, *, alias: str | None, describes: str, protection: Protection
) -> kms.Key:
    """Create a key that can have replicas. It and its alias stay as long as the data.

    Example::

        primary_key(self, "Key", alias="alias/prod-orders", describes="Encrypts orders.",
                    protection=Protection.protected())
    """
    key = kms.Key(
        scope,
        id,
        description=describes,
        enable_key_rotation=True,
        # It cannot become so later, when a replica is added.
        multi_region=True,
        alias=alias,
        removal_policy=protection.removal_policy,
    )
    for child in key.node.children:
        if isinstance(child, kms.Alias):
            child.apply_removal_policy(protection.removal_policy)
    return key


def replica_key(
    scope: Construct,
    *,
    alias: str,
    home: str,
    function: lambda_.Function,
    protection: Protection,
    describes: str,
) -> kms.CfnReplicaKey:
    """A replica, in the stack's region, of the multi-Region key that has an alias at home.

    It has the same alias, by which a later stack finds it.

    Example::

        replica_key(self, alias="alias/prod-orders", home="eu-west-1", function=ask.function,
                    protection=Protection.protected(), describes="Encrypts orders.")
    """
    key = kms.CfnReplicaKey(
        scope,
        "Key",
        description=describes,
        primary_key_arn=_primary(scope, alias, home, function),
        key_policy=_policy(),
    )
    named = kms.CfnAlias(scope, "Alias", alias_name=alias, target_key_id=key.attr_key_id)
    for resource in (key, named):
        resource.apply_removal_policy(protection.removal_policy)
    return key


def _primary(scope: Construct, alias: str, home: str, function: lambda_.Function) -> str:
    """The ARN of the key that has the alias at home, asked of KMS by the deployment."""
    keys = Stack.of(scope).format_arn(
        service="kms",
        region=home,
        resource="key",
        resource_name="*",
        arn_format=ArnFormat.SLASH_RESOURCE_NAME,
    )
    grant = iam.Grant.add_to_principal(
        grantee=function,
        actions=["kms:DescribeKey"],
        resource_arns=[keys],
        conditions={"StringEquals": {"kms:RequestAlias": alias}},
    )
    if isinstance(function.role, iam.Role):
        reason = "A key's id is not known here; the condition names its alias."
        acknowledge_wildcard(function.role, keys, reason=reason)
    asked = CustomResource(
        scope,
        "Primary",
        service_token=function.function_arn,
        # It answers within seconds; CloudFormation would wait for an hour.
        service_timeout=Duration.minutes(5),
        resource_type="Custom::PrimaryKey",
        properties={"Alias": alias, "Region": home},
    )
    grant.apply_before(asked)
    return asked.get_att_string("KeyArn")


def _policy() -> dict[str, Any]:
    """As KMS gives it to keys by default: the account's own policies decide."""
    account = iam.AccountRootPrincipal()
    allow = iam.PolicyStatement(actions=["kms:*"], resources=["*"], principals=[account])
    return dict(iam.PolicyDocument(statements=[allow]).to_json())
