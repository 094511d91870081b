"""A first deployment that fails at a resource of any kind leaves nothing, and can be repeated."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import LOCAL_ACCOUNT
from tests.infrastructure.synthesis import synthesize_stage
from tests.integration.gaps.clouds import HOME, Cloud, running, until

pytestmark = pytest.mark.thorough

_PLACE = {"TABLEWRIGHT_ACCOUNT": LOCAL_ACCOUNT, "TABLEWRIGHT_REGION": HOME}
VARIANTS = {
    "dev": {},
    "staging": {},
    "prod": {},
    "prod-replicated-encrypted": {**_PLACE, "TABLEWRIGHT_REPLICAS": "us-west-2"},
}
SYSTEMS = ("audit", "forms", "identity", "operations", "portal", "replicas", "sales", "sentiment")
REGIONS = ("", "-us-west-2", "-eu-west-1", "-ap-south-1")
BUCKET = "templates"
Template = dict[str, Any]
# No stack exports it, so that the resource that has it is not created.
FAULT = {"Fault": {"Fn::ImportValue": "missing"}}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with running(Cloud(tmp_path_factory.mktemp("cloud") / "state")) as cloud:
        place = {"LocationConstraint": HOME}
        cloud.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
        yield cloud


def first_templates(variant: str, folder: Path) -> dict[str, Template]:
    """The templates by which `make deploy` creates the stacks of a stage."""
    stage = f"tablewright-{variant.partition('-')[0]}"
    new = " ".join(f"{stage}-{system}{region}" for system in SYSTEMS for region in REGIONS)
    made = synthesize_stage(variant, folder, VARIANTS[variant], new_stacks=new)
    return {
        name: without_others(template)
        for name, template in made.templates.items()
        if not name.endswith(REGIONS[1:])  # the cloud of this test is one region
    }


def without_others(template: Template) -> Template:
    """A stack that imports nothing, runs no code and waits for no custom resource."""
    resources = {
        id: resource
        for id, resource in template["Resources"].items()
        if not resource["Type"].startswith("Custom::")
    }
    gone = template["Resources"].keys() - resources.keys()

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [replaced(part) for part in value]
        if not isinstance(value, dict):
            return value
        if "Fn::ImportValue" in value or value.get("Fn::GetAtt", [""])[0] in gone:
            return f"arn:aws:none:{HOME}:{LOCAL_ACCOUNT}:imported"
        return {key: replaced(part) for key, part in value.items()}

    made: dict[str, Any] = replaced(resources)
    for resource in made.values():
        if resource["Type"] == "AWS::Lambda::Function":
            resource["Properties"]["Code"] = {"ZipFile": "def handler(event, context): pass"}
        if "DependsOn" in resource:
            resource["DependsOn"] = [id for id in resource["DependsOn"] if id in made]
    return {"Resources": made}


def create(cloud: Cloud, name: str, template: Template) -> str:
    """Create a stack; return its status, after deleting what a failed creation left of it."""
    body = json.dumps(template).encode()
    cloud.client("s3").put_object(Bucket=BUCKET, Key=name, Body=body)
    formation = cloud.client("cloudformation")
    formation.create_stack(
        StackName=name,
        TemplateURL=f"{cloud.endpoint}/{BUCKET}/{name}",
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )

    def final_status() -> str | None:
        status = str(formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"])
        return None if status.endswith("IN_PROGRESS") else status

    status = until(final_status)
    assert status is not None
    if status == "ROLLBACK_COMPLETE":
        formation.delete_stack(StackName=name)  # as the CLI does before it creates it again
    return status


def data(cloud: Cloud) -> list[str]:
    """Everything in the account that holds data."""
    buckets = [one["Name"] for one in cloud.client("s3").list_buckets()["Buckets"]]
    pools = cloud.client("cognito-idp").list_user_pools(MaxResults=60)["UserPools"]
    secrets = cloud.client("secretsmanager").list_secrets()["SecretList"]
    return [
        *cloud.client("dynamodb").list_tables()["TableNames"],
        *(name for name in buckets if name != BUCKET),
        *(pool["Name"] for pool in pools),
        *(secret["Name"] for secret in secrets),
        *cloud.client("sqs").list_queues().get("QueueUrls", ()),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_creation_that_fails_at_any_resource_is_repeated(
    variant: str, cloud: Cloud, tmp_path: Path
) -> None:
    for name, template in first_templates(variant, tmp_path).items():
        kinds = {resource["Type"]: id for id, resource in template["Resources"].items()}
        for kind, id in kinds.items():
            failing = copy.deepcopy(template)
            failing["Resources"][id].setdefault("Properties", {}).update(FAULT)
            assert create(cloud, name, failing) == "ROLLBACK_COMPLETE", (name, kind)
            assert data(cloud) == [], (name, kind)
        assert create(cloud, name, template) == "CREATE_COMPLETE", name
        formation = cloud.client("cloudformation")
        formation.delete_stack(StackName=name)
        # Everything kept, but for the names, makes way for the next stack.
        remove_data(cloud)


def remove_data(cloud: Cloud) -> None:
    """Empty the account, whose stacks keep what holds data when they are deleted."""
    for name in cloud.client("dynamodb").list_tables()["TableNames"]:
        cloud.client("dynamodb").delete_table(TableName=name)
    for bucket in cloud.client("s3").list_buckets()["Buckets"]:
        if bucket["Name"] != BUCKET:
            cloud.client("s3").delete_bucket(Bucket=bucket["Name"])
    pools = cloud.client("cognito-idp").list_user_pools(MaxResults=60)["UserPools"]
    for pool in pools:
        cloud.client("cognito-idp").delete_user_pool(UserPoolId=pool["Id"])
    for secret in cloud.client("secretsmanager").list_secrets()["SecretList"]:
        cloud.client("secretsmanager").delete_secret(
            SecretId=secret["ARN"], ForceDeleteWithoutRecovery=True
        )
    for url in cloud.client("sqs").list_queues().get("QueueUrls", ()):
        cloud.client("sqs").delete_queue(QueueUrl=url)
