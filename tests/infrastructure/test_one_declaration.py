"""What is written down twice says the same: table and tests' table, routes and document."""

from typing import Any

from lambdas.sales.openapi import document
from local.tables import definition
from stacks.sales import ROUTES
from tablewright.designs.sales import SALES
from tests.infrastructure.synthesis import Assembly, only


def by(name: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(entries, key=lambda entry: str(entry[name]))


def test_the_table_of_the_tests_is_the_table_that_is_deployed(prod: Assembly) -> None:
    deployed = only(prod.template("sales"), "AWS::DynamoDB::GlobalTable")
    tested = definition(SALES, SALES.name.format(stage="prod"))
    assert deployed["TableName"] == tested["TableName"] == "bg-remover-prod-sales-intelligence"
    assert deployed["KeySchema"] == tested["KeySchema"]
    assert deployed["BillingMode"] == tested["BillingMode"]
    attributes = "AttributeDefinitions"
    assert by("AttributeName", deployed[attributes]) == by("AttributeName", tested[attributes])
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in deployed["GlobalSecondaryIndexes"]
    ]
    assert [_sorted(index) for index in indexes] == [
        _sorted(index) for index in tested["GlobalSecondaryIndexes"]
    ]


def _sorted(index: dict[str, Any]) -> dict[str, Any]:
    projection = dict(index["Projection"])
    if "NonKeyAttributes" in projection:
        projection["NonKeyAttributes"] = sorted(projection["NonKeyAttributes"])
    return {**index, "Projection": projection}


def test_every_route_of_the_api_is_in_its_document_and_the_other_way_round() -> None:
    documented = {
        (method.upper(), path)
        for path, item in document()["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert set(ROUTES) == documented
