"""Usage is read from AWS whole, in as few calls as its limits allow."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.recommendations import ShardUsage, Size, StageUsage
from tablewright.recommendations.reading.metrics import (
    MOST_POINTS,
    MOST_QUERIES,
    Metric,
    MetricsUnavailable,
    Period,
    read_metrics,
)
from tablewright.recommendations.reading.reader import UsageReader
from tablewright.recommendations.reading.resources import StageResources, TableName
from tests.unit.recommendations.recorded_aws import END, NOW, RecordedAws

PREFIX = "tablewright-prod-"
READS, WRITES = "ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"
DAYS = 2


def described(**more: Any) -> dict[str, Any]:
    return {
        "TableSizeBytes": 1000,
        "CreationDateTime": NOW - timedelta(days=365),
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        **more,
    }


def resources(**more: Any) -> StageResources:
    table = TableName(name="orders", setting_name="sales", shards=10, shards_setting="SHARDS")
    usual: dict[str, Any] = {"stage": "prod", "region": "eu-west-1", "prefix": PREFIX}
    return StageResources(**{**usual, "tables": (table,), **more})


def alarm(namespace: str, dimension: str, of: str, **more: Any) -> dict[str, Any]:
    return {
        "AlarmName": f"{PREFIX}{of}",
        "Namespace": namespace,
        "Dimensions": [{"Name": dimension, "Value": of}],
        "StateValue": "OK",
        "StateTransitionedTimestamp": NOW - timedelta(days=100),
        "AlarmConfigurationUpdatedTimestamp": NOW - timedelta(days=100),
        **more,
    }


@pytest.fixture
def aws() -> RecordedAws:
    aws = RecordedAws()
    index = {"IndexName": "BY_DAY", "IndexSizeBytes": 30}
    aws.tables["orders"] = described(
        GlobalSecondaryIndexes=[index], LocalSecondaryIndexes=[{"IndexSizeBytes": 5}]
    )
    aws.every(5, DAYS, 300, READS, "orders")
    aws.every(5, DAYS, 30, WRITES, "orders", "BY_DAY")
    return aws


def read(aws: RecordedAws, before: StageUsage | None = None, **more: Any) -> StageUsage:
    return UsageReader(resources(**more), aws.connect).read(NOW, days=DAYS, before=before)


def test_units_are_by_the_hour_with_the_busiest_five_minutes(aws: RecordedAws) -> None:
    aws.points[READS, "orders"][END - timedelta(minutes=25)] = 900
    (table,) = read(aws).tables
    assert table.hours == DAYS * 24
    assert table.reads.consumed[-2:] == (Decimal(3600), Decimal(4200))
    assert table.reads.peak[-2:] == (Decimal(1), Decimal(3))
    assert table.writes.consumed == (Decimal(),) * table.hours
    assert table.indexes[0].writes.consumed[-1] == 360
    assert not table.provisioned


def test_a_table_is_as_dynamodb_describes_it(aws: RecordedAws) -> None:
    aws.tables["orders"] |= {
        "TableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
        "Replicas": [{"RegionName": "us-west-2"}],
    }
    aws.expiring.add("orders")
    aws.every(60, DAYS, 2, "TimeToLiveDeletedItemCount", "orders")
    aws.every(60, DAYS, 3, "WriteThrottleEvents", "orders")
    aws.every(60, DAYS, 4, "SuccessfulRequestLatency", "orders", "Query")
    (table,) = read(aws).tables
    assert (table.stored_bytes, table.stored_in_all) == (1005, 1035)
    assert (table.table_class, table.replicated) == ("STANDARD_INFREQUENT_ACCESS", True)
    assert (table.expires, table.expired_items) == (True, 94)
    assert (table.throttled, table.writes.throttled) == (141, 141)
    assert table.shards == ShardUsage(setting="SHARDS", count=10, queries=188)


def test_capacity_that_is_provisioned_is_read_where_cloudwatch_has_gaps(aws: RecordedAws) -> None:
    aws.tables["orders"] = described(BillingModeSummary={})
    name = ("ProvisionedReadCapacityUnits", "orders")
    aws.points[name] = {END - timedelta(hours=40): 20, END - timedelta(hours=10): 5}
    (table,) = read(aws).tables
    assert table.reads.provisioned == (20,) * 38 + (5,) * 10


def test_a_table_is_known_from_its_first_whole_hour(aws: RecordedAws) -> None:
    aws.tables["orders"]["CreationDateTime"] = END - timedelta(hours=7, minutes=1)
    assert [table.hours for table in read(aws).tables] == [7]
    aws.tables["orders"]["CreationDateTime"] = NOW
    assert [table.hours for table in read(aws).tables] == [0]


def test_sizes_of_earlier_days_are_remembered(aws: RecordedAws) -> None:
    first = read(aws)
    aws.tables["orders"]["TableSizeBytes"] = 5000
    later = UsageReader(resources(), aws.connect).read(NOW + timedelta(days=7), before=first)
    assert later.tables[0].sizes == (Size(day="2026-06-30", stored_bytes=1035),)
    # A run of the same day takes the place of the one before.
    again = UsageReader(resources(), aws.connect).read(NOW + timedelta(days=7), before=later)
    assert again == later
    last = UsageReader(resources(), aws.connect).read(NOW + timedelta(days=14), before=again)
    assert [one.day for one in last.tables[0].sizes] == ["2026-06-30", "2026-07-07"]


def test_log_groups_of_the_stage_are_read_page_by_page(aws: RecordedAws) -> None:
    aws.groups = [
        {"logGroupName": f"{PREFIX}a", "storedBytes": 10},
        {"logGroupName": f"{PREFIX}b", "storedBytes": 20, "retentionInDays": 7},
    ]
    aws.every(60, DAYS, 100, "IncomingBytes", f"{PREFIX}b")
    first, second = read(aws).logs
    assert (first.stored_bytes, first.retention_days, first.ingested_bytes) == (10, None, 0)
    assert (second.retention_days, second.ingested_bytes) == (7, 4700)
    assert {one["logGroupNamePrefix"] for one in aws.requests("DescribeLogGroups")} == {PREFIX}


def test_alarms_are_idle_where_what_they_watch_is(aws: RecordedAws) -> None:
    index = {"Name": "GlobalSecondaryIndexName", "Value": "BY_NIGHT"}
    of_index = alarm("AWS/DynamoDB", "TableName", "orders")
    of_index["Dimensions"].append(index)
    aws.alarms = [
        alarm("AWS/DynamoDB", "TableName", "orders"),
        {**of_index, "AlarmName": "of an index"},
        alarm("AWS/Lambda", "FunctionName", "used"),
        alarm("AWS/Lambda", "FunctionName", "unused"),
        alarm("AWS/Lambda", "FunctionName", "new", AlarmConfigurationUpdatedTimestamp=NOW),
        # An empty queue of failures is what one hopes for.
        alarm("AWS/SQS", "QueueName", "failures"),
    ]
    aws.every(60, DAYS, 1, "Invocations", "used")
    found = {one.name: one.watches_something for one in read(aws).alarms}
    assert found == {
        f"{PREFIX}orders": True,
        "of an index": False,
        f"{PREFIX}used": True,
        f"{PREFIX}unused": False,
        f"{PREFIX}new": True,
        f"{PREFIX}failures": True,
    }
    assert aws.requests("DescribeAlarmHistory") == []


def test_an_alarm_that_rang_is_not_idle(aws: RecordedAws) -> None:
    def unused(name: str, changed: datetime, state: str) -> dict[str, Any]:
        more = {"StateTransitionedTimestamp": changed, "StateValue": state}
        return alarm("AWS/Lambda", "FunctionName", name, **more)

    recent = NOW - timedelta(hours=3)
    aws.alarms = [
        unused("rings", recent - timedelta(days=50), "ALARM"),
        unused("rang", recent, "OK"),
        unused("began", recent, "OK"),
    ]
    aws.history = {f"{PREFIX}rang": ["ALARM", "OK"], f"{PREFIX}began": ["OK"]}
    assert [one.rang for one in read(aws).alarms] == [1, 1, 0]


def test_an_alarm_counts_by_the_metrics_of_its_expression(aws: RecordedAws) -> None:
    metric = {
        "Namespace": "AWS/Lambda",
        "Dimensions": [{"Name": "FunctionName", "Value": "unused"}],
    }
    both = {"Metrics": [{"MetricStat": {"Metric": metric}}] * 2 + [{"Expression": "a + b"}]}
    aws.alarms = [{**alarm("", "", "sum"), **both}]
    (found,) = read(aws).alarms
    assert (found.metrics, found.watches_something) == (2, False)


def test_the_accelerator_is_the_one_that_the_stage_s_stacks_made(aws: RecordedAws) -> None:
    def cluster(name: str) -> dict[str, Any]:
        arn = f"arn:{name}"
        return {"ClusterName": name, "ClusterArn": arn, "NodeType": "dax.r5.large", "TotalNodes": 2}

    aws.clusters = [(cluster("other"), "others-stack"), (cluster("own"), f"{PREFIX}sentiment")]
    aws.every(60, DAYS, 50, "QueryCacheHits", "own")
    aws.every(60, DAYS, 5, "ItemCacheHits", "own")
    aws.every(60, DAYS, 7, "QueryCacheMisses", "own")
    (found,) = read(aws, accelerated="orders", running=True).accelerators
    assert (found.running, found.node_type, found.nodes) == (True, "dax.r5.large", 2)
    assert (found.hits[-1], found.misses[-1]) == (55, 7)


def test_an_accelerator_that_is_not_there_is_not_asked_for(aws: RecordedAws) -> None:
    (found,) = read(aws, accelerated="orders").accelerators
    assert (found.running, found.hits) == (False, ())
    assert aws.requests("DescribeClusters") == []


def test_calls_stay_within_the_limits_of_get_metric_data() -> None:
    aws = RecordedAws()
    period = Period(END - timedelta(days=30), END)
    fine = [Metric("N", "M", (("Of", str(n)),), period=300) for n in range(30)]
    coarse = [Metric("N", "M", (("Of", str(n)),), period=86_400) for n in range(1200)]
    read_metrics(aws.connect("cloudwatch"), [*fine, *coarse, *fine], period)
    asked = [one["MetricDataQueries"] for one in aws.requests("GetMetricData")]
    assert sum(map(len, asked)) == 2 * (30 + 1200)
    for queries in asked:
        assert len(queries) <= MOST_QUERIES
        seconds = [one["MetricStat"]["Period"] for one in queries]
        assert sum(period.seconds // one for one in seconds) <= MOST_POINTS


def test_points_that_cannot_be_had_are_not_taken_for_none(aws: RecordedAws) -> None:
    aws.status = "InternalError"
    with pytest.raises(MetricsUnavailable, match="InternalError"):
        read(aws)


def test_resources_are_told_to_a_function_by_its_environment() -> None:
    told = resources(accelerated="orders", running=True)
    assert StageResources.from_json(told.to_json()) == told
