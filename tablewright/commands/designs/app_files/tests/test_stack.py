"""The stack deploys what the design says, and grants no more than is used."""

import pytest
from aws_cdk import App
from aws_cdk.assertions import Match, Template
from tablewright.constructs import Protection

from NAME.stack import OrdersStack


@pytest.fixture(scope="module")
def template() -> Template:
    # Bundling is for deployments: the function's code is tested where it runs.
    app = App(context={"aws:cdk:bundling-stacks": []})
    return Template.from_stack(OrdersStack(app, "orders", protection=Protection.protected()))


def test_the_function_may_place_orders_and_nothing_else(template: Template) -> None:
    policies = template.find_resources("AWS::IAM::Policy").values()
    granted = [
        statement["Action"]
        for policy in policies
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if "dynamodb" in str(statement["Action"])
    ]
    assert granted == ["dynamodb:PutItem"]


def test_orders_cannot_be_deleted_by_accident(template: Template) -> None:
    protected = {"Replicas": [Match.object_like({"DeletionProtectionEnabled": True})]}
    template.has_resource_properties("AWS::DynamoDB::GlobalTable", protected)
