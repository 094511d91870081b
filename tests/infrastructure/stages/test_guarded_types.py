"""Every type that a stage has is either guarded, or holds no data and costs nothing while idle."""

from collections.abc import Callable

import pytest
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from deployment.guard import GUARDED
from tests.infrastructure.synthesis import Assembly

# To be made again by a deployment, at no loss. Log groups: see the guard.
FREE = {
    "AWS::ApiGatewayV2": {"Api", "Authorizer", "Integration", "Route", "Stage"},
    "AWS::ApplicationAutoScaling": {"ScalableTarget", "ScalingPolicy"},
    "AWS::Backup": {"BackupSelection"},
    "AWS::Budgets": {"Budget"},
    "AWS::CloudFormation": {"WaitConditionHandle"},
    "AWS::CloudWatch": {"Alarm", "CompositeAlarm", "Dashboard"},
    "AWS::Cognito": {"UserPoolClient", "UserPoolGroup"},
    "AWS::DAX": {"ParameterGroup", "SubnetGroup"},
    "AWS::EC2": {
        *("FlowLog", "Route", "RouteTable", "SecurityGroup", "SecurityGroupEgress"),
        *("SecurityGroupIngress", "Subnet", "SubnetRouteTableAssociation", "VPC"),
    },
    "AWS::Events": {"EventBus", "EventBusPolicy", "Rule"},
    "AWS::Glue": {"Database", "Table"},
    "AWS::IAM": {"ManagedPolicy", "Policy", "Role"},
    "AWS::KMS": {"Alias"},
    "AWS::Lambda": {"EventInvokeConfig", "EventSourceMapping", "Function", "Permission"},
    "AWS::Logs": {"LogGroup", "MetricFilter", "ResourcePolicy"},
    "AWS::Pipes": {"Pipe"},
    "AWS::S3": {"BucketPolicy"},
    "AWS::SNS": {"Subscription", "Topic", "TopicPolicy"},
    "AWS::SQS": {"QueuePolicy"},
    "AWS::SecretsManager": {"ResourcePolicy", "RotationSchedule"},
    "AWS::WAFv2": {"LoggingConfiguration", "WebACLAssociation"},
}


@pytest.mark.parametrize("name", ["prod", "prod-accelerated", "prod-replicated-encrypted"])
def test_every_type_is_decided(name: str, stage: Callable[[str], Assembly]) -> None:
    check_types(stage(name))


def check_types(assembly: Assembly) -> None:
    free = {f"{service}::{kind}" for service, kinds in FREE.items() for kind in kinds}
    used = {
        resource["Type"]
        for template in assembly.templates.values()
        for resource in template["Resources"].values()
        if not resource["Type"].startswith("Custom::")
    }
    decide = "add it to GUARDED of deployment/guard.py, or here if nothing is lost with it"
    assert used - GUARDED.keys() - free == set(), decide
    assert free.isdisjoint(GUARDED)


@pytest.mark.parametrize("type", GUARDED)
def test_properties_that_replace_a_resource_are_those_of_cloudformation(type: str) -> None:
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", type).schema
    named = (
        *schema.get("createOnlyProperties", ()),
        *schema.get("conditionalCreateOnlyProperties", ()),
    )
    # Those within a property that can change, such as DnsOptions/PrivateDnsPreference, are not.
    whole = {path.removeprefix("/properties/") for path in named if path.count("/") == 2}
    assert whole <= {*GUARDED[type]}
