"""Custom resources of CloudFormation that tell what AWS knows, and make nothing."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from tablewright.runtime.errors import StoreError


def tell(event: dict[str, Any], id: str, found: Callable[[], dict[str, str]]) -> None:
    """Answer CloudFormation, which otherwise waits for an hour, with what is found."""
    answer: dict[str, Any] = {
        "Status": "SUCCESS",
        # Always the same: CloudFormation deletes what another id stands for.
        "PhysicalResourceId": id,
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    if event["RequestType"] != "Delete":
        try:
            answer["Data"] = found()
        except (LookupError, StoreError) as error:
            answer |= {"Status": "FAILED", "Reason": f"{type(error).__name__}: {error}"}
    _send(event["ResponseURL"], answer)


def _send(url: str, answer: dict[str, Any]) -> None:
    # The address is signed for a request without a type.
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own address
        url, json.dumps(answer).encode(), {"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - the same
        pass
