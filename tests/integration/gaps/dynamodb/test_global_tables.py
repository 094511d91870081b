"""A global table is in all its regions, and set up as its template says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.infrastructure.synthesis import Assembly
from tests.integration.gaps.clouds import HOME, Cloud, deploy, needed_by, until
from tests.integration.gaps.consumers import Consumer

OTHER = "us-west-2"


def _template(name: str, *regions: str, **more: Any) -> dict[str, Any]:
    table = {
        "Type": "AWS::DynamoDB::GlobalTable",
        "Properties": {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": region} for region in regions],
            **more,
        },
    }
    return {"Resources": {"Table": table}}


def _update(cloud: Cloud, stack: str, template: dict[str, Any]) -> None:
    formation = cloud.client("cloudformation")
    formation.update_stack(StackName=stack, TemplateBody=json.dumps(template))
    waiter = formation.get_waiter("stack_update_complete")
    waiter.wait(StackName=stack, WaiterConfig={"Delay": 1})


def _item(cloud: Cloud, table: str, region: str, key: str) -> Any:
    client = cloud.client("dynamodb", region_name=region)
    return client.get_item(TableName=table, Key={"PK": {"S": key}}).get("Item")


def _put(cloud: Cloud, table: str, region: str, key: str, value: str) -> None:
    client = cloud.client("dynamodb", region_name=region)
    client.put_item(TableName=table, Item={"PK": {"S": key}, "value": {"S": value}})


def _records(cloud: Cloud, table: str, region: str) -> list[dict[str, Any]]:
    described = cloud.client("dynamodb", region_name=region).describe_table(TableName=table)
    arn = described["Table"]["LatestStreamArn"]
    streams = cloud.client("dynamodbstreams", region_name=region)
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records: list[dict[str, Any]] = streams.get_records(ShardIterator=iterator)["Records"]
    return records


def test_a_write_in_one_region_appears_in_the_other(cloud: Cloud) -> None:
    deploy(cloud, "replicated", _template("replicated", HOME, OTHER))
    _put(cloud, "replicated", HOME, "from home", "written")
    until(lambda: _item(cloud, "replicated", OTHER, "from home"))
    _put(cloud, "replicated", OTHER, "from the other", "written")
    until(lambda: _item(cloud, "replicated", HOME, "from the other"))


def test_the_last_writer_wins_in_both_regions(cloud: Cloud) -> None:
    deploy(cloud, "contended", _template("contended", HOME, OTHER))
    _put(cloud, "contended", HOME, "key", "first")
    _put(cloud, "contended", OTHER, "key", "second")
    _put(cloud, "contended", HOME, "key", "third")
    for region in (HOME, OTHER):
        assert _item(cloud, "contended", region, "key")["value"] == {"S": "third"}


def test_a_write_is_in_the_stream_of_each_region_once(cloud: Cloud) -> None:
    deploy(cloud, "once", _template("once", HOME, OTHER))
    _put(cloud, "once", HOME, "home", "written")
    _put(cloud, "once", OTHER, "other", "written")
    for region in (HOME, OTHER):
        keys = [each["dynamodb"]["Keys"]["PK"]["S"] for each in _records(cloud, "once", region)]
        assert keys == ["home", "other"]


def test_a_function_in_the_home_region_gets_every_region_s_writes_once(
    cloud: Cloud, tmp_path: Path
) -> None:
    consumer = Consumer(cloud, tmp_path, replicas=(HOME, OTHER))
    _put(cloud, consumer.ids["Table"], OTHER, "other", "written")
    _put(cloud, consumer.ids["Table"], HOME, "home", "written")
    until(lambda: len(consumer.seen) >= 2)
    assert consumer.seen == ["other", "home"]


def test_a_replica_is_added_and_removed_by_an_update(cloud: Cloud) -> None:
    deploy(cloud, "changing", _template("changing", HOME))
    _put(cloud, "changing", HOME, "key", "written before")
    for regions in ((HOME, OTHER), (HOME,)):
        _update(cloud, "changing", _template("changing", *regions))
        there = cloud.client("dynamodb", region_name=OTHER).list_tables()["TableNames"]
        assert ("changing" in there) == (OTHER in regions)
        assert _item(cloud, "changing", HOME, "key")


def test_an_update_keeps_the_items_of_a_table_without_a_given_name(cloud: Cloud) -> None:
    template = _template("unused", HOME, OTHER)
    del template["Resources"]["Table"]["Properties"]["TableName"]
    table = deploy(cloud, "unnamed", template)["Table"]
    _put(cloud, table, HOME, "key", "written before")
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    template["Resources"]["Table"]["Properties"]["TimeToLiveSpecification"] = ttl
    _update(cloud, "unnamed", template)
    for region in (HOME, OTHER):
        client = cloud.client("dynamodb", region_name=region)
        described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
        assert described["TimeToLiveStatus"] == "ENABLED"
        assert _item(cloud, table, region, "key")


def test_a_deleted_table_is_deleted_in_every_region(cloud: Cloud) -> None:
    deploy(cloud, "deleted", _template("deleted", HOME, OTHER))
    formation = cloud.client("cloudformation")
    formation.delete_stack(StackName="deleted")
    waiter = formation.get_waiter("stack_delete_complete")
    waiter.wait(StackName="deleted", WaiterConfig={"Delay": 1})
    for region in (HOME, OTHER):
        tables = cloud.client("dynamodb", region_name=region).list_tables()["TableNames"]
        assert "deleted" not in tables


def test_the_sales_table_has_the_settings_of_its_template(cloud: Cloud, prod: Assembly) -> None:
    region = "us-east-1"
    template = needed_by(prod.comparable("sales"), "SalesTable")
    ids = deploy(cloud, "settings", template, region_name=region)
    (table,) = (id for name, id in ids.items() if name.startswith("SalesTable"))
    client = cloud.client("dynamodb", region_name=region)
    described = client.describe_table(TableName=table)["Table"]
    assert described["DeletionProtectionEnabled"] is True
    assert described["SSEDescription"]["Status"] == "ENABLED"
    ttl = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    backups = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery = backups["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    tags = client.list_tags_of_resource(ResourceArn=described["TableArn"])["Tags"]
    assert {"Key": "stage", "Value": "prod"} in tags


def test_with_the_gap_open_there_is_no_replica(cloud_without: Callable[[str], Cloud]) -> None:
    stock = cloud_without("dynamodb.global_tables")
    deploy(stock, "replicated", _template("replicated", HOME, OTHER))
    assert stock.client("dynamodb", region_name=OTHER).list_tables()["TableNames"] == []
