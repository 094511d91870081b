"""The template of an adopted table is as the table is, as `cdk import` demands."""

from typing import Any

import pytest

from tablewright.changes.adoption.proposal import propose
from tablewright.constructs import DesignTable
from tablewright.model import Table
from tablewright.model.table_definition import aspects, definition
from tests.every_design import EVERY_DESIGN
from tests.infrastructure.synthesis import new_stack, only, template_of
from tests.made_up_items import made_up_items

pytestmark = pytest.mark.thorough


def template_aspects(table: type[Table]) -> dict[str, str]:
    """What the template of a table says, part by part."""
    stack = new_stack()
    DesignTable(stack, "Adopted", design=table, table_name="adopted")
    made: dict[str, Any] = dict(only(template_of(stack), "AWS::DynamoDB::GlobalTable"))
    stream = made.get("StreamSpecification")
    if stream:
        made["StreamSpecification"] = {**stream, "StreamEnabled": True}
    ttl = made.get("TimeToLiveSpecification", {})
    return aspects(made, ttl.get("AttributeName") if ttl.get("Enabled") else None)


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_the_template_of_an_adopted_design_has_the_table_s_keys(table: type[Table]) -> None:
    design = table.__design__
    described = definition(design, design.id)
    proposal = propose(described, made_up_items(table, each=60), ttl=design.ttl)
    assert template_aspects(proposal.table) == aspects(described, design.ttl)
