"""Each status that CloudFormation gives a stack is deployed on, or explained with a command."""

from typing import Any

import boto3
import pytest
from botocore.loaders import Loader

from cdk_app.stage_file import StageFile
from deployment import Refused
from deployment.target import Target

STACK, REGION = "tablewright-prod-sales", "eu-west-1"
_MODEL = Loader().load_service_model("cloudformation", "service-2")
STATUSES = set(_MODEL["shapes"]["StackStatus"]["enum"])
# The CLI creates such a stack, after deleting what is left of the one before.
CREATED_AGAIN = {"REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_COMPLETE"}
UPDATED = {
    *("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"),
    *("IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE"),
}
AWS = f"aws cloudformation {{}} --region {REGION} --stack-name {STACK}"
ROLL_BACK = f'make cdk STAGE=prod ARGS="rollback {STACK}"'
EXPLAINED = {
    "CREATE_FAILED": ROLL_BACK,
    "UPDATE_FAILED": ROLL_BACK,
    "UPDATE_ROLLBACK_FAILED": ROLL_BACK,
    "DELETE_FAILED": AWS.format("delete-stack"),
    "IMPORT_ROLLBACK_FAILED": AWS.format("describe-stack-events"),
}
WAITED_FOR = {status for status in STATUSES if status.endswith("_IN_PROGRESS")} - CREATED_AGAIN


class Session:
    """An account with one stack."""

    region_name = REGION

    def __init__(self, status: str) -> None:
        self._stack = {
            "StackName": STACK,
            "StackStatus": status,
            "StackStatusReason": "Bucket is not empty",
        }

    def client(self, *_: Any, **__: Any) -> "Session":
        return self

    def get_caller_identity(self) -> dict[str, str]:
        return {"Account": "123456789012"}

    def describe_stacks(self, **_: Any) -> dict[str, Any]:
        return {"Stacks": [self._stack]}


def target_with(status: str, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setattr(boto3.session, "Session", lambda: Session(status))
    return Target(StageFile("prod", {}), {})


def test_tests_name_each_status_of_cloudformation() -> None:
    assert CREATED_AGAIN | UPDATED | set(EXPLAINED) | WAITED_FOR == STATUSES


@pytest.mark.parametrize("status", sorted(CREATED_AGAIN | UPDATED))
def test_stack_is_created_again_or_updated(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_with(status, monkeypatch)
    target.require_deployable(STACK, REGION)
    assert target.has_stack(STACK) is (status in UPDATED)


@pytest.mark.parametrize(("status", "command"), EXPLAINED.items())
def test_failed_change_is_explained_with_a_command(
    status: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused) as refused:
        target_with(status, monkeypatch).require_deployable(STACK, REGION)
    message = str(refused.value)
    assert message.startswith(f"{STACK} is {status} (Bucket is not empty).")
    assert message.endswith(f"run the same command again: {command}")


@pytest.mark.parametrize("status", sorted(WAITED_FOR))
def test_change_under_way_is_waited_for(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused) as refused:
        target_with(status, monkeypatch).require_deployable(STACK, REGION)
    assert f"{STACK} is {status}: another deployment changes it" in str(refused.value)
    assert AWS.format("describe-stacks") in str(refused.value)
