"""Tables of one certain design: named after their stage, tagged, watched where they are spread."""

from typing import Any

import pytest
from aws_cdk import Environment

from tablewright.catalog.sales.constructs import SalesTable
from tablewright.constructs import DayPartitionedTable, ShardedTenantTable, WriteTable
from tablewright.constructs.tables.table import StagedTable
from tests.infrastructure.synthesis import new_stack, one, resources, template_of, text

TYPE = "AWS::DynamoDB::GlobalTable"
IN_IRELAND = Environment(account="111122223333", region="eu-west-1")


@pytest.mark.parametrize("names", [{}, {"stage": "dev", "table_name": "mine"}])
@pytest.mark.parametrize("table", [SalesTable, WriteTable, DayPartitionedTable, ShardedTenantTable])
def test_a_staged_table_takes_either_a_stage_or_a_name(
    table: type[StagedTable], names: dict[str, Any]
) -> None:
    message = f"{table.__name__} takes either a stage or a table_name"
    with pytest.raises(ValueError, match=message):
        table(new_stack(), "Table", **names)


@pytest.mark.parametrize(
    ("table", "name", "type"),
    [
        (WriteTable, "dev-sentiment-items-primary", "primary-write"),
        (DayPartitionedTable, "dev-sentiment-items-dashboard", "read-optimized-dashboard"),
    ],
)
def test_a_table_of_the_pair_is_named_by_stage_and_tagged_by_type(
    table: type[StagedTable], name: str, type: str
) -> None:
    stack = new_stack()
    table(stack, "Staged", stage="dev", tags={"team": "news"})
    table(stack, "Named", table_name="mine", tags={"TableType": "other"})
    template = template_of(stack)
    (staged,) = one(template, TYPE, "Staged")["Replicas"]
    assert staged["Tags"] == [
        {"Key": "TableType", "Value": type},
        {"Key": "team", "Value": "news"},
    ]
    assert one(template, TYPE, "Staged")["TableName"] == name
    assert one(template, TYPE, "Named")["TableName"] == "mine"
    assert one(template, TYPE, "Named")["Replicas"][0]["Tags"] == [
        {"Key": "TableType", "Value": "other"}
    ]


def test_a_write_table_watches_its_replicas_when_it_has_some() -> None:
    stack = new_stack(env=IN_IRELAND)
    WriteTable(stack, "Alone", table_name="alone")
    WriteTable(stack, "Spread", table_name="spread", replicas=["us-east-1", "us-west-2"])
    watched = [
        ({d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]}["TableName"][:7])
        for alarm in resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "ReplicationLatency"
    ]
    assert watched == ["{Spread", "{Spread"]
