"""A network that leads nowhere but to the AWS services that are let in."""

from collections.abc import Sequence

from aws_cdk import CfnTag, Fn, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from tablewright.constructs.service_principals import own_account_service

_RANGE = "10.90.0.0/22"
_ZONES_OF_AN_INTERFACE = 2
# Regions that give an account two zones only.
_TWO_ZONES = frozenset({"us-west-1"})
_SUBNETS = ("10.90.0.0/24", "10.90.1.0/24", "10.90.2.0/24", "10.90.3.0/24")


class IsolatedNetwork(Construct):
    """Subnets in two to four zones, without internet; DynamoDB is reached by a gateway.

    Without `zones` they are in the first three that the account has in the region, or in two where
    it has no more. Through the gateway, which costs nothing, goes what `allows` says. Each of
    `services` is an interface in the first two of the zones, which all subnets reach; it is paid by
    the hour and zone. Traffic that was refused is logged for a month.

    Example::

        IsolatedNetwork(self, "Network", zones=["eu-west-1a", "eu-west-1c"],
                        allows=[iam.PolicyStatement(principals=[iam.AnyPrincipal()], ...)],
                        services=[ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        zones: Sequence[str] = (),
        allows: Sequence[iam.PolicyStatement],
        services: Sequence[ec2.InterfaceVpcEndpointAwsService] = (),
    ) -> None:
        # Names differ from account to account: which there are is known when it is deployed.
        zones = zones or _first_zones(Stack.of(scope).region)
        if not 2 <= len(zones) <= len(_SUBNETS):
            raise ValueError(f"a network spans two to four zones, not {len(zones)}: {list(zones)}")
        super().__init__(scope, id)
        # Not ec2.Vpc: given zones by name, it asks the account about them at each synthesis.
        network = ec2.CfnVPC(
            self,
            "Vpc",
            cidr_block=_RANGE,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags=[CfnTag(key="Name", value=self.node.path)],
        )
        self.subnets: list[ec2.ISubnet] = [
            ec2.PrivateSubnet(
                self,
                f"Subnet{number}",
                vpc_id=network.ref,
                availability_zone=zone,
                cidr_block=block,
                map_public_ip_on_launch=False,
            )
            for number, (zone, block) in enumerate(zip(zones, _SUBNETS, strict=False), start=1)
        ]
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Network",
            vpc_id=network.ref,
            vpc_cidr_block=_RANGE,
            availability_zones=list(zones),
            isolated_subnet_ids=[subnet.subnet_id for subnet in self.subnets],
            isolated_subnet_route_table_ids=[
                subnet.route_table.route_table_id for subnet in self.subnets
            ],
        )
        gateway = self.vpc.add_gateway_endpoint(
            "DynamoDb", service=ec2.GatewayVpcEndpointAwsService.DYNAMODB
        )
        for statement in allows:
            gateway.add_to_policy(statement)
        self.services = [self._interface(service) for service in services]
        self._log_refused()

    def admit(self, group: ec2.ISecurityGroup) -> None:
        """Let members of a group reach the services' interfaces."""
        for service in self.services:
            service.connections.allow_from(group, ec2.Port.tcp(443), "HTTPS to an AWS service")

    def _interface(self, service: ec2.InterfaceVpcEndpointAwsService) -> ec2.InterfaceVpcEndpoint:
        return self.vpc.add_interface_endpoint(
            service.short_name,
            service=service,
            subnets=ec2.SubnetSelection(subnets=self.subnets[:_ZONES_OF_AN_INTERFACE]),
            open=False,
            security_groups=[
                ec2.SecurityGroup(
                    self,
                    f"{service.short_name}-group",
                    vpc=self.vpc,
                    description=f"The interface of {service.short_name}",
                    allow_all_outbound=False,
                )
            ],
        )

    def _log_refused(self) -> None:
        group = logs.LogGroup(
            self,
            "Refused",
            retention=logs.RetentionDays.ONE_MONTH,
            removal_policy=RemovalPolicy.DESTROY,
        )
        role = iam.Role(
            self,
            "FlowLogRole",
            assumed_by=own_account_service(self, "vpc-flow-logs"),
        )
        ec2.FlowLog(
            self,
            "FlowLog",
            resource_type=ec2.FlowLogResourceType.from_vpc(self.vpc),
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(group, role),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )


def _first_zones(region: str) -> list[str]:
    number = 2 if region in _TWO_ZONES else 3
    return [Fn.select(index, Fn.get_azs()) for index in range(number)]
