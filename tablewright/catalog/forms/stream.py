"""Stream filters: which changes of the form table are passed on, and to whom."""

from typing import Any

from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.submissions import ATTEMPT, PENDING, REQUEST, SUBMISSION
from tablewright.model.entity import Entity
from tablewright.model.restored import NOT_RESTORED

SUCCEEDED, RETRYING, FAILED = "SUCCEEDED", "RETRYING", "FAILED"
OUTCOMES = (SUCCEEDED, RETRYING, FAILED)


def _sort_keys(entity: Entity) -> dict[str, Any]:
    begin = entity.key.sk.literals[0] if entity.key.sk else ""
    return {"Keys": {FORMS.sk: {"S": [{"prefix": begin}]}}}


# What is to be delivered: not what was quarantined, nor what comes back from a backup. A pipe puts
# an event of each on the bus, from where the queue of deliveries has it.
CREATED_SUBMISSIONS: tuple[dict[str, Any], ...] = (
    {
        "eventName": ["INSERT"],
        "dynamodb": {
            **_sort_keys(SUBMISSION),
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
        "dynamodb": {**_sort_keys(SUBMISSION), "NewImage": {**_IN_EARNEST, **NOT_RESTORED}},
    },
    {
        "eventName": ["INSERT"],
        "dynamodb": {**_sort_keys(ATTEMPT), "NewImage": {**_OUTCOME, **NOT_RESTORED}},
    },
    {"eventName": ["MODIFY"], "dynamodb": {**_sort_keys(ATTEMPT), "NewImage": _OUTCOME}},
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
    for entity in (SUBMISSION, REQUEST)
)
