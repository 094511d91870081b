"""Stream filters: which changes of the form table are passed on, and to whom."""

from __future__ import annotations

from typing import Any

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, DeliveryAttempt, Request, Submission
from tablewright.model import Entity
from tablewright.model.restored import NOT_RESTORED

SUCCEEDED, RETRYING, FAILED = "SUCCEEDED", "RETRYING", "FAILED"
OUTCOMES = (SUCCEEDED, RETRYING, FAILED)


def _sort_keys(entity: type[Entity]) -> dict[str, Any]:
    key = entity.__entity__.key
    begin = key.sort[0].literals[0]
    return {"Keys": {Forms.__design__.sk: {"S": [{"prefix": begin}]}}}


# What is to be delivered: not what was quarantined, nor what comes back from a backup. A pipe puts
# an event of each on the bus, from where the queue of deliveries has it.
CREATED_SUBMISSIONS: tuple[dict[str, Any], ...] = (
    {
        "eventName": ["INSERT"],
        "dynamodb": {
            **_sort_keys(Submission),
            "NewImage": {"status": {"S": [PENDING]}, **NOT_RESTORED},
        },
    },
)

# What somebody sent, and not what was made up to try a destination with.
_IN_EARNEST = {"purpose": {"S": [{"exists": False}]}}

# What is counted. Counts and the marks of what was counted are in the same table: they must not
# come back. Destinations share the beginning of the attempts' keys, but have no status. What comes
# back from a backup was counted before it was lost; what becomes of it later was not.
_OUTCOME = {"status": {"S": list(OUTCOMES)}, **_IN_EARNEST}
COUNTED_CHANGES: tuple[dict[str, Any], ...] = (
    {
        "eventName": ["INSERT"],
        "dynamodb": {**_sort_keys(Submission), "NewImage": {**_IN_EARNEST, **NOT_RESTORED}},
    },
    {
        "eventName": ["INSERT"],
        "dynamodb": {**_sort_keys(DeliveryAttempt), "NewImage": {**_OUTCOME, **NOT_RESTORED}},
    },
    {"eventName": ["MODIFY"], "dynamodb": {**_sort_keys(DeliveryAttempt), "NewImage": _OUTCOME}},
)

# What leaves an object in the bucket behind: submissions, and requests that never became one.
REMOVED_PAYLOADS: tuple[dict[str, Any], ...] = tuple(
    {
        "eventName": ["REMOVE"],
        "dynamodb": {
            **_sort_keys(entity),
            "OldImage": {"payload_key": {"S": [{"exists": True}]}},
        },
    }
    for entity in (Submission, Request)
)
