"""An accelerator reads its table, is reached by its clients, and by nothing else."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Duration, Environment, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sales
from tablewright.constructs import Accelerator, GrantError, Protection, PythonCode, PythonFunction
from tests.infrastructure.constructs.building_blocks import (
    IN_IRELAND,
    Readings,
    alarms,
    findings,
    function_in,
    table_in,
)
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    new_stack,
    only,
    resources,
    statements,
    template_of,
    text,
)

CLUSTER = "AWS::DAX::Cluster"
SECRETS = ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER


def accelerated(stack: Stack, lock: Path, **props: Any) -> Accelerator:
    """An accelerator and a function that reads through it."""
    table = table_in(stack)
    accelerator = Accelerator(stack, "Accelerator", table=table, **props)
    lock.write_text("")
    code = PythonCode(sources=(), requirements=lock, services=())
    reader = PythonFunction(
        stack,
        "Reader",
        system="readings",
        handler="index.handler",
        code=code,
        network=accelerator.network,
        environment={"DAX_ENDPOINT": accelerator.endpoint},
    )
    accelerator.grant(reader.function, Readings.get_reading, Readings.by_unit_whole)
    return accelerator


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    stack = new_stack(env=IN_IRELAND)
    accelerated(stack, tmp_path_factory.mktemp("lock") / "requirements.txt", services=[SECRETS])
    return template_of(stack)


def test_three_nodes_stand_in_zones_that_the_account_has(template: Template) -> None:
    """Whatever their names: synthesis asks no account about its zones."""
    cluster = only(template, CLUSTER)
    assert (cluster["NodeType"], cluster["ReplicationFactor"]) == ("dax.t3.small", 3)
    # DAX spreads the nodes over the zones of their subnets.
    assert "AvailabilityZones" not in cluster
    subnets = resources(template, "AWS::EC2::Subnet")
    assert [subnet["AvailabilityZone"] for subnet in subnets.values()] == [
        {"Fn::Select": [number, {"Fn::GetAZs": ""}]} for number in range(3)
    ]
    group = only(template, "AWS::DAX::SubnetGroup")["SubnetIds"]
    assert [text(id) for id in group] == [f"{{{id}}}" for id in subnets]


def test_a_region_with_two_zones_has_nodes_in_both() -> None:
    stack = new_stack(env=Environment(account="111122223333", region="us-west-1"))
    Accelerator(stack, "A", table=table_in(stack))
    subnets = resources(template_of(stack), "AWS::EC2::Subnet").values()
    assert [subnet["AvailabilityZone"] for subnet in subnets] == [
        {"Fn::Select": [number, {"Fn::GetAZs": ""}]} for number in range(2)
    ]


def test_an_interface_stands_in_two_zones_which_all_reach(template: Template) -> None:
    endpoints = resources(template, "AWS::EC2::VPCEndpoint").values()
    (interface,) = (one for one in endpoints if one["VpcEndpointType"] == "Interface")
    first = [f"{{{id}}}" for id in list(resources(template, "AWS::EC2::Subnet"))[:2]]
    assert [text(id) for id in interface["SubnetIds"]] == first
    assert interface["PrivateDnsEnabled"]


def test_zones_can_be_named_where_dax_is_not_in_the_first_ones() -> None:
    stack = new_stack(env=IN_IRELAND)
    zones = ["eu-west-1a", "eu-west-1c", "eu-west-1d"]
    Accelerator(stack, "A", table=table_in(stack), nodes=4, node_type="dax.r5.large", zones=zones)
    template = template_of(stack)
    subnets = resources(template, "AWS::EC2::Subnet").values()
    assert [subnet["AvailabilityZone"] for subnet in subnets] == zones
    assert only(template, CLUSTER)["NodeType"] == "dax.r5.large"


def test_nothing_but_reads_of_the_table_leaves_the_network(template: Template) -> None:
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    arn = f"{{{table}.Arn}}"
    (gateway,) = (
        endpoint
        for endpoint in resources(template, "AWS::EC2::VPCEndpoint").values()
        if endpoint["VpcEndpointType"] == "Gateway"
    )
    found = {
        (action, text(resource))
        for statement in gateway["PolicyDocument"]["Statement"]
        for action in _list(statement["Action"])
        for resource in _list(statement["Resource"])
    }
    assert found == allowed(template, "AcceleratorRole")
    assert ("dynamodb:Query", f"{arn}/index/ByUnit") in found


def test_the_nodes_reach_each_other_and_dynamodb_and_nothing_else(template: Template) -> None:
    (nodes,) = (text(id) for id in only(template, CLUSTER)["SecurityGroupIds"])
    groups = resources(template, "AWS::EC2::SecurityGroup")
    (group,) = (one for id, one in groups.items() if f"{{{id}.GroupId}}" == nodes)
    out = [(one["CidrIp"], one["FromPort"], one["ToPort"]) for one in group["SecurityGroupEgress"]]
    assert out == [("0.0.0.0/0", 443, 443)]
    others = {
        (text(one["DestinationSecurityGroupId"]), one["FromPort"], one["ToPort"])
        for one in resources(template, "AWS::EC2::SecurityGroupEgress").values()
        if text(one["GroupId"]) == nodes
    }
    assert others == {(nodes, 9111, 9111)}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_what_is_kept_and_what_is_sent_is_encrypted(template: Template) -> None:
    cluster = only(template, CLUSTER)
    assert cluster["SSESpecification"] == {"SSEEnabled": True}
    assert cluster["ClusterEndpointEncryptionType"] == "TLS"


def test_answers_are_kept_for_five_minutes_or_as_long_as_asked_for(template: Template) -> None:
    group = only(template, "AWS::DAX::ParameterGroup")["ParameterNameValues"]
    assert group == {"record-ttl-millis": "300000", "query-ttl-millis": "300000"}
    stack = new_stack(env=IN_IRELAND)
    Accelerator(
        stack,
        "A",
        table=table_in(stack),
        item_ttl=Duration.seconds(10),
        query_ttl=Duration.seconds(20),
    )
    other = only(template_of(stack), "AWS::DAX::ParameterGroup")["ParameterNameValues"]
    assert other == {"record-ttl-millis": "10000", "query-ttl-millis": "20000"}


def test_the_cluster_may_read_the_table_and_its_indexes_and_nothing_else(
    template: Template,
) -> None:
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    arn = f"{{{table}.Arn}}"
    assert allowed(template, "AcceleratorRole") == {
        ("dynamodb:BatchGetItem", arn),
        ("dynamodb:DescribeTable", arn),
        ("dynamodb:GetItem", arn),
        ("dynamodb:Query", arn),
        ("dynamodb:Query", f"{arn}/index/ByUnit"),
    }


def test_the_cluster_of_a_table_with_its_own_key_decrypts_through_dynamodb_only() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = table_in(stack, encryption_key=kms.Key(stack, "Key"))
    Accelerator(stack, "Accelerator", table=table)
    found = statements(template_of(stack), "AcceleratorRole")
    (use,) = (s for s in found if "kms:Decrypt" in s["Action"])
    (service,) = use["Condition"]["StringEquals"].values()
    assert text(service).startswith("dynamodb.eu-west-1.")


def test_a_reader_may_call_the_cluster_what_its_patterns_call(template: Template) -> None:
    (cluster,) = resources(template, CLUSTER)
    found = {each for each in allowed(template, "ReaderRole") if each[0].startswith("dax:")}
    assert found == {
        ("dax:GetItem", f"{{{cluster}.Arn}}"),
        ("dax:Query", f"{{{cluster}.Arn}}"),
        ("dax:BatchGetItem", f"{{{cluster}.Arn}}"),
    }


def test_a_reader_is_told_the_address_and_stands_in_the_network(template: Template) -> None:
    (cluster,) = resources(template, CLUSTER)
    function = only(template, "AWS::Lambda::Function")
    endpoint = function["Environment"]["Variables"]["DAX_ENDPOINT"]
    assert text(endpoint) == f"{{{cluster}.ClusterDiscoveryEndpointURL}}"
    subnets = {text(id) for id in function["VpcConfig"]["SubnetIds"]}
    assert subnets == {f"{{{id}}}" for id in resources(template, "AWS::EC2::Subnet")}


def test_only_clients_reach_the_nodes_and_only_on_the_encrypted_port(template: Template) -> None:
    function = only(template, "AWS::Lambda::Function")
    (client,) = (text(id) for id in function["VpcConfig"]["SecurityGroupIds"])
    (nodes,) = (text(id) for id in only(template, CLUSTER)["SecurityGroupIds"])
    rules = {
        (text(r["GroupId"]), text(r["SourceSecurityGroupId"]), r["FromPort"], r["ToPort"])
        for r in resources(template, "AWS::EC2::SecurityGroupIngress").values()
    }
    (secrets,) = {group for group, *_ in rules} - {nodes}
    assert rules == {
        (nodes, client, 9111, 9111),
        (nodes, nodes, 9111, 9111),
        (secrets, client, 443, 443),
    }
    groups = resources(template, "AWS::EC2::SecurityGroup").values()
    assert not any("SecurityGroupIngress" in group for group in groups)


def test_the_network_has_no_way_to_the_internet(template: Template) -> None:
    for kind in ("InternetGateway", "NatGateway", "Route"):
        assert not resources(template, f"AWS::EC2::{kind}")
    endpoints = resources(template, "AWS::EC2::VPCEndpoint").values()
    services = {text(e["ServiceName"]).rpartition(".")[2]: e["VpcEndpointType"] for e in endpoints}
    assert services == {"dynamodb": "Gateway", "secretsmanager": "Interface"}


def test_interfaces_that_cost_are_made_only_when_asked_for() -> None:
    stack = new_stack(env=IN_IRELAND)
    Accelerator(stack, "Accelerator", table=table_in(stack))
    endpoint = only(template_of(stack), "AWS::EC2::VPCEndpoint")
    assert endpoint["VpcEndpointType"] == "Gateway"


def test_the_code_of_a_function_in_a_network_may_not_touch_networks(template: Template) -> None:
    about = [s for s in statements(template, "ReaderRole") if "ec2:Create" in str(s["Action"])]
    allow, deny = sorted(about, key=lambda statement: str(statement["Effect"]))
    assert (allow["Effect"], deny["Effect"]) == ("Allow", "Deny")
    assert {a for a in allow["Action"] if a.startswith("ec2:")} == set(deny["Action"])
    assert deny["Condition"] == {"Null": {"lambda:SourceFunctionArn": "false"}}


def test_a_given_network_is_used_as_it_is() -> None:
    stack = new_stack()
    vpc = ec2.Vpc(stack, "Vpc", max_azs=2, restrict_default_security_group=False)
    accelerator = Accelerator(stack, "Accelerator", table=table_in(stack), vpc=vpc)
    assert accelerator.network.vpc is vpc
    template = template_of(stack)
    assert len(resources(template, "AWS::EC2::VPC")) == 1
    assert not resources(template, "AWS::EC2::VPCEndpoint")
    assert "AvailabilityZones" not in only(template, CLUSTER)
    group = only(template, "AWS::DAX::SubnetGroup")["SubnetIds"]
    assert len(group) == 2
    assert all("Private" in text(id) for id in group)


def test_a_busy_or_failing_cluster_is_told() -> None:
    stack = new_stack(env=IN_IRELAND)
    topic = sns.Topic(stack, "Topic")
    Accelerator(
        stack,
        "Accelerator",
        table=table_in(stack, protection=Protection.recoverable()),
        alarm_topic=topic,
    )
    template = template_of(stack)
    (cluster,) = resources(template, CLUSTER)
    found = alarms(template)
    assert {name: alarm["Threshold"] for name, alarm in found.items()} == {
        "CPUUtilization": 80,
        "EvictedSize": 1,
        "FaultRequestCount": 1,
        "ThrottledRequestCount": 1,
    }
    for alarm in found.values():
        (where,) = alarm["Dimensions"]
        assert (where["Name"], text(where["Value"])) == ("ClusterId", f"{{{cluster}}}")
        assert len(alarm["AlarmActions"]) == 1


def test_writes_are_not_granted() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = table_in(stack)
    accelerator = Accelerator(stack, "Accelerator", table=table)
    function = function_in(stack)
    with pytest.raises(GrantError, match="only reads, and the patterns call PutItem"):
        accelerator.grant(function, Readings.put_reading)


@pytest.mark.parametrize("which", ["another design", "none"])
def test_a_grant_names_patterns_of_the_table(which: str) -> None:
    stack = new_stack(env=IN_IRELAND)
    accelerator = Accelerator(stack, "Accelerator", table=table_in(stack))
    patterns = [Sales.get_sale] if which == "another design" else []
    message = {"another design": "is not an access pattern", "none": "at least one access pattern"}
    with pytest.raises(GrantError, match=message[which]):
        accelerator.grant(function_in(stack), *patterns)


def test_a_stack_need_not_say_its_region() -> None:
    stack = new_stack()
    Accelerator(stack, "Accelerator", table=SalesTable(stack, "Sales"))
    assert len(resources(template_of(stack), "AWS::EC2::Subnet")) == 3


@pytest.mark.parametrize(
    ("props", "problem"),
    [
        ({"nodes": 0}, "1 to 11 nodes, not 0"),
        ({"nodes": 12}, "1 to 11 nodes, not 12"),
        ({"zones": ["eu-west-1a"]}, "spans two to four zones, not 1"),
        ({"zones": list("abcde")}, "spans two to four zones, not 5"),
    ],
)
def test_a_cluster_that_could_not_be_made_is_refused(props: dict[str, Any], problem: str) -> None:
    stack = new_stack(env=IN_IRELAND)
    with pytest.raises(ValueError, match=problem):
        Accelerator(stack, "Accelerator", table=table_in(stack), **props)


def test_services_of_a_given_network_are_its_owners_business() -> None:
    stack = new_stack()
    vpc = ec2.Vpc(stack, "Vpc", restrict_default_security_group=False)
    table = table_in(stack, Readings)
    for props in ({"services": [SECRETS]}, {"zones": ["eu-west-1a", "eu-west-1b"]}):
        with pytest.raises(ValueError, match="those of the accelerator's own network"):
            Accelerator(stack, "Accelerator", table=table, vpc=vpc, **props)


def test_an_accelerator_and_its_reader_break_no_rule(tmp_path: Path) -> None:
    stack = new_stack(env=IN_IRELAND)
    accelerated(stack, tmp_path / "requirements.txt", services=[SECRETS])
    assert findings(stack) == set()
