"""Custom resource of CloudFormation that tells the ARN of a table's stream."""

from __future__ import annotations

from typing import Any

from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.custom_resource import tell


def handler(event: dict[str, Any], context: Any) -> None:
    """Tell the stream of the table that the resource names."""
    tell(
        event, "TableName", lambda found: {"StreamArn": stream_arn(_dynamodb(), found["TableName"])}
    )


def stream_arn(dynamodb: Caller, table: str) -> str:
    """The ARN of a table's stream; raises LookupError where there is none."""
    described = dynamodb.call("DescribeTable", {"TableName": table})["Table"]
    if "LatestStreamArn" not in described:
        raise LookupError(f"{table} has no stream in this region")
    return str(described["LatestStreamArn"])


def _dynamodb() -> Caller:
    return connect(own_session(), "dynamodb")
