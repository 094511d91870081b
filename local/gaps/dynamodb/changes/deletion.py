"""Gap: a protected table is deleted with its stack, or as a replica, and DeleteTable says it in
words of its own."""

from collections.abc import Callable, Iterable
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import dynamodb

from local.gaps import expected
from local.gaps.dynamodb.changes.refusals import (
    GLOBAL_TABLE,
    TABLE,
    Refusal,
    Request,
    Table,
    invalid,
    refuse,
)

_PROTECTED = (
    "Resource cannot be deleted as it is currently protected against deletion. "
    "Disable deletion protection first."
)
_BECAUSE = "because it has deletion protection enabled. Disable deletion protection first."


def close() -> None:
    expected.function(dynamodb, "_replica_group", "table")
    refuse("_delete_table", lambda table, request: protected(table["TableName"], [get_region()]))
    refuse("_update_table", _of_replicas)
    for resource_type in (TABLE, GLOBAL_TABLE):
        handler = expected.handler(resource_type)
        handler["delete"] = _checked(handler["delete"])


def _checked(delete: Callable[..., Any]) -> Callable[..., Any]:
    def delete_unprotected(physical_id: str, props: dict[str, Any]) -> Any:
        table = dynamodb._tables.get(physical_id) or {}
        regions = dynamodb._replica_group(table) or [get_region()]
        if refusal := protected(physical_id, regions):
            raise ValueError(refusal.message)
        return delete(physical_id, props)

    return delete_unprotected


def _of_replicas(table: Table, request: Request) -> Refusal | None:
    updates = request.get("ReplicaUpdates") or []
    regions = [update["Delete"]["RegionName"] for update in updates if "Delete" in update]
    return protected(table["TableName"], regions)


def protected(name: str, regions: Iterable[str]) -> Refusal | None:
    """Why a table cannot be deleted in these regions."""
    for region in regions:
        table = dynamodb._tables.get_scoped(get_account_id(), region, name) or {}
        if table.get("DeletionProtectionEnabled"):
            there = f"Cannot delete table {name} in region {region}"
            return invalid(_PROTECTED if region == get_region() else f"{there} {_BECAUSE}")
    return None
