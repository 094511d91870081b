"""A stage that failed to deploy, or was destroyed, can be deployed again."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployment import cdk
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    resources,
    synthesize_stage,
    text,
)

Stage = Callable[[str], Assembly]
# Deletion protection that is on, and off.
OFF = {"true": "false", '"ACTIVE"': '"INACTIVE"'}
# What two stacks cannot have both, although the name is only theirs to choose.
_NAMES = {
    "AWS::DynamoDB::GlobalTable": "TableName",
    "AWS::Backup::BackupVault": "BackupVaultName",
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::CloudWatch::CompositeAlarm": "AlarmName",
    "AWS::Cognito::UserPool": "UserPoolName",
    "AWS::Cognito::UserPoolDomain": "Domain",
    "AWS::DAX::Cluster": "ClusterName",
    "AWS::Events::EventBus": "Name",
    "AWS::Events::Rule": "Name",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Role": "RoleName",
    "AWS::KMS::Alias": "AliasName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::Pipes::Pipe": "Name",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SecretsManager::Secret": "Name",
    "AWS::WAFv2::WebACL": "Name",
}
# Fixed names, with the reason for each.
_FIXED = {
    "AWS::DynamoDB::GlobalTable": "operators and other systems know the tables by their names",
    "AWS::SNS::Topic": "other systems publish to the requests for analysis",
    "AWS::Events::EventBus": "other systems put their rules on the bus of forms",
    "AWS::KMS::Alias": "other regions and the next deployment find the key by it",
    "AWS::SecretsManager::Secret": "other regions and the next deployment find the ring by it",
}
# Kept under a fixed name: imported by `make deploy IMPORT=1`, or adopted by any `make deploy`.
_TAKEN_OVER = {
    *("AWS::DynamoDB::GlobalTable", "AWS::KMS::Alias", "AWS::SecretsManager::Secret"),
}


def every(assembly: Assembly) -> Iterator[tuple[str, Template]]:
    for template in assembly.templates.values():
        yield from template["Resources"].items()


@pytest.mark.parametrize("name", [*STAGES, "prod-accelerated"])
def test_what_is_kept_goes_when_its_creation_fails(name: str, stage: Stage) -> None:
    policies = {resource.get("DeletionPolicy") for _, resource in every(stage(name))}
    assert "Retain" not in policies
    assert ("RetainExceptOnCreate" in policies) is (name not in ("local", "dev"))


def test_new_stacks_have_all_but_deletion_protection(stage: Stage, tmp_path: Path) -> None:
    name = "prod-us-east-1"
    final = stage(name)
    new = [f"tablewright-prod-{system}" for system in ("identity", "sentiment-us-west-2", "sales")]
    first = synthesize_stage(name, tmp_path, new_stacks=" ".join(new))
    assert first.findings() == final.findings()
    protection = re.compile(r'("DeletionProtection(?:Enabled)?": )(true|"ACTIVE")')
    for stack, template in final.templates.items():
        source = json.dumps(template)
        off = protection.sub(lambda found: found[1] + OFF[found[2]], source)
        assert json.dumps(first.templates[stack]) == (off if stack in new else source)
    protecting = {s.name for s in cdk.Assembly(final.folder).stacks if s.has_deletion_protection}
    assert protecting == {s for s, t in final.templates.items() if protection.search(json.dumps(t))}


@pytest.mark.parametrize("name", [*STAGES, "prod-accelerated", "prod-replicated-encrypted"])
def test_only_what_others_know_by_name_has_a_fixed_one(name: str, stage: Stage) -> None:
    for id, resource in every(stage(name)):
        named = resource.get("Properties", {}).get(_NAMES.get(resource["Type"], ""))
        if isinstance(named, str):
            assert resource["Type"] in _FIXED, f"{id} is called {named}"
            kept = str(resource.get("DeletionPolicy")).startswith("Retain")
            assert not kept or resource["Type"] in _TAKEN_OVER, f"{id} is kept as {named}"


def test_the_command_that_deploys_finds_every_stack_region_and_table(stage: Stage) -> None:
    made = cdk.Assembly(stage("prod-us-east-1").folder)
    assert made.regions() == ("us-east-1", "ap-south-1", "eu-west-1", "us-west-2")
    names = {found.name for found in made.stacks}
    assert {"tablewright-prod-sales", "tablewright-prod-sentiment-us-west-2"} < names
    tables = made.tables("us-east-1")
    assert len(tables) == 11
    stack, id, items = tables["prod-sentiment-items-primary"]
    assert (stack.name, id[:10]) == ("tablewright-prod-sentiment", "ItemsTable")
    assert items.replicas == {"us-west-2", "eu-west-1", "ap-south-1"}
    assert items.protected
    # The read table of each region is its own.
    assert tables["prod-sentiment-items-dashboard"][2].replicas == frozenset()
    assert list(made.tables("us-west-2")) == ["prod-sentiment-items-dashboard"]
    assert set(tables["bg-remover-prod-sales-intelligence"][2].form.indexes) == {
        "GSI1",
        "GSI2",
        "GSI3",
    }


def test_a_vault_is_named_after_the_stack_that_made_it(prod: Assembly) -> None:
    """So that the vault of a stack that is gone keeps its copies, and its name."""
    names = [
        text(vault["BackupVaultName"]["Fn::Join"][1][0])
        for template in prod.templates.values()
        for vault in resources(template, "AWS::Backup::BackupVault").values()
    ]
    assert len(set(names)) == len(names) == 10
    # With twelve more of the stack's own id, a vault's name has 50 characters at most.
    assert all(len(name) <= 38 for name in names)
    vault = next(iter(resources(prod.template("sales"), "AWS::Backup::BackupVault").values()))
    assert "AWS::StackId" in str(vault["BackupVaultName"])


def test_every_backup_plan_has_a_name_of_its_own(prod: Assembly) -> None:
    names = [
        plan["BackupPlan"]["BackupPlanName"]
        for template in prod.templates.values()
        for plan in resources(template, "AWS::Backup::BackupPlan").values()
    ]
    assert len(set(names)) == len(names) == 10
    assert all(name.startswith("tablewrightprod") and len(name) <= 50 for name in names)
