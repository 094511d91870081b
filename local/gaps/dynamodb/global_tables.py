"""Gap: a GlobalTable gets no replicas, and most of its settings are ignored.

ministack's UpdateTable does know replicas, and copies every write to them; the last one wins. So
the replicas and the settings of each (time to live, point-in-time recovery, contributor insights,
encryption, deletion protection, tags) are made of the template with its own operations.
"""

from typing import Any

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import dynamodb

from local.gaps import expected

Properties = dict[str, Any]
Created = tuple[str, dict[str, Any]]

_OPERATIONS = (
    "_update_table",
    "_update_ttl",
    "_update_continuous_backups",
    "_update_contributor_insights",
    "_tag_resource",
)


def close() -> None:
    handler = expected.handler("AWS::DynamoDB::GlobalTable")
    for operation in _OPERATIONS:
        expected.function(dynamodb, operation, "data")
    expected.function(dynamodb, "_replica_group", "table")
    expected.attribute(dynamodb, "_ttl_settings")
    create, update, delete = handler["create"], handler["update"], handler["delete"]

    def create_with_replicas(logical_id: str, props: Properties, stack_name: str) -> Created:
        name, _ = create(logical_id, props, stack_name)
        _apply(name, props)
        return name, _attributes(name)

    def update_with_replicas(
        physical_id: str, old: Properties, new: Properties, stack_name: str
    ) -> Created:
        kept = _regions(old) & _regions(new)
        # A generated name would be generated anew, and the table with its items replaced.
        old, new = ({"TableName": physical_id, **props} for props in (old, new))
        name, _ = update(physical_id, old, new, stack_name)
        for region in kept - {get_region()}:
            with request_scope(get_account_id(), region):
                update(physical_id, old, new, stack_name)
        if expiry := old.get("TimeToLiveSpecification"):
            new = {"TimeToLiveSpecification": {**expiry, "Enabled": False}, **new}
        _apply(name, new)
        return name, _attributes(name)

    def delete_with_replicas(physical_id: str, props: Properties) -> None:
        _replicate(physical_id, {get_region()})
        delete(physical_id, props)

    handler.update(
        create=create_with_replicas, update=update_with_replicas, delete=delete_with_replicas
    )


def _apply(name: str, props: Properties) -> None:
    _apply_expiry(name, props.get("TimeToLiveSpecification") or {})
    encryption = props.get("SSESpecification") or {}
    if _true(encryption.get("SSEEnabled")):
        kind = {"Enabled": True, "SSEType": encryption.get("SSEType", "KMS")}
        _call("_update_table", TableName=name, SSESpecification=kind)
    _replicate(name, _regions(props))
    for replica in props.get("Replicas") or []:
        with request_scope(get_account_id(), replica["Region"]):
            _apply_to_replica(name, replica)


def _apply_expiry(name: str, wanted: Properties) -> None:
    setting = dynamodb._ttl_settings.get(name) or {}
    attribute = setting["AttributeName"] if setting.get("TimeToLiveStatus") == "ENABLED" else None
    enabled = _true(wanted.get("Enabled"))
    # DynamoDB refuses what would change nothing.
    if wanted.get("AttributeName") and attribute != (wanted["AttributeName"] if enabled else None):
        specification = {**wanted, "Enabled": enabled}
        _call("_update_ttl", TableName=name, TimeToLiveSpecification=specification)


def _replicate(name: str, wanted: set[str]) -> None:
    """Add and remove replicas until the table is in the wanted regions."""
    table = dynamodb._tables.get(name)
    if table is None:
        return
    existing = set(dynamodb._replica_group(table)) or {get_region()}
    for action, regions in (("Create", wanted - existing), ("Delete", existing - wanted)):
        # One at a time, as in AWS.
        for region in sorted(regions):
            change = [{action: {"RegionName": region}}]
            _call("_update_table", TableName=name, ReplicaUpdates=change)


def _apply_to_replica(name: str, replica: Properties) -> None:
    recovery = (replica.get("PointInTimeRecoverySpecification") or {}).get(
        "PointInTimeRecoveryEnabled"
    )
    specification = {"PointInTimeRecoveryEnabled": _true(recovery)}
    _call(
        "_update_continuous_backups",
        TableName=name,
        PointInTimeRecoverySpecification=specification,
    )
    protected = _true(replica.get("DeletionProtectionEnabled"))
    _call("_update_table", TableName=name, DeletionProtectionEnabled=protected)
    for watched in (replica, *(replica.get("GlobalSecondaryIndexes") or [])):
        insights = (watched.get("ContributorInsightsSpecification") or {}).get("Enabled")
        _call(
            "_update_contributor_insights",
            TableName=name,
            IndexName=watched.get("IndexName"),
            ContributorInsightsAction="ENABLE" if _true(insights) else "DISABLE",
        )
    arn = dynamodb._tables[name]["TableArn"]
    _call("_tag_resource", ResourceArn=arn, Tags=replica.get("Tags") or [])


def _regions(props: Properties) -> set[str]:
    return {get_region(), *(replica["Region"] for replica in props.get("Replicas") or [])}


def _attributes(name: str) -> dict[str, Any]:
    table = dynamodb._tables[name]
    attributes = {"Arn": table["TableArn"], "TableId": table["TableId"]}
    if (table.get("StreamSpecification") or {}).get("StreamEnabled"):
        attributes["StreamArn"] = table["LatestStreamArn"]
    return attributes


def _true(value: Any) -> bool:
    return str(value).lower() == "true"


def _call(operation: str, **data: Any) -> None:
    status, _, body = getattr(dynamodb, operation)(data)
    if status >= 400:
        raise ValueError(f"AWS::DynamoDB::GlobalTable: {operation.strip('_')}: {body!r}")
