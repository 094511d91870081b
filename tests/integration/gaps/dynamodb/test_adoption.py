"""The CDK CLI imports an adopted table into a stack, with all of its items, and deploys that."""

import json
import subprocess
from pathlib import Path

import pytest

from examples.designs.shop import Shop
from tablewright.commands.command_line import main
from tablewright.model.table_form import TableForm
from tests.integration.gaps.clouds import HOME, Cloud
from tests.made_up_items import made_up_items
from toolchain import paths

NAME = "shop-of-old"
APP = f"""
from aws_cdk import App, BootstraplessSynthesizer, Environment, Stack

from shop import ShopOfOld
from tablewright.constructs import DesignTable

env = Environment(account="000000000000", region="{HOME}")
app = App()
stack = Stack(app, "Shop", env=env, synthesizer=BootstraplessSynthesizer())
DesignTable(stack, "Shop", design=ShopOfOld, table_name="{NAME}")
app.synth()
"""


def test_cdk_imports_an_adopted_table_by_its_mapping(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dynamodb, formation = cloud.client("dynamodb"), cloud.client("cloudformation")
    dynamodb.create_table(**TableForm.of(Shop.__design__).definition(NAME))
    items = made_up_items(Shop, each=30)
    for item in items:
        dynamodb.put_item(TableName=NAME, Item=item)
    monkeypatch.chdir(tmp_path)
    account = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    for name, value in account.items():
        monkeypatch.setenv(name, value)
    variables = {
        **paths.environment(),
        **account,
        "AWS_ENDPOINT_URL": cloud.endpoint,
        "AWS_REGION": HOME,
        "CDK_HOME": str(tmp_path / "cdk"),
        "CDK_VALIDATION": "false",
        "PYTHONPATH": f"{paths.ROOT}:{tmp_path}",
    }

    def cdk(*command: str) -> str:
        words = (str(paths.cdk()), *command, "--no-notices", "--app", "python app.py")
        done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    target = ("--region", HOME, "--endpoint-url", cloud.endpoint)
    assert main(["adopt", NAME, *target, "-o", "shop.py"]) == 0
    Path("app.py").write_text(APP)
    cdk("synth", "--quiet")
    template = json.loads(Path("cdk.out/Shop.template.json").read_text())
    (logical_id,) = (
        id
        for id, resource in template["Resources"].items()
        if resource["Type"] == "AWS::DynamoDB::GlobalTable"
    )
    mapping = ("--resource-mapping", "mapping.json", "--logical-id", logical_id)
    assert main(["adopt", NAME, *target, "-o", "shop.py", "--force", *mapping]) == 0

    said = cdk("import", "Shop", "--resource-mapping", "mapping.json", "--force")
    assert f"importing using TableName={NAME}" in said
    (stack,) = formation.describe_stacks(StackName="Shop")["Stacks"]
    assert stack["StackStatus"] == "IMPORT_COMPLETE"
    (taken,) = formation.describe_stack_resources(StackName="Shop")["StackResources"]
    assert (taken["LogicalResourceId"], taken["PhysicalResourceId"]) == (logical_id, NAME)

    cdk("deploy", "Shop", "--require-approval", "never")
    (stack,) = formation.describe_stacks(StackName="Shop")["Stacks"]
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert dynamodb.scan(TableName=NAME, Select="COUNT")["Count"] == len(items)
    assert main(["table", "describe", "examples.designs.shop:Shop", "--name", NAME, *target]) == 0
