"""The secrets of the tenants: made while the application runs, under one prefix."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from tablewright.constructs import PythonFunction, TenantAccessRole
from tablewright.constructs.wildcards import acknowledge_wildcard

_READ = ("secretsmanager:GetSecretValue",)
_MANAGE = ("secretsmanager:CreateSecret", "secretsmanager:DeleteSecret", *_READ)


class TenantSecrets(Construct):
    """A name in Secrets Manager under which tenants' secrets are kept; none of them is made here.

    Example::

        secrets = TenantSecrets(self, "Secrets", prefix="dev/forms/")
        secrets.grant_read(submit, keys="k")
    """

    def __init__(self, scope: Construct, id: str, *, prefix: str) -> None:
        super().__init__(scope, id)
        if not prefix.endswith("/"):
            raise ValueError(f"'{prefix}' must end with '/': else it is the beginning of others")
        self.prefix = prefix

    def grant_read(self, reader: PythonFunction, keys: str) -> None:
        """Allow to read the values of all tenants' keys whose ids begin so, and nothing else."""
        arn = Stack.of(self).format_arn(
            service="secretsmanager",
            resource="secret",
            resource_name=f"{self.prefix}*/{keys}*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        iam.Grant.add_to_principal(
            grantee=reader.role, actions=list(_READ), resource_arns=[arn]
        ).assert_success()
        acknowledge_wildcard(
            reader.role,
            arn,
            reason="Tenants come and go while the application runs, and so do their secrets.",
        )

    def grant_manage(self, access: TenantAccessRole) -> None:
        """Allow to make, read and destroy the secrets of the one tenant that a session is of."""
        arn = access.grant_secrets(self.prefix, *_MANAGE)
        acknowledge_wildcard(access.role, arn, reason="The secrets of the session's own tenant.")
