"""Roles that may do one thing."""

import json
from typing import Any

from tests.integration.gaps.clouds import Cloud


def only(
    cloud: Cloud,
    action: str,
    resource: str,
    *,
    condition: dict[str, Any] | None = None,
    name: str | None = None,
) -> Any:
    """A client of the action's service that is allowed this one action on one resource."""
    iam = cloud.client("iam")
    service, _, verb = action.partition(":")
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    name = name or f"only-{service}-{verb}" + ("-conditionally" if condition else "")
    role = iam.create_role(
        RoleName=name, AssumeRolePolicyDocument=json.dumps({"Statement": [trust]})
    )["Role"]["Arn"]
    allowed: dict[str, Any] = {"Effect": "Allow", "Action": action, "Resource": resource}
    allowed |= {"Condition": condition} if condition else {}
    iam.put_role_policy(
        RoleName=name, PolicyName="only", PolicyDocument=json.dumps({"Statement": [allowed]})
    )
    found = cloud.client("sts").assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    return cloud.client(service, found)
