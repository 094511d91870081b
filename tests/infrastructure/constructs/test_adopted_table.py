"""The template of an adopted table is as the table is, as `cdk import` demands."""

import pytest

from tablewright.changes.adoption.proposal import propose
from tablewright.constructs import DesignTable
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tests.every_design import EVERY_DESIGN
from tests.infrastructure.synthesis import new_stack, only, template_of
from tests.made_up_items import made_up_items

pytestmark = pytest.mark.thorough


def template_form(table: type[Table]) -> TableForm:
    """What the template of a table says."""
    stack = new_stack()
    DesignTable(stack, "Adopted", design=table, table_name="adopted")
    made = only(template_of(stack), "AWS::DynamoDB::GlobalTable")
    ttl = made.get("TimeToLiveSpecification", {})
    return TableForm.described(made, ttl.get("AttributeName") if ttl.get("Enabled") else None)


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_the_template_of_an_adopted_design_has_the_table_s_keys(table: type[Table]) -> None:
    design = table.__design__
    form = TableForm.of(design)
    items = made_up_items(table, each=60)
    proposal = propose(form.definition(design.id), items, ttl=design.ttl)
    assert template_form(proposal.table) == form
