"""A table that a plan changes: one commit, deployed in the steps of the plan."""

import json
from datetime import datetime
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Template

from tablewright.changes.plan.planning import plan_steps
from tablewright.changes.plan.steps import Kind
from tablewright.constructs import DesignTable
from tablewright.model import KEYS_ONLY, Entity, Field, Index, Key, Put, Table, Text, Timestamp
from tablewright.model.table_form import TableForm


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()


class Before(Table, id="orders", pk="PK", sk="SK", ttl="old"):
    by_customer = Index(
        pk="C1",
        keys={Order: Key("C#{customer}")},
        projects=(Order.placed_at, Order.customer),
    )
    by_day = Index(pk="D1", sk="placed_at", keys={Order: Key("D", "{placed_at}")})
    place = Put(Order)


class After(Table, id="orders", pk="PK", sk="SK", ttl="new", stream="NEW_IMAGE"):
    of_customer = Index(pk="E1", sk="E2", keys={Order: Key("C#{customer}", "{placed_at}")})
    by_month = Index(pk="M1", keys={Order: Key("M#{customer}")}, projects=KEYS_ONLY)
    place = Put(Order)


class Between(After, id="orders"):
    """With the indexes of both, until code of the old design is gone."""

    by_customer = Index(
        pk="C1",
        keys={Order: Key("C#{customer}")},
        projects=(Order.placed_at, Order.customer),
    )
    by_day = Index(pk="D1", sk="placed_at", keys={Order: Key("D", "{placed_at}")})


def form(context: Any = None, design: type[Table] = After) -> TableForm:
    """The form in the synthesized template of a design."""
    app = App(context={"tablewright:on-the-way": context} if context else {})
    stack = Stack(app, "Shop")
    DesignTable(stack, "Orders", design=design)
    (table,) = Template.from_stack(stack).find_resources("AWS::DynamoDB::GlobalTable").values()
    made = table["Properties"]
    stream = made.get("StreamSpecification")
    return TableForm.described(
        {**made, "StreamSpecification": stream and {**stream, "StreamEnabled": True}},
        made.get("TimeToLiveSpecification", {}).get("AttributeName"),
    )


@pytest.mark.parametrize("written", [dict, json.dumps])
def test_each_step_of_a_plan_can_be_deployed_by_itself(written: Any) -> None:
    number = 0
    for new, old in ((Between, Before), (After, Between)):
        for step in plan_steps(new, old):
            if step.kind in (Kind.TABLE, Kind.CONTRACT):
                assert form(written({"orders": step.form.to_json()}), new) == step.form
                number += 1
        assert step.form == TableForm.of(new.__design__)
    assert number == 7


def test_without_a_plan_and_for_other_tables_it_is_as_designed() -> None:
    assert form() == TableForm.of(After.__design__)
    assert form({"invoices": TableForm.of(Before.__design__).to_json()}) == form()


def test_expiry_is_switched_off_as_cloudformation_wants_it() -> None:
    off = {**TableForm.of(After.__design__)._replace(ttl=None).to_json(), "ttl_off": "old"}
    app = App(context={"tablewright:on-the-way": {"orders": off}})
    stack = Stack(app, "Shop")
    DesignTable(stack, "Orders", design=After)
    Template.from_stack(stack).has_resource_properties(
        "AWS::DynamoDB::GlobalTable",
        {"TimeToLiveSpecification": {"AttributeName": "old", "Enabled": False}},
    )
