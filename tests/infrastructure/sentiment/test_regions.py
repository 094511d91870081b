"""Where the sentiment system is: tables made once, everything around them in every region."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    allowed,
    environment,
    one,
    only,
    resources,
    text,
)

Stage = Callable[[str], Assembly]
TABLE = "AWS::DynamoDB::GlobalTable"
ALARM = "AWS::CloudWatch::Alarm"
MAPPING = "AWS::Lambda::EventSourceMapping"
HOME, AWAY = "us-east-1", ("us-west-2", "eu-west-1", "ap-south-1")
SHARED = {"Items": "items-primary", "NewsTable": "items", "Switch": "regions"}
STANDBYS = [f"sentiment-{region}" for region in AWAY]
EVERYWHERE = ["sentiment", *STANDBYS]


@pytest.fixture(scope="module")
def virginia(stage: Stage) -> Assembly:
    return stage("prod-us-east-1")


@pytest.fixture(scope="module")
def home(virginia: Assembly) -> Template:
    return virginia.template("sentiment")


@pytest.mark.parametrize("start", SHARED)
def test_what_all_regions_share_is_replicated_to_three_more(start: str, home: Template) -> None:
    table = one(home, TABLE, start)
    assert table["TableName"] == f"prod-sentiment-{SHARED[start]}"
    assert {replica["Region"] for replica in table["Replicas"]} == {HOME, *AWAY}
    assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
    for replica in table["Replicas"]:
        recovery = replica["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 35}
        assert replica["DeletionProtectionEnabled"] is True
        tags = {tag["Key"]: tag["Value"] for tag in replica["Tags"]}
        assert tags["Environment"] == "prod"


@pytest.mark.parametrize("system", STANDBYS)
def test_a_standby_makes_its_read_table_and_adopts_the_others(
    system: str, virginia: Assembly
) -> None:
    table = only(virginia.template(system), TABLE)
    assert table["TableName"] == "prod-sentiment-items-dashboard"
    (replica,) = table["Replicas"]
    assert replica["Region"] == system.removeprefix("sentiment-")


@pytest.mark.parametrize("start", SHARED)
def test_how_far_each_replica_lags_is_told(start: str, home: Template) -> None:
    watched = set()
    for alarm in resources(home, ALARM).values():
        if alarm.get("MetricName") == "ReplicationLatency":
            where = {d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]}
            if where["TableName"].startswith(f"{{{start}"):
                watched.add(where["ReceivingRegion"])
    assert watched == set(AWAY)


@pytest.mark.parametrize("system", STANDBYS)
def test_a_replica_is_watched_where_its_metrics_are(system: str, virginia: Assembly) -> None:
    template = virginia.template(system)
    watched = set()
    for alarm in resources(template, ALARM).values():
        (action,) = alarm["AlarmActions"]
        region = system.removeprefix("sentiment-")
        assert action["Fn::ImportValue"].startswith(f"tablewright-prod-operations-{region}:")
        watched |= watched_metrics(alarm)
    metrics = ("ReadThrottleEvents", "WriteThrottleEvents", "SystemErrors")
    assert watched == {
        (f"prod-sentiment-{name}", metric) for name in SHARED.values() for metric in metrics
    }


def test_each_region_projects_the_stream_of_its_own_replica(virginia: Assembly) -> None:
    def stream(template: Template) -> Any:
        return one(template, MAPPING, "Projection")["EventSourceArn"]

    assert text(stream(virginia.template("sentiment"))).startswith("{ItemsTable")
    for system in STANDBYS:
        template = virginia.template(system)
        asked, attribute = stream(template)["Fn::GetAtt"]
        assert attribute == "StreamArn"
        assert resources(template, "Custom::ReplicaStream")[asked]["TableName"] == (
            "prod-sentiment-items-primary"
        )


def test_who_tells_the_stream_may_look_at_this_one_table_only(virginia: Assembly) -> None:
    found = allowed(virginia.template("sentiment-us-west-2"), "DescribeStreamRole")
    (place,) = (arn for action, arn in found if action.startswith("dynamodb:"))
    assert place.endswith(":us-west-2:111122223333:table/prod-sentiment-items-primary")


@pytest.mark.parametrize("function", ["Ingest", "Analyse", "NewsHeal"])
def test_rights_and_settings_are_the_same_in_every_region(
    function: str, virginia: Assembly
) -> None:
    found = []
    for system in EVERYWHERE:
        template = virginia.template(system)
        told = environment(template, function)
        assert told["REGIONS"] == ",".join((HOME, *AWAY))
        assert text(told["SWITCH_TABLE"]) in ("{SwitchTable}", "prod-sentiment-regions") or text(
            told["SWITCH_TABLE"]
        ).startswith("{SwitchTable")
        reach: dict[str, int] = {}
        for action, _ in allowed(template, f"{function}Role"):
            reach[action] = reach.get(action, 0) + action.startswith("dynamodb:")
        found.append(reach)
    assert found == [found[0]] * len(EVERYWHERE)
    assert found[0]["dynamodb:GetItem"] >= len(EVERYWHERE)


def test_what_reads_is_told_of_no_other_region(virginia: Assembly) -> None:
    for function in ("Project", "Api", "NewsApi", "Page"):
        for system in EVERYWHERE:
            assert "REGIONS" not in environment(virginia.template(system), function)


@pytest.mark.thorough
def test_the_accelerator_stands_at_home_only(stage: Stage) -> None:
    accelerated = stage("prod-accelerated")
    assert resources(accelerated.template("sentiment"), "AWS::DAX::Cluster")
    for system in STANDBYS:
        assert not resources(accelerated.template(system), "AWS::DAX::Cluster")


@pytest.mark.thorough
@pytest.mark.parametrize("system", ["sales", "forms", "portal"])
def test_other_systems_have_replicas_where_that_is_asked_for(system: str, stage: Stage) -> None:
    asked = stage("prod-replicated-encrypted")
    for assembly, regions in ((stage("prod-us-east-1"), {HOME}), (asked, {HOME, "us-west-2"})):
        for table in resources(assembly.template(system), TABLE).values():
            assert {replica["Region"] for replica in table["Replicas"]} == regions
    template = asked.template(system)
    lag = [a for a in resources(template, ALARM).values() if "ReplicationLatency" in str(a)]
    # The index of words is made anew from the content, and not watched.
    assert len(lag) == sum("Words" not in name for name in resources(template, TABLE))


@pytest.mark.thorough
def test_replicas_of_other_systems_are_watched_where_they_are(stage: Stage) -> None:
    asked = stage("prod-replicated-encrypted")
    watched = {
        table
        for alarm in resources(asked.template("replicas-us-west-2"), ALARM).values()
        for table, _ in watched_metrics(alarm)
    }
    assert watched == {
        "bg-remover-prod-sales-intelligence",
        "prod-FormBridgeData",
        *(f"prod-{name}" for name in ("content_registry", "events", "notifications")),
        *("prod-content_search", "prod-subscriptions"),
    }
    assert "tablewright-prod-replicas-us-west-2" not in stage("prod-us-east-1").templates


def test_production_without_a_region_warns_that_it_has_no_replicas(stage: Stage) -> None:
    warning = "Annotation::tablewright:replicas"
    assert warning in stage("prod").findings()
    assert warning not in stage("prod-us-east-1").findings()
    (replica,) = one(stage("prod").template("sentiment"), TABLE, "Items")["Replicas"]
    assert replica["Region"] == {"Ref": "AWS::Region"}
    assert "REGIONS" not in environment(stage("prod").template("sentiment"), "Ingest")


def watched_metrics(alarm: dict[str, Any]) -> set[tuple[str, str]]:
    """The table and name of each metric that an alarm watches, alone or in an expression."""
    metrics = [
        one["MetricStat"]["Metric"] for one in alarm.get("Metrics", ()) if "MetricStat" in one
    ]
    pairs = set()
    for metric in metrics or [alarm]:
        where = {d["Name"]: d["Value"] for d in metric.get("Dimensions", ())}
        if "TableName" in where:
            pairs.add((where["TableName"], metric["MetricName"]))
    return pairs
