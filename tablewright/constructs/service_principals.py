"""Service principals that assume a role for the stack's own account alone."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct


def own_account_service(scope: Construct, service: str) -> iam.ServicePrincipal:
    """Return the principal of a service, as long as it acts for resources of the own account.

    Example::

        iam.Role(self, "Role", assumed_by=own_account_service(self, "lambda"))
    """
    return iam.ServicePrincipal(
        f"{service}.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": Stack.of(scope).account}},
    )
