"""Going on in another run of the same function, when the time of this one is up."""

from __future__ import annotations

import json
from typing import Any

from tablewright.runtime.aws import Caller


def call_next(functions: Caller, context: Any, event: dict[str, Any]) -> None:
    """Call the function that runs in this context once more, and do not wait for it.

    Example::

        call_next(Client(session.client("lambda")), context, {"after": last})
    """
    functions.call(
        "Invoke",
        {
            "FunctionName": context.invoked_function_arn,
            "InvocationType": "Event",
            "Payload": json.dumps(event).encode(),
        },
    )
