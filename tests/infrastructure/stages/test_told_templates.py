"""Every setting reaches the templates: one stage that is told almost everything."""

import json
from typing import Any

import pytest

from tests.infrastructure.synthesis import (
    IN_VIRGINIA,
    Assembly,
    Template,
    allowed,
    environment,
    one,
    only,
    resources,
    statements,
    synthesize_stage,
    text,
)

pytestmark = pytest.mark.thorough

TABLE, KEY = "AWS::DynamoDB::GlobalTable", "AWS::KMS::Key"
FUNCTION, MAPPING = "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping"
TOLD = {
    **IN_VIRGINIA,
    "TABLEWRIGHT_ALARM_EMAIL": "ops@example.com",
    "TABLEWRIGHT_ALARMS": "essential",
    "TABLEWRIGHT_CLIENT": "boto3",
    "TABLEWRIGHT_CONNECTIONS": "100",
    "TABLEWRIGHT_REPLICAS": "us-west-2",
    "TABLEWRIGHT_REPLICATED": "sentiment,sales",
    "TABLEWRIGHT_CUSTOMER_KEYS": "sentiment,sales",
    "TABLEWRIGHT_CAPACITY": "on-demand:1000/4000,sales=provisioned:5-100@70/5-50@60,"
    "portal=on-demand,portal.events=on-demand:500/600:warm=15000/5000",
    "TABLEWRIGHT_API_RATE": "50/80,forms=2000/4000",
    "TABLEWRIGHT_CONCURRENCY": "forms.deliver=20,sentiment.analyse=5,forms.submit=7,sales.api=9",
    "TABLEWRIGHT_OPEN_CONCURRENCY": "3",
    "TABLEWRIGHT_PAGE_LIMIT": "50",
    "TABLEWRIGHT_LOG_DAYS": "90",
    "TABLEWRIGHT_STANDBY": "on",
    "TABLEWRIGHT_TRACES": "on,sales=off",
    "TABLEWRIGHT_CALL_LOGS": "off",
    "TABLEWRIGHT_RECOVERY_DAYS": "3",
    "TABLEWRIGHT_BACKUP_DAYS": "10/100",
    "TABLEWRIGHT_STREAM_WINDOW": "7",
    "TABLEWRIGHT_THREAT_PROTECTION": "on",
    "TABLEWRIGHT_NEWS_DAYS": "14",
    "TABLEWRIGHT_POLL_MINUTES": "5",
    "TABLEWRIGHT_HEAL_MINUTES": "1",
    "TABLEWRIGHT_ACCELERATOR": "on",
    "TABLEWRIGHT_ACCELERATOR_NODES": "2",
    "TABLEWRIGHT_ACCELERATOR_NODE_TYPE": "dax.r5.large",
    "TABLEWRIGHT_CATEGORY_SHARDS": "20",
    "TABLEWRIGHT_EMBEDDING_SHARDS": "7",
    "TABLEWRIGHT_SALE_YEARS": "7",
    "TABLEWRIGHT_SALE_PROJECTION": "ALL",
    "TABLEWRIGHT_FORM_RETRY_SECONDS": "30",
    "TABLEWRIGHT_SUBMISSION_DAYS": "365",
    "TABLEWRIGHT_SHARD_RULES": '{"most": 20}',
    "TABLEWRIGHT_PLAN_HOURS": "6",
    "TABLEWRIGHT_EVENT_DAYS": "30",
    "TABLEWRIGHT_EVENT_SHARDS": "10",
    "TABLEWRIGHT_CALENDAR_MINUTES": "60",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return synthesize_stage("dev", tmp_path_factory.mktemp("told"), TOLD)


@pytest.mark.parametrize(
    ("system", "function", "variables"),
    [
        (
            "sales",
            "Api",
            {"CATEGORY_SHARDS": "20", "EMBEDDING_SHARDS": "7", "SALE_YEARS": "7"}
            | {"SALE_PROJECTION": "ALL", "PAGE_LIMIT": "50"},
        ),
        ("sentiment", "Api", {"PAGE_LIMIT": "50", "TABLEWRIGHT_CONNECTIONS": "100"}),
        ("sentiment", "Ingest", {"NEWS_DAYS": "14"}),
        ("sentiment", "NewsApi", {"PAGE_LIMIT": "50"}),
        ("forms", "Admin", {"PAGE_LIMIT": "50"}),
        ("forms", "Submit", {"SUBMISSION_DAYS": "365", "TABLEWRIGHT_CLIENT": "boto3"}),
        ("forms", "Plan", {"SHARD_RULES": '{"most": 20}'}),
        ("forms", "DeliveriesDeliver", {"RETRY_FIRST_SECONDS": "30"}),
        ("portal", "ContentApi", {"PAGE_LIMIT": "50"}),
        ("portal", "InboxApi", {"PAGE_LIMIT": "50"}),
        ("portal", "EventsApi", {"PAGE_LIMIT": "50", "EVENT_DAYS": "30", "EVENT_SHARDS": "10"}),
    ],
)
def test_functions_are_told(
    system: str, function: str, variables: dict[str, str], told: Assembly
) -> None:
    assert environment(told.template(system), function).items() >= variables.items()


def test_alarms_are_told_by_e_mail(told: Assembly) -> None:
    subscription = only(told.template("operations"), "AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_tables_of_the_systems_that_are_named_have_replicas(told: Assembly) -> None:
    replicated = {
        name
        for system in ("sentiment", "sales", "forms", "portal")
        for name, table in tables(told, system).items()
        if {replica["Region"] for replica in table["Replicas"]} == {"us-east-1", "us-west-2"}
    }
    shared = {f"sentiment-{name}" for name in ("items-primary", "items", "regions")}
    assert replicated == {*shared, "bg-remover-dev-sales-intelligence"}


def tables(told: Assembly, system: str) -> dict[str, Template]:
    found = resources(told.template(system), TABLE).values()
    return {table["TableName"].removeprefix("dev-"): table for table in found}


def limits(table: Template) -> tuple[Any, Any]:
    (home, *_) = table["Replicas"]
    read = home.get("ReadOnDemandThroughputSettings", {}).get("MaxReadRequestUnits")
    return read, table.get("WriteOnDemandThroughputSettings", {}).get("MaxWriteRequestUnits")


def test_capacity_is_on_demand_with_limits_by_stage_system_and_table(told: Assembly) -> None:
    assert {limits(table) for table in tables(told, "forms").values()} == {(1000, 4000)}
    assert {limits(table) for table in tables(told, "sentiment").values()} == {(1000, 4000)}
    portal = tables(told, "portal")
    events = portal.pop("events")
    assert {limits(table) for table in portal.values()} == {(None, None)}
    assert limits(events) == (500, 600)
    warm = {"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 5000}
    assert events["WarmThroughput"] == warm
    assert [i["WarmThroughput"] for i in events["GlobalSecondaryIndexes"]] == [warm]


def test_capacity_is_provisioned_and_scales_in_every_replica_and_index(told: Assembly) -> None:
    def scales(low: int, high: int, percent: int) -> dict[str, Any]:
        target = {"TargetValue": percent}
        bounds = {"MinCapacity": low, "MaxCapacity": high}
        return {**bounds, "TargetTrackingScalingPolicyConfiguration": target}

    (sales,) = tables(told, "sales").values()
    writes = "WriteProvisionedThroughputSettings"
    reads = "ReadProvisionedThroughputSettings"
    assert sales["BillingMode"] == "PROVISIONED"
    for part in (sales, *sales["GlobalSecondaryIndexes"]):
        assert part[writes] == {"WriteCapacityAutoScalingSettings": scales(5, 50, 60)}
    assert {replica["Region"] for replica in sales["Replicas"]} == {"us-east-1", "us-west-2"}
    for replica in sales["Replicas"]:
        for part in (replica, *replica["GlobalSecondaryIndexes"]):
            assert part[reads] == {"ReadCapacityAutoScalingSettings": scales(5, 100, 70)}


def test_apis_take_the_rate_of_their_system(told: Assembly) -> None:
    for system, rate in (("sales", (50, 80)), ("portal", (50, 80)), ("forms", (2000, 4000))):
        set_to = only(told.template(system), "AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]
        assert (set_to["ThrottlingRateLimit"], set_to["ThrottlingBurstLimit"]) == rate


def test_concurrency_is_reserved_by_name_and_of_what_is_open(told: Assembly) -> None:
    reserved = {
        function["Handler"].removeprefix("lambdas.").removesuffix(".handler"): many
        for template in told.templates.values()
        for function in resources(template, FUNCTION).values()
        if (many := function.get("ReservedConcurrentExecutions"))
    }
    assert reserved == {
        "forms.handlers.deliver": 20,
        "forms.handlers.submit": 7,
        "sales.handlers.api": 9,
        "sentiment.handlers.analyse": 5,
        "sentiment.handlers.serve_page": 3,
    }


@pytest.mark.parametrize(
    ("system", "function", "many"), [("forms", "Deliver", 20), ("sentiment", "Analyse", 5)]
)
def test_a_queue_brings_no_more_than_its_function_has_reserved(
    system: str, function: str, many: int, told: Assembly
) -> None:
    """What is refused was received, and five such receipts make a dead letter."""
    mappings = resources(told.template(system), MAPPING).values()
    (found,) = (m for m in mappings if function in text(m["FunctionName"]) and "ScalingConfig" in m)
    assert found["ScalingConfig"] == {"MaximumConcurrency": many}


def test_a_system_that_is_not_traced_may_send_no_traces(told: Assembly, dev: Assembly) -> None:
    for assembly, mode in ((dev, {"Mode": "Active"}), (told, None)):
        sales = assembly.template("sales")
        found = one(sales, FUNCTION, "ApiFunction").get("TracingConfig")
        assert found == mode
        may = ("xray:PutTraceSegments", "*") in allowed(sales, "ApiRole")
        assert may is (mode is not None)
    assert one(told.template("forms"), FUNCTION, "Submit")["TracingConfig"] == {"Mode": "Active"}


def test_calls_are_logged_by_lambda_where_that_is_asked(told: Assembly, dev: Assembly) -> None:
    for assembly, level in ((dev, None), (told, "WARN")):
        config = one(assembly.template("sales"), FUNCTION, "ApiFunction")["LoggingConfig"]
        assert (config.get("SystemLogLevel"), config["LogFormat"]) == (level, "JSON")
        # What functions log themselves is bounded by their own level.
        assert "ApplicationLogLevel" not in config


def test_what_is_kept_is_kept_as_long_as_asked_for(told: Assembly) -> None:
    sales = told.template("sales")
    groups = resources(sales, "AWS::Logs::LogGroup").values()
    assert {group["RetentionInDays"] for group in groups} == {90}
    (table,) = tables(told, "sales").values()
    for replica in table["Replicas"]:
        assert replica["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == 3
    rules = only(sales, "AWS::Backup::BackupPlan")["BackupPlan"]["BackupPlanRule"]
    assert [rule["Lifecycle"]["DeleteAfterDays"] for rule in rules] == [10, 100]


@pytest.mark.parametrize(
    ("system", "rule", "rate"),
    [
        ("sentiment", "Poll", "rate(5 minutes)"),
        ("sentiment", "NewsHealing", "rate(1 minute)"),
        ("forms", "Planning", "rate(6 hours)"),
        ("portal", "Dates", "rate(1 hour)"),
    ],
)
def test_the_clock_runs_as_asked_for(system: str, rule: str, rate: str, told: Assembly) -> None:
    found = one(told.template(system), "AWS::Events::Rule", rule)
    assert found["ScheduleExpression"] == rate


def test_streams_are_gathered_for_as_long_as_asked_for(told: Assembly) -> None:
    for system in ("sentiment", "forms", "portal"):
        mappings = resources(told.template(system), MAPPING).values()
        windows = [m["MaximumBatchingWindowInSeconds"] for m in mappings if "StartingPosition" in m]
        assert windows == [7] * (2 if system == "portal" else 1)


def test_the_accelerator_has_the_nodes_asked_for(told: Assembly) -> None:
    cluster = only(told.template("sentiment"), "AWS::DAX::Cluster")
    assert (cluster["ReplicationFactor"], cluster["NodeType"]) == (2, "dax.r5.large")


def test_passwords_are_guarded_where_asked_for(told: Assembly) -> None:
    pool = only(told.template("identity"), "AWS::Cognito::UserPool")
    assert pool["UserPoolTier"] == "PLUS"


def test_shards_are_told_to_the_next_deployment(told: Assembly) -> None:
    outputs = {
        name: output["Value"]
        for system in ("sales", "portal")
        for name, output in told.template(system)["Outputs"].items()
        if name.endswith("Shards")
    }
    assert outputs == {"CategoryShards": "20", "EmbeddingShards": "7", "EventShards": "10"}


def test_whole_sales_are_in_the_indexes_of_categories_and_brands(told: Assembly) -> None:
    (table,) = tables(told, "sales").values()
    carried = {
        one["IndexName"]: one["Projection"]["ProjectionType"]
        for one in table["GlobalSecondaryIndexes"]
    }
    assert carried == {"GSI1": "ALL", "GSI2": "INCLUDE", "GSI3": "ALL"}


def test_a_system_has_a_key_that_is_rotated_with_a_replica_where_its_tables_are(
    told: Assembly,
) -> None:
    keys = resources(told.template("keys"), KEY)
    assert len(keys) == 2
    for key in keys.values():
        assert (key["EnableKeyRotation"], key["MultiRegion"]) == (True, True)
    assert len(resources(told.template("keys-us-west-2"), "AWS::KMS::ReplicaKey")) == 2
    for system in ("sentiment", "sales"):
        for table in tables(told, system).values():
            for replica in table["Replicas"]:
                used = text(replica["SSESpecification"]["KMSMasterKeyId"])
                assert f"Output{'FnGetAtt' if replica['Region'] == 'us-east-1' else 'Ref'}" in used
                assert system.capitalize() in used
    for system in ("forms", "portal"):
        assert "KMSMasterKeyId" not in str(tables(told, system))


def test_whoever_reads_a_table_may_use_its_key_by_dynamodb_alone(told: Assembly) -> None:
    readers = (("sales", "TenantAccess"), ("sentiment", "Ingest"), ("sentiment", "Project"))
    for stack, role in readers:
        template = told.template(stack)
        assert {"kms:Decrypt", "kms:DescribeKey"} <= {a for a, _ in allowed(template, role)}
        for statement in statements(template, role):
            if "kms:Decrypt" in statement["Action"]:
                assert "kms:ViaService" in statement["Condition"]["StringEquals"]
    # What writes in every region may use every region's key.
    standby = statements(told.template("sentiment-us-west-2"), "Ingest")
    services = {
        text(s["Condition"]["StringEquals"]["kms:ViaService"]).split(".")[1]
        for s in standby
        if "kms:Decrypt" in s["Action"]
    }
    assert services == {"us-east-1", "us-west-2"}


def test_keys_are_there_before_the_tables_and_their_replicas(told: Assembly) -> None:
    artifacts = json.loads((told.folder / "manifest.json").read_text())["artifacts"]
    needs = {name: artifact.get("dependencies", ()) for name, artifact in artifacts.items()}
    for system in ("sales", "sentiment"):
        assert "tablewright-dev-keys-us-west-2" in needs[f"tablewright-dev-{system}"]
    assert "tablewright-dev-keys" in needs["tablewright-dev-keys-us-west-2"]
