"""Gap: UpdateTable makes and removes several replicas at once, and changes the table beside them.

A replica that is protected from deletion is removed, too, which `deletion` refuses.
"""

from local.gaps.dynamodb.changes.refusals import (
    Refusal,
    Request,
    Table,
    invalid,
    invalid_parameter,
    refuse,
)

MORE_THAN_ONE = (
    "Update table operation with more than one create or delete replica actions not allowed"
)
ALONE = "Replica modification must be the only operation in the request"
_BESIDE = (
    "BillingMode",
    "DeletionProtectionEnabled",
    "GlobalSecondaryIndexUpdates",
    "ProvisionedThroughput",
    "SSESpecification",
    "StreamSpecification",
    "TableClass",
)


def close() -> None:
    refuse("_update_table", reason)


def reason(table: Table, request: Request) -> Refusal | None:
    """Why the table's replicas cannot be changed so."""
    updates = request.get("ReplicaUpdates") or []
    if updates and any(name in request for name in _BESIDE):
        return invalid_parameter(ALONE)
    changed = {
        (action, replica.get("RegionName"))
        for update in updates
        for action, replica in update.items()
        if action != "Update"
    }
    return invalid(MORE_THAN_ONE) if len(changed) > 1 else None
