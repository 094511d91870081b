"""A stand-in for the CDK CLI: deploys one small stack, by CloudFormation."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from deployment.cdk import Assembly, Cdk
from tests.integration.gaps.clouds import HOME, Cloud

STAGE = "dev"
STACK = f"tablewright-{STAGE}-sentiment"
ITEMS = f"{STAGE}-sentiment-items-primary"
Resources = dict[str, dict[str, Any]]


def table(*replicas: str, stage: str = STAGE, **more: Any) -> dict[str, Any]:
    return {
        "Type": "AWS::DynamoDB::GlobalTable",
        "DeletionPolicy": "Delete",
        "Properties": {
            "TableName": ITEMS.replace(STAGE, stage, 1),
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": region, **more} for region in (HOME, *replicas)],
        },
    }


class SmallCdk(Cdk):
    """Makes one stack with the write table, its replicas in the regions of the settings."""

    def __init__(
        self, cloud: Cloud, folder: Path, *replicas: str, stage: str = STAGE, **more: Any
    ) -> None:
        super().__init__(stage, {})
        self._stack = STACK.replace(STAGE, stage, 1)
        self._cloud, self._folder = cloud, folder
        self._replicas, self._more = replicas, more
        self.other: Resources = {}
        self.outputs: dict[str, str] = {}
        # What the CLI was told, deployment by deployment.
        self.deployed: list[tuple[str, ...]] = []
        self.options: list[str] = []
        self.only: list[Sequence[str]] = []

    def synth(self, context: Mapping[str, str] | None = None) -> Assembly:
        on_the_way = json.loads((context or {}).get("replicas_on_the_way", "{}"))
        replicas = on_the_way.get(ITEMS, self._replicas)
        more = dict(self._more)
        if self._stack in (context or {}).get("new_stacks", "").split():
            more["DeletionProtectionEnabled"] = False
        template = {
            "Resources": {"Items": table(*replicas, stage=self._stage, **more), **self.other},
            "Outputs": {name: {"Value": value} for name, value in self.outputs.items()},
        }
        artifact = {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://000000000000/{HOME}",
            "properties": {"templateFile": "stack.json"},
        }
        self._folder.mkdir(exist_ok=True)
        (self._folder / "stack.json").write_text(json.dumps(template))
        (self._folder / "manifest.json").write_text(
            json.dumps({"artifacts": {self._stack: artifact}})
        )
        return Assembly(self._folder)

    def deploy(self, assembly: Assembly, *options: str, only: Sequence[str] = ()) -> None:
        (stack,) = assembly.stacks
        self.options = list(options)
        self.only.append(only)
        properties = stack.template["Resources"]["Items"]["Properties"]
        self.deployed.append(tuple(r["Region"] for r in properties["Replicas"])[1:])
        formation = self._cloud.client("cloudformation")
        exists = self._exists(formation)
        if exists and self.status() in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED"):
            # As the CLI does.
            self.destroy(assembly)
            exists = False
        change = formation.update_stack if exists else formation.create_stack
        try:
            change(StackName=self._stack, TemplateBody=json.dumps(stack.template))
        except ClientError as error:
            # The CLI passes over a stack that is as it should be.
            if "No updates are to be performed" not in str(error):
                raise
            return
        waiter = formation.get_waiter(f"stack_{'update' if exists else 'create'}_complete")
        waiter.wait(StackName=self._stack, WaiterConfig={"Delay": 1})

    def destroy(self, assembly: Assembly) -> None:
        formation = self._cloud.client("cloudformation")
        formation.delete_stack(StackName=self._stack)
        formation.get_waiter("stack_delete_complete").wait(
            StackName=self._stack, WaiterConfig={"Delay": 1}
        )

    def status(self) -> str:
        """The stack's status."""
        found = self._cloud.client("cloudformation").describe_stacks(StackName=self._stack)
        return str(found["Stacks"][0]["StackStatus"])

    def _exists(self, formation: Any) -> bool:
        return any(
            stack["StackName"] == self._stack and stack["StackStatus"] != "DELETE_COMPLETE"
            for stack in formation.list_stacks()["StackSummaries"]
        )
