"""Replicas change one at a time and alone, and a protected one stays."""

from typing import Any

from tests.integration.gaps.clouds import HOME, Cloud
from tests.integration.gaps.dynamodb.changes.refused_calls import FULL_TABLE, INVALID, refused

OTHER, THIRD = "us-west-2", "us-east-2"


def replicate(client: Any, *updates: tuple[str, str], **more: Any) -> None:
    replicas = [{action: {"RegionName": region}} for action, region in updates]
    client.update_table(TableName="replicas", ReplicaUpdates=replicas, **more)


def test_replicas_change_one_at_a_time_and_alone(cloud: Cloud) -> None:
    client = cloud.client("dynamodb")
    client.create_table(**{**FULL_TABLE, "TableName": "replicas"})
    two = (("Create", OTHER), ("Create", THIRD))
    assert refused(lambda _: replicate(client, *two), client) == (
        "ValidationException",
        "Update table operation with more than one create or delete replica actions not allowed",
    )
    beside = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "index-1"}}]}
    assert refused(lambda _: replicate(client, two[0], **beside), client) == (
        "ValidationException",
        f"{INVALID}Replica modification must be the only operation in the request",
    )
    for one in two:
        replicate(client, one)
    described = client.describe_table(TableName="replicas")["Table"]
    assert {each["RegionName"] for each in described["Replicas"]} == {OTHER, THIRD}


def test_a_protected_replica_is_not_removed(cloud: Cloud) -> None:
    client, there = (cloud.client("dynamodb", region_name=region) for region in (HOME, OTHER))
    name = "protected-replica"
    client.create_table(**{**FULL_TABLE, "TableName": name})
    updates = ({action: {"RegionName": OTHER}} for action in ("Create", "Delete"))
    make_it, remove_it = ({"TableName": name, "ReplicaUpdates": [update]} for update in updates)
    client.update_table(**make_it)
    there.update_table(TableName=name, DeletionProtectionEnabled=True)
    assert refused(lambda _: client.update_table(**remove_it), client) == (
        "ValidationException",
        f"Cannot delete table {name} in region {OTHER} because it has deletion protection enabled. "
        "Disable deletion protection first.",
    )
    there.update_table(TableName=name, DeletionProtectionEnabled=False)
    client.update_table(**remove_it)
    assert name not in there.list_tables()["TableNames"]


def test_with_the_gaps_open_replicas_change_at_once(open_cloud: Cloud) -> None:
    client = open_cloud.client("dynamodb")
    client.create_table(**{**FULL_TABLE, "TableName": "replicas"})
    replicate(client, ("Create", OTHER), ("Create", THIRD), DeletionProtectionEnabled=True)
    there = open_cloud.client("dynamodb", region_name=OTHER)
    there.update_table(TableName="replicas", DeletionProtectionEnabled=True)
    replicate(client, ("Delete", OTHER))
    assert there.list_tables()["TableNames"] == []
