"""The secrets of the tenants: made while the application runs, under one prefix."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.wildcards import acknowledge_wildcard
from tablewright.constructs import PythonFunction

_READ = ("secretsmanager:GetSecretValue",)
_MANAGE = ("secretsmanager:CreateSecret", "secretsmanager:DeleteSecret", *_READ)


class TenantSecrets(Construct):
    """A name in Secrets Manager under which tenants' secrets are kept; none of them is made here.

    Example::

        secrets = TenantSecrets(self, "Secrets", prefix="dev/forms/")
        secrets.grant_read(submit)
    """

    def __init__(self, scope: Construct, id: str, *, prefix: str) -> None:
        super().__init__(scope, id)
        if not prefix.endswith("/"):
            raise ValueError(f"'{prefix}' must end with '/': else it is the beginning of others")
        self.prefix = prefix

    def grant_read(self, reader: PythonFunction) -> None:
        """Allow to read the values, and nothing else about them."""
        self._grant(reader, _READ)

    def grant_manage(self, manager: PythonFunction) -> None:
        """Allow to make secrets, to read and to destroy them."""
        self._grant(manager, _MANAGE)

    def _grant(self, function: PythonFunction, actions: tuple[str, ...]) -> None:
        arn = Stack.of(self).format_arn(
            service="secretsmanager",
            resource="secret",
            resource_name=f"{self.prefix}*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        iam.Grant.add_to_principal(
            grantee=function.role, actions=list(actions), resource_arns=[arn]
        ).assert_success()
        acknowledge_wildcard(
            function.role,
            arn,
            reason="Tenants come and go while the application runs, and so do their secrets.",
        )
