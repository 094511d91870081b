"""A role that sees one tenant at a time."""

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from constructs import Construct

from tablewright.constructs.table import DesignTable
from tablewright.designs.patterns import Pattern


class TenantAccessRole(Construct):
    """A role that a function assumes for one tenant, named in a session tag.

    The session reaches the keys of that tenant only, whatever the code asks for. Nobody but
    `assumed_by` can assume the role, and not without the tag.

    Example::

        access = TenantAccessRole(self, "TenantAccess", assumed_by=function.role)
        access.grant(sales, *SALES.pattern_list)
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
        return self.role.role_arn

    def grant(self, table: DesignTable, *patterns: Pattern) -> None:
        """Allow the patterns on the session's tenant's keys.

        Example::

            access.grant(sales, SALES.get_sale, SALES.category_sales)
        """
        table.grant(self.role, *patterns, tenant_tag=self.session_tag)
