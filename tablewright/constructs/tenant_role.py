"""A role that sees one tenant at a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.model.patterns import Pattern

if TYPE_CHECKING:
    from tablewright.constructs.tables.base import DesignTableBase


class TenantAccessRole(Construct):
    """A role that a function assumes for one tenant, named in a session tag.

    The session reaches that tenant's items, objects and secrets only, whatever the code asks for.
    Nobody but `assumed_by` can assume the role, and not without the tag. A tenant's id must not
    hold a slash, nor the delimiter of its keys.

    Example::

        access = TenantAccessRole(self, "TenantAccess", assumed_by=function.role)
        access.grant(sales, Sales.get_sale, Sales.category_sales)
        access.grant_objects(bucket, "s3:GetObject")
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        assumed_by: iam.IRole,
        session_tag: str = "tenant",
    ) -> None:
        super().__init__(scope, id)
        self.session_tag = session_tag
        self.role = iam.Role(
            self,
            "Role",
            description="Access to the data of the one tenant that the session is tagged with.",
            assumed_by=iam.PrincipalWithConditions(
                iam.SessionTagsPrincipal(iam.ArnPrincipal(assumed_by.role_arn)),
                {
                    "Null": {f"aws:RequestTag/{session_tag}": "false"},
                    "ForAllValues:StringEquals": {"aws:TagKeys": [session_tag]},
                },
            ),
            max_session_duration=Duration.hours(1),
        )
        iam.Grant.add_to_principal(
            grantee=assumed_by,
            actions=["sts:AssumeRole", "sts:TagSession"],
            resource_arns=[self.role.role_arn],
        ).assert_success()

    @property
    def role_arn(self) -> str:
        """The ARN of the role, for `Tenants`."""
        return self.role.role_arn

    def grant(self, table: "DesignTableBase", *patterns: Pattern[Any]) -> iam.Grant:
        """Allow the patterns on the session's tenant's keys.

        Example::

            access.grant(sales, Sales.get_sale, Sales.category_sales)
        """
        return table.grant(self.role, *patterns, tenant_tag=self.session_tag)

    def grant_objects(self, bucket: s3.IBucket, *actions: str, prefix: str = "") -> str:
        """Allow the actions on the objects that are named ``{prefix}{tenant}/…``; gives their ARN.

        Example::

            access.grant_objects(bucket, "s3:GetObject", "s3:PutObject")
        """
        return self._allow(bucket.arn_for_objects(f"{prefix}{self._folder}"), actions)

    def grant_secrets(self, prefix: str, *actions: str) -> str:
        """Allow the actions on the secrets that are named ``{prefix}{tenant}/…``; gives their ARN.

        Example::

            access.grant_secrets("dev/forms/", "secretsmanager:GetSecretValue")
        """
        arn = Stack.of(self).format_arn(
            service="secretsmanager",
            resource="secret",
            resource_name=f"{prefix}{self._folder}",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        return self._allow(arn, actions)

    @property
    def _folder(self) -> str:
        # With the slash: without it, tenant 'a' would match the names of tenant 'ab'.
        return f"${{aws:PrincipalTag/{self.session_tag}}}/*"

    def _allow(self, arn: str, actions: Sequence[str]) -> str:
        iam.Grant.add_to_principal(
            grantee=self.role, actions=list(actions), resource_arns=[arn]
        ).assert_success()
        return arn
