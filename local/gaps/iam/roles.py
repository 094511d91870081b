"""Roles of services: each call is made with the permissions of the role that it was given."""

import os
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.loaders import create_loader
from ministack import app
from ministack.core import iam_evaluator, lambda_runtime
from ministack.core.responses import get_account_id, get_region

from local.gaps import expected

READ_STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")

# What services look like: reading that takes longer than most calls.
_MODELS = create_loader()

# access key, secret key, session token
Credentials = tuple[str, str, str | None]


def check() -> None:
    """Assert that ministack has what this module uses."""
    expected.function(lambda_runtime, "execution_credentials", "config")
    expected.function(
        iam_evaluator, "resolve_principal", "access_key_id", "account_id", "credential"
    )
    expected.function(iam_evaluator, "evaluate", "ctx", "policies", "limits")
    expected.attribute(app, "AUTH")


def of_function(config: dict[str, Any]) -> Credentials:
    """Those that the function itself runs with."""
    found = lambda_runtime.execution_credentials(config)
    token = found["AWS_SESSION_TOKEN"] or None
    return found["AWS_ACCESS_KEY_ID"], found["AWS_SECRET_ACCESS_KEY"], token


def assumed(role_arn: str, session_name: str) -> Credentials:
    """Those of a role that a service assumes; the role must trust it."""
    root = (
        os.environ.get("AWS_ACCESS_KEY_ID", "test"),
        os.environ.get("AWS_SECRET_ACCESS_KEY", "test"),
        os.environ.get("AWS_SESSION_TOKEN"),
    )
    sts = client(root, "sts")
    found = sts.assume_role(RoleArn=role_arn, RoleSessionName=session_name)["Credentials"]
    return found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"]


def refused(credentials: Credentials, actions: tuple[str, ...], resource_arn: str) -> str | None:
    """The first action that the role may not do on the resource."""
    if not app.AUTH:
        return None
    principal = iam_evaluator.resolve_principal(credentials[0], get_account_id())
    for action in actions:
        context = iam_evaluator.EvalContext(
            principal_arn=principal.arn,
            principal_type=principal.type,
            principal_account=principal.account,
            action=action,
            resource_arn=resource_arn,
            region=get_region(),
            principal_keys=principal.keys,
        )
        decided = iam_evaluator.evaluate(context, principal.policies, *principal.limits)
        if decided.decision != "Allow":
            return action
    return None


def client(credentials: Credentials, service: str) -> Any:
    """A client of this emulator."""
    access_key, secret_key, token = credentials
    session = botocore.session.Session()
    session.register_component("data_loader", _MODELS)
    return session.create_client(
        service,
        region_name=get_region(),
        endpoint_url=f"http://127.0.0.1:{os.environ.get('GATEWAY_PORT', '4566')}",
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        aws_session_token=token,
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 3}),
    )
