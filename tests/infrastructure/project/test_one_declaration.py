"""What is written down twice says the same: table and tests' table, routes and document."""

from typing import Any

import pytest

from cdk_app.settings import read
from lambdas.sentiment import openapi as sentiment
from lambdas.sentiment import static
from lambdas.sentiment.contract import NEWS_ROUTE, NEWS_STREAM_ROUTE, READ_ROUTES, WRITE_ROUTES
from stacks.sentiment.dashboard_page import page_routes
from tablewright.catalog.sales.design import SALES
from tablewright.catalog.sentiment.dashboard import DASHBOARD
from tablewright.catalog.sentiment.items import ITEMS
from tablewright.model import Table
from tablewright.testing.tables import definition
from tests.infrastructure.synthesis import Assembly, resources

TABLES = [
    ("sales", SALES, "bg-remover-prod-sales-intelligence"),
    ("sentiment", ITEMS, "prod-sentiment-items-primary"),
    ("sentiment", DASHBOARD, "prod-sentiment-items-dashboard"),
]


def by(name: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(entries, key=lambda entry: str(entry[name]))


def table(prod: Assembly, system: str, name: str) -> dict[str, Any]:
    tables = resources(prod.template(system), "AWS::DynamoDB::GlobalTable").values()
    (found,) = [one for one in tables if one["TableName"] == name]
    return found


@pytest.mark.parametrize(("system", "design", "name"), TABLES)
def test_the_table_of_the_tests_is_the_table_that_is_deployed(
    prod: Assembly, system: str, design: Table, name: str
) -> None:
    deployed = table(prod, system, name)
    tested = definition(design, name)
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
    assert expiry == design.ttl


def _sorted(index: dict[str, Any]) -> dict[str, Any]:
    projection = dict(index["Projection"])
    if "NonKeyAttributes" in projection:
        projection["NonKeyAttributes"] = sorted(projection["NonKeyAttributes"])
    return {**index, "Projection": projection}


def test_the_stream_of_the_tests_is_the_stream_that_is_deployed(prod: Assembly) -> None:
    deployed = table(prod, "sentiment", "prod-sentiment-items-primary")["StreamSpecification"]
    tested = definition(ITEMS, "items")["StreamSpecification"]
    assert deployed["StreamViewType"] == tested["StreamViewType"] == "NEW_AND_OLD_IMAGES"


def documented(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    }


def page() -> set[tuple[str, str]]:
    stage = read(lambda _: None, {})
    return set(page_routes(stage))


def test_every_route_of_the_dashboard_but_the_page_is_in_its_document_and_vice_versa() -> None:
    files = {("GET", path) for path in static.paths()}
    routes = {*READ_ROUTES, *WRITE_ROUTES, NEWS_ROUTE, NEWS_STREAM_ROUTE, *page()}
    assert routes - files == documented(sentiment.document())


def test_every_file_of_the_page_has_a_route_and_every_route_a_file() -> None:
    assert page() == {("GET", path) for path in (*static.paths(), "/config.json")}
    assert not page() & {*READ_ROUTES, *WRITE_ROUTES, NEWS_ROUTE, NEWS_STREAM_ROUTE}
