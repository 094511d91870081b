"""Wildcards: acknowledged to cdk-nag where a resource has only the beginning of a name."""

import re
from typing import Any

from aws_cdk import Acknowledgment, Stack, Validations
from aws_cdk import aws_iam as iam


def acknowledge_wildcard(role: iam.Role, arn: str, *, reason: str) -> None:
    """Say why a role may use all resources whose ARN begins like this."""
    shown = _shown(Stack.of(role).resolve(arn))
    Validations.of(role).acknowledge(
        Acknowledgment(id=f"AwsSolutions-IAM5[Resource::{shown}]", reason=reason)
    )


def _shown(resolved: Any) -> str:
    """An ARN as cdk-nag writes it: with the names of what is known only once it is deployed."""
    if isinstance(resolved, str):
        return re.sub(r"\$\{([^}]+)\}", r"<\1>", resolved)  # a variable of the policy
    if "Ref" in resolved:
        return f"<{resolved['Ref']}>"
    if "Fn::GetAtt" in resolved:
        return f"<{'.'.join(resolved['Fn::GetAtt'])}>"
    delimiter, parts = resolved["Fn::Join"]
    return str(delimiter).join(map(_shown, parts))
