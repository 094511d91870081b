"""Where items are: replicated, watched in every region, consumed in one, written in one."""

from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    allowed,
    environment,
    one,
    resources,
    text,
)

Stage = Callable[[str], Assembly]
TABLE = "AWS::DynamoDB::GlobalTable"
ALARM = "AWS::CloudWatch::Alarm"
AWAY = ("us-west-2", "eu-west-1", "ap-south-1")


@pytest.fixture(scope="module")
def virginia(stage: Stage) -> Assembly:
    return stage("prod-us-east-1")


@pytest.fixture(scope="module")
def items(virginia: Assembly) -> Template:
    return one(virginia.template("sentiment"), TABLE, "Items")


def test_items_of_production_are_replicated_to_three_more_regions(items: Template) -> None:
    regions = [replica["Region"] for replica in items["Replicas"]]
    assert sorted(regions) == sorted(("us-east-1", *AWAY))


def test_each_replica_is_recoverable_protected_encrypted_and_tagged(items: Template) -> None:
    assert items["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
    for replica in items["Replicas"]:
        recovery = replica["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 35}
        assert replica["DeletionProtectionEnabled"] is True
        tags = {tag["Key"]: tag["Value"] for tag in replica["Tags"]}
        assert tags["Environment"] == "prod"
        assert tags["Feature"] == "001-interactive-dashboard-demo"
        assert tags["TableType"] == "primary-write"


def test_what_is_shown_stays_in_its_region(virginia: Assembly) -> None:
    (replica,) = one(virginia.template("sentiment"), TABLE, "Dashboard")["Replicas"]
    assert replica["Region"] == "us-east-1"


def test_how_far_each_replica_lags_is_told(virginia: Assembly) -> None:
    watched = set()
    for alarm in resources(virginia.template("sentiment"), ALARM).values():
        if alarm.get("MetricName") == "ReplicationLatency":
            where = {d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]}
            assert where["TableName"].startswith("{ItemsTable")
            watched.add(where["ReceivingRegion"])
    assert watched == set(AWAY)


@pytest.mark.parametrize("region", AWAY)
def test_a_replica_is_watched_where_its_metrics_are(region: str, virginia: Assembly) -> None:
    template = virginia.template(f"replica-{region}")
    watched = set()
    for alarm in resources(template, ALARM).values():
        (action,) = alarm["AlarmActions"]
        assert text(action).startswith("{AlarmsTopic")
        where = {d["Name"]: d["Value"] for d in alarm.get("Dimensions", ())}
        assert where in ({}, {"TableName": "prod-sentiment-items-primary"})
        watched.add(alarm.get("MetricName", "SystemErrors"))
    assert watched == {"ReadThrottleEvents", "WriteThrottleEvents", "SystemErrors"}


def test_the_stream_is_consumed_once_in_the_whole_application(virginia: Assembly) -> None:
    consumers = [
        (name, text(mapping["EventSourceArn"]))
        for name, template in virginia.templates.items()
        if "sentiment" in name or "replica" in name
        for mapping in resources(template, "AWS::Lambda::EventSourceMapping").values()
        if "Stream" in text(mapping["EventSourceArn"])
    ]
    ((stack, stream),) = consumers
    assert stack == "tablewright-prod-sentiment"
    assert stream.startswith("{ItemsTable")


def test_writes_can_be_moved_to_a_replica_and_nothing_else_moves(
    virginia: Assembly, stage: Stage
) -> None:
    home, away = virginia.template("sentiment"), stage("prod-failed-over").template("sentiment")
    for function in ("Ingest", "Analyse", "Project", "Api"):
        moved = environment(away, function)
        there = moved.pop("WRITE_REGION", None)
        assert there == ("us-west-2" if function in ("Ingest", "Analyse") else None)
        assert moved == environment(home, function)
    types = {resource["Type"] for resource in away["Resources"].values()} - {
        "AWS::IAM::Policy",
        "AWS::Lambda::Function",
    }
    for type in types:
        assert resources(away, type) == resources(home, type)


@pytest.mark.parametrize("function", ["Ingest", "Analyse"])
def test_who_writes_away_may_write_there_and_no_longer_here(function: str, stage: Stage) -> None:
    away = allowed(stage("prod-failed-over").template("sentiment"), f"{function}Role")
    home = allowed(stage("prod-us-east-1").template("sentiment"), f"{function}Role")
    here = {pair for pair in home if pair[1].startswith("{ItemsTable")}
    there = {(action, arn) for action, arn in away if ":us-west-2:" in arn}
    assert {action for action, _ in there} == {action for action, _ in here}
    assert away - there == home - here


def test_production_without_a_region_warns_that_it_has_no_replicas(stage: Stage) -> None:
    warning = "Annotation::tablewright:replicas"
    assert warning in stage("prod").findings()
    assert warning not in stage("prod-us-east-1").findings()
    (replica,) = one(stage("prod").template("sentiment"), TABLE, "Items")["Replicas"]
    assert replica["Region"] == {"Ref": "AWS::Region"}
