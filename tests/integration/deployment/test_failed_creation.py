"""A first deployment that fails at a resource is repeated by the same command."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import WaiterError

from deployment import Refused
from deployment.deploy import Asked, deploy
from deployment.target import Target
from tests.integration.deployment.small_cdk import ITEMS, STACK, STAGE, SmallCdk
from tests.integration.gaps.clouds import HOME

Stub = Callable[..., SmallCdk]
PROTECTED = {"DeletionProtectionEnabled": True}
OREGON = "us-west-2"
# DynamoDB refuses it: its key is not defined.
FAILING: dict[str, Any] = {
    "Type": "AWS::DynamoDB::Table",
    "DependsOn": "Items",
    "Properties": {
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "other", "AttributeType": "S"}],
    },
}


def run(target: Target, cdk: SmallCdk, **asked: Any) -> list[str]:
    said: list[str] = []
    deploy(target, cdk, Asked(approve="never", **asked), said.append)
    return said


def is_protected(target: Target, region: str | None = None) -> bool:
    table = target.table(ITEMS, region)
    assert table is not None
    return table.protected


@pytest.mark.parametrize("replicas", [(), (OREGON,)])
def test_failed_creation_of_protected_table_is_repeated(
    replicas: tuple[str, ...], target: Target, cdk: Stub
) -> None:
    stage = cdk(*replicas, **PROTECTED)
    stage.other = {"Failing": FAILING}
    for _ in range(2):
        with pytest.raises(WaiterError):
            run(target, stage)
        assert stage.status() == "ROLLBACK_COMPLETE"
        assert target.table(ITEMS) is None
    stage.other = {}
    said = run(target, stage)
    assert "All stacks are complete. Their tables and user pools get deletion protection." in said
    assert all(is_protected(target, region) for region in (None, *replicas))
    # An update needs one step.
    before = len(stage.deployed)
    run(target, stage)
    assert len(stage.deployed) == before + 1
    assert is_protected(target)


def test_interruption_before_protection_is_made_up_for(target: Target, cdk: Stub) -> None:
    stage = cdk(**PROTECTED)
    real = stage.deploy

    def interrupted(*args: Any, **options: Any) -> None:
        real(*args, **options)
        raise KeyboardInterrupt

    stage.deploy = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        run(target, stage)
    assert not is_protected(target)
    stage.deploy = real  # type: ignore[method-assign]
    run(target, stage)
    assert is_protected(target)


def test_table_of_a_failed_rollback_is_taken_over(target: Target, cdk: Stub) -> None:
    stage = cdk(**PROTECTED)
    stage.other = {"Failing": FAILING}
    # As a deployment by the CDK CLI alone does.
    with pytest.raises(WaiterError):
        stage.deploy(stage.synth())
    assert stage.status() == "ROLLBACK_FAILED"
    stage.other = {}
    with pytest.raises(Refused, match=f"{ITEMS} in .* make deploy STAGE={STAGE} IMPORT=1"):
        run(target, stage)
    assert is_protected(target)


def test_failed_deletion_is_explained_before_anything_changes(target: Target, cdk: Stub) -> None:
    stage = cdk(**PROTECTED)
    run(target, stage)
    with pytest.raises(WaiterError):
        stage.destroy(stage.synth())
    before = len(stage.deployed)
    command = f"aws cloudformation delete-stack --region {HOME} --stack-name {STACK}"
    with pytest.raises(Refused, match=f"DELETE_FAILED .*Remove the cause.*{command}"):
        run(target, stage)
    assert len(stage.deployed) == before
