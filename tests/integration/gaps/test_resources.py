"""Every template of the application deploys, and what is only recorded is said to be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.gaps.cloudformation.resources import recorded
from tests.infrastructure.synthesis import Assembly
from tests.integration.gaps.clouds import Cloud, deploy, script, zipped

STACKS = ("operations", "identity", "sales")
HANDLED = """
import json
from local import gaps
gaps.close()
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS
print(json.dumps(sorted(_RESOURCE_HANDLERS)))
"""


def _deploy_all(cloud: Cloud, prod: Assembly, region: str) -> dict[str, dict[str, str]]:
    """The stacks, with empty functions."""
    cloud.client("ssm", region_name=region).put_parameter(
        Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String"
    )
    s3, bucket = (
        cloud.client("s3", region_name=region),
        f"cdk-hnb659fds-assets-000000000000-{region}",
    )
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": region})
    s3.put_object(Bucket=bucket, Key="<asset>.zip", Body=zipped("def handler(e, c): pass"))
    return {
        stack: deploy(
            cloud, f"tablewright-prod-{stack}", prod.comparable(stack), region_name=region
        )
        for stack in STACKS
    }


def test_templates_of_production_deploy(cloud: Cloud, prod: Assembly) -> None:
    deployed = _deploy_all(cloud, prod, "eu-north-1")
    for stack in STACKS:
        assert deployed[stack].keys() == prod.comparable(stack)["Resources"].keys()


def test_each_type_is_handled_or_recorded(tmp_path: Path, prod: Assembly) -> None:
    handled = script(HANDLED, tmp_path).stdout
    used = {
        resource["Type"]
        for stack in STACKS
        for resource in prod.comparable(stack)["Resources"].values()
    }
    assert used <= set(json.loads(handled))


def test_what_is_recorded_is_named_without_ministack() -> None:
    assert "AWS::Backup::BackupSelection" in recorded()
    assert "AWS::CloudWatch::Alarm with metric math" in recorded()
    assert "AWS::DynamoDB::GlobalTable" not in recorded()


def _stack(**resources: dict[str, Any]) -> dict[str, Any]:
    return {"Resources": resources}


DAX: dict[str, Any] = {
    "Type": "AWS::DAX::Cluster",
    "Properties": {"IAMRoleARN": "role", "NodeType": "dax.t3.small", "ReplicationFactor": 1},
}
MATH: dict[str, Any] = {
    "Type": "AWS::CloudWatch::Alarm",
    "Properties": {
        "ComparisonOperator": "GreaterThanThreshold",
        "EvaluationPeriods": 1,
        "Threshold": 1,
        "Metrics": [{"Id": "e", "Expression": "SUM(METRICS())"}],
    },
}


def test_a_recorded_resource_can_be_referred_to_changed_and_deleted(cloud: Cloud) -> None:
    output = {"Value": {"Fn::GetAtt": ["Cache", "ClusterDiscoveryEndpointURL"]}}
    template = {**_stack(Cache=DAX, Errors=MATH), "Outputs": {"Endpoint": output}}
    deploy(cloud, "recorded", template)
    formation = cloud.client("cloudformation")
    (stack,) = formation.describe_stacks(StackName="recorded")["Stacks"]
    assert stack["Outputs"][0]["OutputValue"].endswith(".dax.invalid")

    bigger = {**DAX, "Properties": {**DAX["Properties"], "ReplicationFactor": 3}}
    changed = json.dumps(_stack(Cache=bigger, Errors=MATH))
    formation.update_stack(StackName="recorded", TemplateBody=changed)
    formation.get_waiter("stack_update_complete").wait(
        StackName="recorded", WaiterConfig={"Delay": 1}
    )
    formation.delete_stack(StackName="recorded")
    formation.get_waiter("stack_delete_complete").wait(
        StackName="recorded", WaiterConfig={"Delay": 1}
    )


@pytest.mark.parametrize("resource", [DAX, MATH], ids=lambda resource: str(resource["Type"]))
def test_with_the_gap_open_such_a_template_is_refused(
    cloud_without: Callable[[str], Cloud], resource: dict[str, Any]
) -> None:
    with pytest.raises(
        (AssertionError, ClientError), match=r"nsupported|not supported|nrecognized"
    ):
        deploy(cloud_without("cloudformation.resources"), "refused", _stack(Resource=resource))
