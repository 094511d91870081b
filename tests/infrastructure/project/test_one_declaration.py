"""What is written down twice says the same: table and tests' table."""

from typing import Any

import pytest

from tablewright.catalog.sales.design import Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items, items_table
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tests.infrastructure.synthesis import Assembly, resources

TABLES = [
    ("sales", Sales, "bg-remover-prod-sales-intelligence"),
    ("sentiment", items_table(days=90), "prod-sentiment-items-primary"),
    ("sentiment", Dashboard, "prod-sentiment-items-dashboard"),
]


def by(name: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(entries, key=lambda entry: str(entry[name]))


def table(prod: Assembly, system: str, name: str) -> dict[str, Any]:
    tables = resources(prod.template(system), "AWS::DynamoDB::GlobalTable").values()
    (found,) = [one for one in tables if one["TableName"] == name]
    return found


@pytest.mark.parametrize(("system", "design", "name"), TABLES)
def test_the_table_of_the_tests_is_the_table_that_is_deployed(
    prod: Assembly, system: str, design: type[Table], name: str
) -> None:
    deployed = table(prod, system, name)
    tested = TableForm.of(design.__design__).definition(name)
    assert deployed["KeySchema"] == tested["KeySchema"]
    assert deployed["BillingMode"] == tested["BillingMode"]
    attributes = "AttributeDefinitions"
    assert by("AttributeName", deployed[attributes]) == by("AttributeName", tested[attributes])
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in deployed.get("GlobalSecondaryIndexes", [])
    ]
    assert [_sorted(index) for index in indexes] == [
        _sorted(index) for index in tested.get("GlobalSecondaryIndexes", [])
    ]
    expiry = deployed.get("TimeToLiveSpecification", {}).get("AttributeName")
    assert expiry == design.__design__.ttl


def _sorted(index: dict[str, Any]) -> dict[str, Any]:
    projection = dict(index["Projection"])
    if "NonKeyAttributes" in projection:
        projection["NonKeyAttributes"] = sorted(projection["NonKeyAttributes"])
    return {**index, "Projection": projection}


def test_the_stream_of_the_tests_is_the_stream_that_is_deployed(prod: Assembly) -> None:
    deployed = table(prod, "sentiment", "prod-sentiment-items-primary")["StreamSpecification"]
    tested = TableForm.of(Items.__design__).definition("items")["StreamSpecification"]
    assert deployed["StreamViewType"] == tested["StreamViewType"] == "NEW_AND_OLD_IMAGES"
