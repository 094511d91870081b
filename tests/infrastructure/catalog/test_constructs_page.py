"""Every block of the page of constructs runs, and makes the tables that the page describes."""

from typing import Any

import pytest
from aws_cdk import Stack

from cdk_app.settings import ROOT
from docs.site.markdown import blocks
from tablewright.constructs import REPLICAS
from tests.infrastructure.synthesis import Template, allowed, one, resources, template_of

PAGE = (ROOT / "docs" / "constructs.md").read_text()
TABLE = "AWS::DynamoDB::GlobalTable"
ALARM = "AWS::CloudWatch::Alarm"


@pytest.fixture(scope="module")
def app() -> dict[str, Any]:
    """The names that the blocks define, run in the order of the page."""
    names: dict[str, Any] = {"__name__": "constructs_page"}
    for block in blocks(PAGE):
        assert block.language == "python"
        exec(compile(block.code, "docs/constructs.md", "exec"), names)  # noqa: S102 - our own page
    return names


@pytest.fixture(scope="module")
def template(app: dict[str, Any]) -> Template:
    return template_of(app["stack"])


def test_the_page_makes_every_kind_and_every_ready_made_table(template: Template) -> None:
    generic = {"Log", "Visits", "Notes", "Orders"}
    portal = {"Content", "Notifications", "Subscriptions", "Events"}
    ready = {"Items", "Dashboard", "Forms", "Sales", "News"}
    tables = resources(template, TABLE)
    assert len(tables) == len(generic | portal | ready)
    for name in generic | portal | ready:
        assert one(template, TABLE, f"{name}Table"), name


@pytest.mark.parametrize("id", ["Items", "Log"])
def test_write_tables_stream_both_images_and_have_the_named_replicas(
    id: str, template: Template
) -> None:
    table = one(template, TABLE, f"{id}Table")
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    regions = {replica["Region"] for replica in table["Replicas"]}
    assert regions == {"us-east-1", *REPLICAS}
    assert all(region in PAGE for region in regions - {"us-east-1"})


def test_grants_reach_the_indexes_of_the_named_patterns(template: Template) -> None:
    indexes = {
        arn.rpartition(".Arn}/index/")[2]
        for action, arn in allowed(template, "Worker")
        if action == "dynamodb:Query" and arn.startswith("{Orders")
    }
    assert indexes == {"by_category", "by_coupon"}


def test_a_level_leaves_out_all_alarms(app: dict[str, Any], template: Template) -> None:
    assert resources(template_of(app["quiet"]), ALARM) == {}
    assert len(resources(template, ALARM)) > 25


def test_a_throw_away_table_has_no_alarms(app: dict[str, Any]) -> None:
    trial: Stack = app["trial"]
    assert resources(template_of(trial), ALARM) == {}
