"""A network that leads nowhere but to the AWS services that are let in."""

from collections.abc import Sequence

from aws_cdk import CfnTag, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_logs as logs
from constructs import Construct

_RANGE = "10.90.0.0/22"
_SUBNETS = ("10.90.0.0/24", "10.90.1.0/24", "10.90.2.0/24")


class IsolatedNetwork(Construct):
    """Three subnets in as many zones, without internet; DynamoDB is reached by a gateway.

    A gateway costs nothing; each of `services` is an interface that is paid by the hour and zone.
    Traffic that was refused is logged for a month.

    Example::

        IsolatedNetwork(self, "Network", zones=["eu-west-1a", "eu-west-1b", "eu-west-1c"],
                        services=[ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        zones: Sequence[str],
        services: Sequence[ec2.InterfaceVpcEndpointAwsService] = (),
    ) -> None:
        if len(zones) != len(_SUBNETS):
            raise ValueError(f"the network spans three zones, not {len(zones)}: {list(zones)}")
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
            for number, (zone, block) in enumerate(zip(zones, _SUBNETS, strict=True), start=1)
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
        self.vpc.add_gateway_endpoint("DynamoDb", service=ec2.GatewayVpcEndpointAwsService.DYNAMODB)
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
            subnets=ec2.SubnetSelection(subnets=self.subnets),
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
        ec2.FlowLog(
            self,
            "FlowLog",
            resource_type=ec2.FlowLogResourceType.from_vpc(self.vpc),
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(group),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )
