"""CloudFormation takes a table that exists for what the template of its design says."""

import json
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

from examples.designs.shop import Shop
from tablewright.commands.command_line import main
from tablewright.constructs import DesignTable
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tests.infrastructure.synthesis import template_of
from tests.integration.gaps.clouds import HOME, Cloud
from tests.made_up_items import made_up_items

NAME = "shop-of-old"


def adopted(file: Path) -> type[Table]:
    names: dict[str, Any] = {"__name__": "adopted"}
    exec(file.read_text(), names)  # noqa: S102 - what the command has just written
    tables = (one for one in names.values() if isinstance(one, type) and issubclass(one, Table))
    return next(one for one in tables if one is not Table)


def table_of(design: type[Table]) -> tuple[str, dict[str, Any]]:
    """The table of a stack, by its logical id."""
    stack = Stack(App(), "Shop")
    DesignTable(stack, "Shop", design=design, table_name=NAME)
    ((logical_id, found),) = (
        one
        for one in template_of(stack)["Resources"].items()
        if one[1]["Type"] == "AWS::DynamoDB::GlobalTable"
    )
    return logical_id, found


def test_a_change_set_imports_an_adopted_table_by_its_mapping(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dynamodb, formation = cloud.client("dynamodb"), cloud.client("cloudformation")
    dynamodb.create_table(**TableForm.of(Shop.__design__).definition(NAME))
    items = made_up_items(Shop, each=30)
    for item in items:
        dynamodb.put_item(TableName=NAME, Item=item)
    monkeypatch.chdir(tmp_path)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    target = ("--region", HOME, "--endpoint-url", cloud.endpoint)
    assert main(["adopt", NAME, *target, "-o", "shop.py"]) == 0

    logical_id, resource = table_of(adopted(Path("shop.py")))
    mapping = ("--resource-mapping", "mapping.json", "--logical-id", logical_id)
    assert main(["adopt", NAME, *target, "-o", "shop.py", "--force", *mapping]) == 0
    told = json.loads(Path("mapping.json").read_text())
    formation.create_change_set(
        StackName="shop",
        ChangeSetName="import",
        ChangeSetType="IMPORT",
        TemplateBody=json.dumps({"Resources": {logical_id: resource}}),
        ResourcesToImport=[
            {
                "ResourceType": resource["Type"],
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": told[logical_id],
            }
        ],
    )
    formation.get_waiter("change_set_create_complete").wait(
        StackName="shop", ChangeSetName="import", WaiterConfig={"Delay": 1}
    )
    (change,) = formation.describe_change_set(StackName="shop", ChangeSetName="import")["Changes"]
    found = change["ResourceChange"]
    assert (found["Action"], found["LogicalResourceId"]) == ("Import", logical_id)
    formation.execute_change_set(StackName="shop", ChangeSetName="import")
    formation.get_waiter("stack_import_complete").wait(StackName="shop", WaiterConfig={"Delay": 1})

    (taken,) = formation.describe_stack_resources(StackName="shop")["StackResources"]
    assert (taken["LogicalResourceId"], taken["PhysicalResourceId"]) == (logical_id, NAME)
    assert dynamodb.scan(TableName=NAME, Select="COUNT")["Count"] == len(items)
    assert main(["table", "describe", "examples.designs.shop:Shop", "--name", NAME, *target]) == 0
