"""Custom resource of CloudFormation that tells the ARN of a key in another region."""

from __future__ import annotations

from typing import Any

from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.custom_resource import tell


def handler(event: dict[str, Any], context: Any) -> None:
    """Tell the key of KMS that has this alias in that region."""

    def find(properties: dict[str, str]) -> dict[str, str]:
        kms = connect(own_session(), "kms", region=properties["Region"])
        answer = kms.call("DescribeKey", {"KeyId": properties["Alias"]})
        return {"KeyArn": str(answer["KeyMetadata"]["Arn"])}

    tell(event, "Alias", find)
