"""Custom resources of CloudFormation that tell what AWS knows, and make nothing."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any


def tell(event: dict[str, Any], id: str, find: Callable[[dict[str, str]], dict[str, str]]) -> None:
    """Answer CloudFormation, which otherwise waits for minutes, with what `find` returns.

    `find` gets the properties of the resource, of which `id` names the one that identifies it.
    """
    properties = event.get("ResourceProperties", {})
    answer: dict[str, Any] = {
        "Status": "SUCCESS",
        # Always the same: CloudFormation deletes what another id stands for.
        "PhysicalResourceId": str(properties.get(id) or event["LogicalResourceId"]),
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    if event["RequestType"] != "Delete":
        try:
            answer["Data"] = find(properties)
        except Exception as error:  # a stack that waits tells nobody what is wrong
            answer |= {"Status": "FAILED", "Reason": f"{type(error).__name__}: {error}"}
    _send(event["ResponseURL"], answer)


def _send(url: str, answer: dict[str, Any]) -> None:
    # The address is signed for a request without a type.
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own address
        url, json.dumps(answer).encode(), {"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - the same
        pass
