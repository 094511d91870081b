"""Log groups that AWS services deliver to, and names that outlive their stack."""

from aws_cdk import Fn, RemovalPolicy, Stack
from aws_cdk import aws_logs as logs
from constructs import Construct


def vended_log_group(
    scope: Construct, id: str, *, retention: logs.RetentionDays, removal: RemovalPolicy
) -> logs.LogGroup:
    """Create a log group for a service that delivers logs by itself.

    Groups of other names share one policy of the account, which holds 5,120 characters.

    Example::

        vended_log_group(self, "AccessLogs", retention=retention, removal=KEPT)
    """
    path = f"{scope.node.path}/{id}"
    return logs.LogGroup(
        scope,
        id,
        # It may outlive its stack, and must not be in the way of the next one's.
        log_group_name=f"/aws/vendedlogs/{path}-{stack_id(scope)}",
        retention=retention,
        removal_policy=removal,
    )


def stack_id(scope: Construct) -> str:
    """Return the end of the id that CloudFormation gives to a stack each time it is created."""
    return Fn.select(4, Fn.split("-", Fn.select(2, Fn.split("/", Stack.of(scope).stack_id))))
