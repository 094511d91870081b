"""A table has the keys, indexes and protection that its design and props ask for."""

from decimal import Decimal
from typing import Any

import pytest
from aws_cdk import Environment
from aws_cdk import aws_kms as kms

from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sales
from tablewright.constructs import AlarmLevel, Capacity, DesignTable, Protection, Scaling
from tablewright.constructs.tables.table import TableOptions
from tablewright.model import (
    KEYS_ONLY,
    DesignError,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Number,
    Put,
    Query,
    Table,
    Text,
)
from tests.infrastructure.synthesis import new_stack, only, resources, template_of, text
from tests.integration.runtime.store.conftest import Orders

TYPE = "AWS::DynamoDB::GlobalTable"
# CloudFormation's limit of a stack.
MOST_RESOURCES = 500
IN_IRELAND = Environment(account="111122223333", region="eu-west-1")


class Reading(
    Entity,
    key=Key("METER#{meter}", "{at}"),
    example={"meter": "m1", "at": 1, "value": 2, "unit": "kWh"},
):
    meter: Field[str] = Text()
    at: Field[Decimal] = Number()
    value: Field[Decimal] = Number("v")
    unit: Field[str] = Text("u")


class Readings(Table, pk="PK", sk="at"):
    """Meter readings: a design whose sort key and index key are bare numbers."""

    values = Index(
        "ByValue",
        pk="meter",
        sk="v",
        projects=(Reading.unit,),
        keys={Reading: Key("{meter}", "{value}")},
    )

    put_reading = Put(Reading)
    get_reading = Get(Reading)
    by_value = Query(Reading, values, select=(Reading.meter, Reading.value, Reading.unit))


class OnlyNew(Readings, id="readings", stream="NEW_IMAGE"):
    """Readings of which streams have new images alone."""


class Misplaced(Readings, id="readings"):
    """Readings that are asked for by an index which does not hold them."""

    values = Index("ByValue", pk="x", projects=KEYS_ONLY)


def table_of(**props: Any) -> dict[str, Any]:
    stack = new_stack(env=props.pop("env", None))
    props.setdefault("design", Readings)
    DesignTable(stack, "Readings", table_name="readings", **props)
    return only(template_of(stack), TYPE)


@pytest.fixture(scope="module")
def sales() -> dict[str, Any]:
    stack = new_stack()
    SalesTable(stack, "Sales")
    return template_of(stack)


def test_the_sales_table_has_the_keys_of_its_design(sales: dict[str, Any]) -> None:
    table = only(sales, TYPE)
    assert "TableName" not in table
    assert key_of(table) == ("PK", "SK")
    assert {a["AttributeType"] for a in table["AttributeDefinitions"]} == {"S"}


def test_the_sales_indexes_carry_what_the_design_projects(sales: dict[str, Any]) -> None:
    found = {
        index["IndexName"]: (key_of(index), index["Projection"])
        for index in only(sales, TYPE)["GlobalSecondaryIndexes"]
    }
    carried = ["embeddingS3Key", "productId", "category", "salePrice", "brand"]
    assert found == {
        "GSI1": (("GSI1PK", "GSI1SK"), {"ProjectionType": "KEYS_ONLY"}),
        "GSI2": (
            ("GSI2PK", "GSI2SK"),
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": carried},
        ),
        "GSI3": (("GSI3PK", "GSI3SK"), {"ProjectionType": "KEYS_ONLY"}),
    }


def test_a_table_is_protected_unless_told_otherwise(sales: dict[str, Any]) -> None:
    table = only(sales, TYPE)
    (replica,) = table["Replicas"]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
    assert replica["DeletionProtectionEnabled"] is True
    assert replica["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": True,
        "RecoveryPeriodInDays": 35,
    }
    (resource,) = (r for r in sales["Resources"].values() if r["Type"] == TYPE)
    assert resource["DeletionPolicy"] == "RetainExceptOnCreate"


def test_a_protected_table_has_daily_copies_for_a_week(sales: dict[str, Any]) -> None:
    rules = only(sales, "AWS::Backup::BackupPlan")["BackupPlan"]["BackupPlanRule"]
    kept = {rule["RuleName"]: rule["Lifecycle"]["DeleteAfterDays"] for rule in rules}
    assert kept == {"Daily": 7}
    (table_id,) = resources(sales, TYPE)
    selection = only(sales, "AWS::Backup::BackupSelection")["BackupSelection"]
    assert [text(arn) for arn in selection["Resources"]] == [f"{{{table_id}.Arn}}"]


def test_throw_away_data_goes_with_its_stack() -> None:
    stack = new_stack()
    SalesTable(stack, "Sales", table_name="mine", protection=Protection.throw_away())
    template = template_of(stack)
    (resource,) = (r for r in template["Resources"].values() if r["Type"] == TYPE)
    assert resource["DeletionPolicy"] == "Delete"
    assert resource["Properties"]["TableName"] == "mine"
    assert resource["Properties"]["Replicas"][0]["DeletionProtectionEnabled"] is False
    assert not resources(template, "AWS::Backup::BackupPlan")


def test_a_throw_away_table_has_no_alarms_unless_its_scope_has_a_level() -> None:
    made = {}
    for level in (None, AlarmLevel.ESSENTIAL, AlarmLevel.ALL):
        stack = new_stack(env=IN_IRELAND)
        if level:
            level.apply_to(stack)
        protection = Protection.throw_away()
        SalesTable(stack, "Sales", protection=protection, replicas=["us-west-2"])
        made[level] = len(resources(template_of(stack), "AWS::CloudWatch::Alarm"))
    # Throttling, system errors, and how far the replica lags.
    assert made == {None: 0, AlarmLevel.ESSENTIAL: 0, AlarmLevel.ALL: 3}


@pytest.mark.parametrize("protection", [Protection.recoverable(), Protection.protected(), None])
def test_a_table_that_outlives_its_stack_has_all_alarms(protection: Protection | None) -> None:
    stack = new_stack()
    options: TableOptions = {"protection": protection} if protection else {}
    SalesTable(stack, "Sales", **options)
    # With backups, one more watches for missing copies.
    backups = (protection or Protection.protected()).backups
    expected = 2 if backups else 1
    assert len(resources(template_of(stack), "AWS::CloudWatch::Alarm")) == expected


def metrics_of(template: dict[str, Any], alarm: str) -> list[dict[str, Any]]:
    """The metrics that an alarm takes."""
    alarms = resources(template, "AWS::CloudWatch::Alarm").items()
    return [
        metric["MetricStat"]["Metric"]
        for id, found in alarms
        if f"Alarms{alarm}" in id
        for metric in found["Metrics"]
        if "MetricStat" in metric
    ]


@pytest.mark.parametrize("design", [Orders, Sales])
def test_eighty_tables_fit_one_stack(design: type[Table]) -> None:
    stack = new_stack()
    for number in range(80):
        DesignTable(stack, f"Table{number}", design=design)
    template = template_of(stack)
    assert len(template["Resources"]) <= MOST_RESOURCES
    assert len(resources(template, TYPE)) == 80
    assert len(resources(template, "AWS::CloudWatch::Alarm")) <= 5 * 80


def test_table_with_more_indexes_than_an_alarm_takes_has_more_alarms() -> None:
    class Item(Entity, key=Key("ITEM#{id}")):
        id: Field[str] = Text()

    class Wide(Table, pk="PK"):
        one = Index(pk="P1", keys={Item: Key("ONE#{id}")})
        two = Index(pk="P2", keys={Item: Key("TWO#{id}")})
        three = Index(pk="P3", keys={Item: Key("THREE#{id}")})
        four = Index(pk="P4", keys={Item: Key("FOUR#{id}")})
        five = Index(pk="P5", keys={Item: Key("FIVE#{id}")})
        put = Put(Item)

    stack = new_stack()
    DesignTable(stack, "Wide", design=Wide)
    alarms = resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
    counts = [sum("MetricStat" in one for one in found.get("Metrics", ())) for found in alarms]
    assert sorted(counts) == [0, 2, 10]


def test_throttling_of_the_table_and_of_each_index_is_alarmed(sales: dict[str, Any]) -> None:
    (table_id,) = resources(sales, TYPE)
    watched = set()
    for metric in metrics_of(sales, "Throttles"):
        where = {d["Name"]: text(d["Value"]) for d in metric["Dimensions"]}
        assert where["TableName"] == f"{{{table_id}}}"
        watched.add((metric["MetricName"], where.get("GlobalSecondaryIndexName")))
    assert watched == {
        (f"{kind}ThrottleEvents", index)
        for kind in ("Read", "Write")
        for index in (None, "GSI1", "GSI2", "GSI3")
    }


def test_system_errors_of_every_operation_in_use_are_alarmed_on_request() -> None:
    stack = new_stack()
    AlarmLevel.ALL.apply_to(stack)
    SalesTable(stack, "Sales")
    watched = {
        dimension["Value"]
        for metric in metrics_of(template_of(stack), "SystemErrors")
        for dimension in metric["Dimensions"]
        if dimension["Name"] == "Operation"
    }
    assert watched == {
        "BatchExecuteStatement",
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "UpdateItem",
    }


def test_no_alarm_sounds_for_want_of_data(sales: dict[str, Any]) -> None:
    """Except for missing backups, which are the absence itself."""
    alarms = resources(sales, "AWS::CloudWatch::Alarm").items()
    breaching = {id for id, alarm in alarms if alarm["TreatMissingData"] != "notBreaching"}
    assert all("BackupMissing" in id for id in breaching)
    assert len(breaching) == 1


def test_a_key_that_is_a_bare_field_has_the_type_of_the_field() -> None:
    table = table_of()
    types = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
    assert types == {"PK": "S", "at": "N", "meter": "S", "v": "N"}


def test_an_index_includes_fields_by_their_stored_names() -> None:
    (index,) = table_of()["GlobalSecondaryIndexes"]
    assert index["Projection"]["NonKeyAttributes"] == ["u"]


def test_a_design_with_faults_stops_the_synthesis() -> None:
    faulty = Misplaced
    with pytest.raises(DesignError, match="table design 'readings'"):
        DesignTable(new_stack(), "Readings", design=faulty, table_name="readings")


def test_on_demand_limits_hold_for_the_indexes_too() -> None:
    table = table_of(capacity=Capacity.on_demand(max_read=100, max_write=50, warm_write=4000))
    limits = [table, *table["GlobalSecondaryIndexes"]]
    assert [part["WriteOnDemandThroughputSettings"] for part in limits] == [
        {"MaxWriteRequestUnits": 50}
    ] * 2
    assert [part["WarmThroughput"] for part in limits] == [{"WriteUnitsPerSecond": 4000}] * 2


def test_provisioned_capacity_follows_the_load() -> None:
    capacity = Capacity.provisioned(read=Scaling(min=5, max=50), write=Scaling(min=1, max=10))
    table = table_of(capacity=capacity)
    assert table["BillingMode"] == "PROVISIONED"
    for part in (table, *table["GlobalSecondaryIndexes"]):
        scaling = part["WriteProvisionedThroughputSettings"]["WriteCapacityAutoScalingSettings"]
        assert (scaling["MinCapacity"], scaling["MaxCapacity"]) == (1, 10)


def test_capacity_that_cannot_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="not 10 to 5"):
        Scaling(min=10, max=5)


def test_each_replica_is_as_protected_as_the_table() -> None:
    table = table_of(env=IN_IRELAND, replicas=["us-east-1"], tags={"team": "meters"})
    assert {replica["Region"] for replica in table["Replicas"]} == {"eu-west-1", "us-east-1"}
    for replica in table["Replicas"]:
        assert replica["DeletionProtectionEnabled"] is True
        assert replica["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
        assert {"Key": "team", "Value": "meters"} in replica["Tags"]


@pytest.mark.parametrize(
    ("props", "problem"),
    [
        ({"replicas": ["us-east-1"]}, "has replicas, so its stack must say its own region"),
        ({"replicas": ["eu-west-1"], "env": IN_IRELAND}, "is itself in eu-west-1"),
        (
            {"replicas": ["us-east-1"], "env": IN_IRELAND, "design": OnlyNew},
            "must stream NEW_AND_OLD_IMAGES",
        ),
    ],
)
def test_replicas_that_could_not_work_are_refused(props: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        table_of(**props)


def test_replicas_of_a_table_with_its_own_key_need_keys_too() -> None:
    stack = new_stack(env=IN_IRELAND)
    with pytest.raises(ValueError, match="must name a key for us-east-1"):
        SalesTable(
            stack,
            "Sales",
            replicas=["us-east-1"],
            encryption_key=kms.Key(stack, "Key"),
        )


def test_a_table_with_its_own_key_needs_a_stack_that_says_its_region() -> None:
    stack = new_stack()
    with pytest.raises(ValueError, match="has its own encryption key, so its stack must say"):
        SalesTable(stack, "Sales", encryption_key=kms.Key(stack, "Key"))


def test_the_design_says_what_is_streamed() -> None:
    assert "StreamSpecification" not in table_of()
    assert table_of(design=OnlyNew)["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}


def key_of(part: dict[str, Any]) -> tuple[str, ...]:
    schema = {key["KeyType"]: key["AttributeName"] for key in part["KeySchema"]}
    return schema["HASH"], schema["RANGE"]
