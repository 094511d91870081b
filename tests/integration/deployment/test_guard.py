"""Nothing with data, or paid for by the hour, is removed unless the stage file names it."""

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from cdk_app.stage_file import StageFile
from deployment import Refused
from deployment.deploy import Asked, deploy
from deployment.target import Target
from tests.integration.deployment.small_cdk import ITEMS, STACK, STAGE, Resources, SmallCdk

Stub = Callable[..., SmallCdk]
BUCKET: dict[str, Any] = {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Delete"}
QUEUE: dict[str, Any] = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "failed"}}
TOPIC: dict[str, Any] = {"Type": "AWS::SNS::Topic"}


@pytest.fixture
def stage(target: Target, cdk: Stub) -> "Stage":
    return Stage(target, cdk())


class Stage:
    """A stage of one table and other resources."""

    def __init__(self, target: Target, cdk: SmallCdk) -> None:
        self.target, self.cdk = target, cdk

    def deploy(self, resources: Resources, *removals: str) -> list[str]:
        self.target.file = StageFile(STAGE, {"removals": list(removals)})
        self.cdk.other = copy.deepcopy(resources)
        said: list[str] = []
        self.said = said
        deploy(self.target, self.cdk, Asked(approve="never"), said.append)
        return said

    def refused(self, resources: Resources, *removals: str) -> str:
        deployments = len(self.cdk.deployed)
        with pytest.raises(Refused) as refused:
            self.deploy(resources, *removals)
        assert len(self.cdk.deployed) == deployments
        return str(refused.value)

    def has(self, id: str) -> bool:
        return self.target.physical_id(STACK, id) is not None


def test_what_a_template_lacks_is_kept_unless_the_file_names_it(stage: Stage) -> None:
    stage.deploy({"Files": BUCKET, "Topic": TOPIC})
    bucket = stage.target.physical_id(STACK, "Files")
    assert stage.refused({}) == (
        "Nothing was changed. To keep what is listed, take back the change of the settings or of "
        "the code. To remove it, let stages/dev.toml say so, at its top:\n\n"
        f'removals = [\n  "{STACK}/Files",\n]\n'
    )
    shown = [
        "This deployment removes from dev:",
        f"- {STACK}/Files: AWS::S3::Bucket ({bucket}) is deleted",
    ]
    assert stage.said == shown
    assert stage.has("Files")
    # It is shown before anything is done, also when it is allowed.
    assert stage.deploy({}, f"{STACK}/Files")[:2] == shown
    assert not stage.has("Files")


def test_the_lines_of_the_message_can_be_copied_into_the_file(stage: Stage) -> None:
    stage.deploy({"Files": BUCKET, "Failed": QUEUE})
    said = stage.refused({}, f"{STACK}/Files")
    names = re.findall(r'^  "(.+)",$', said, re.MULTILINE)
    assert sorted(names) == [f"{STACK}/Failed", f"{STACK}/Files"]
    stage.deploy({}, *names)
    assert not stage.has("Failed")


def test_what_has_no_data_and_costs_nothing_may_go(stage: Stage) -> None:
    stage.deploy({"Topic": TOPIC})
    stage.deploy({})
    assert not stage.has("Topic")


def test_a_replacement_is_a_removal(stage: Stage) -> None:
    stage.deploy({"Failed": QUEUE})
    other = {**QUEUE, "Properties": {"QueueName": "other"}}
    assert f'"{STACK}/Failed",' in stage.refused({"Failed": other})
    assert stage.said[1].endswith("is replaced by a new one: QueueName changes")
    longer = {**QUEUE, "Properties": {"QueueName": "failed", "DelaySeconds": 5}}
    stage.deploy({"Failed": longer})


def test_a_resource_that_outlives_its_stack_is_named_too(stage: Stage) -> None:
    kept = {**BUCKET, "DeletionPolicy": "RetainExceptOnCreate"}
    stage.deploy({"Files": kept})
    stage.refused({})
    assert stage.said[1].endswith("leaves its stack and stays in the account")


def test_a_table_and_its_index_are_guarded(stage: Stage) -> None:
    table = stage.cdk.synth().stacks[0].template["Resources"]["Items"]
    more = copy.deepcopy(table)
    more["Properties"]["TableName"] = "dev-more"
    more["Properties"]["AttributeDefinitions"].append({"AttributeName": "A", "AttributeType": "S"})
    index = {
        "IndexName": "GSI1",
        "KeySchema": [{"AttributeName": "A", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    more["Properties"]["GlobalSecondaryIndexes"] = [index]
    stage.deploy({"More": more})
    fewer = copy.deepcopy(more)
    del fewer["Properties"]["GlobalSecondaryIndexes"]
    fewer["Properties"]["AttributeDefinitions"].pop()
    assert f'"{STACK}/More/GSI1",' in stage.refused({"More": fewer})
    assert f'"{STACK}/More",' in stage.refused({})
    assert f"- {STACK}/More: AWS::DynamoDB::GlobalTable (dev-more) is deleted" in stage.said
    assert ITEMS not in "".join(stage.said)


def test_a_name_of_what_stays_is_reported(stage: Stage) -> None:
    stage.deploy({"Files": BUCKET})
    said = stage.deploy({"Files": BUCKET}, f"{STACK}/Files")
    assert said[0] == (
        f"stages/dev.toml: removals names {STACK}/Files, and nothing of it is removed: "
        "delete the line."
    )
    assert stage.has("Files")
