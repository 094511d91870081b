"""DAX in front of a table: a cache that answers reads in microseconds."""

from collections.abc import Sequence
from typing import Any

from aws_cdk import Acknowledgment, Duration, Stack, Validations
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dax as dax
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.dax.isolated_network import IsolatedNetwork
from tablewright.constructs.functions.function import Network
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.model.grants import GrantError
from tablewright.model.patterns import Pattern

# With encryption in transit, which is always on here.
_PORT = ec2.Port.tcp(9111)
_READS = frozenset({"BatchGetItem", "GetItem", "Query"})
_MOST_NODES = 11


class Accelerator(Construct):
    """A DAX cluster that reads a table, and never writes it.

    What is read through it may be as old as `item_ttl` and `query_ttl` say, because writers go past
    it. It stands in a network of its own without internet, or in the `vpc` given. A function that
    reads through it is put into `network`, and is granted the table as well, for when the cluster
    does not answer: of DynamoDB, nothing but reads of this table can be reached from there.
    `services` are others that such functions need, each an interface in the own network that is
    paid by the hour and zone. That network is in the first three zones that the account has, so
    that each of three nodes stands in a zone of its own. DAX is not in every zone: where it is not
    in these, name some that it is in by `zones`.

    Example::

        accelerator = Accelerator(self, "Accelerator", table=sales)
        api = PythonFunction(self, "Api", ..., network=accelerator.network,
                             environment={"DAX_ENDPOINT": accelerator.endpoint})
        accelerator.grant(api.function, Sales.product_sales)
        sales.grant(api.function, Sales.product_sales)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        node_type: str = "dax.t3.small",
        nodes: int = 3,
        item_ttl: Duration | None = None,
        query_ttl: Duration | None = None,
        vpc: ec2.IVpc | None = None,
        zones: Sequence[str] = (),
        services: Sequence[ec2.InterfaceVpcEndpointAwsService] = (),
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        if not 1 <= nodes <= _MOST_NODES:
            raise ValueError(f"an accelerator has 1 to {_MOST_NODES} nodes, not {nodes}")
        if vpc is not None and (services or zones):
            raise ValueError("services and zones are those of the accelerator's own network")
        super().__init__(scope, id)
        self._table = table
        if vpc is None:
            self._accept(zones)
            own = IsolatedNetwork(
                self,
                "Network",
                zones=zones,
                allows=self._reads(iam.AnyPrincipal()),
                services=services,
            )
            self._vpc, self._subnets = own.vpc, own.subnets
            self._clients = self._client_group()
            own.admit(self._clients)
        else:
            self._vpc, self._subnets = vpc, vpc.select_subnets().subnets
            self._clients = self._client_group()
        self.role = self._role()
        self.cluster = dax.CfnCluster(
            self,
            "Cluster",
            node_type=node_type,
            replication_factor=nodes,
            iam_role_arn=self.role.role_arn,
            subnet_group_name=self._subnet_group(),
            security_group_ids=[self._node_group().security_group_id],
            parameter_group_name=self._parameters(item_ttl, query_ttl),
            sse_specification=dax.CfnCluster.SSESpecificationProperty(sse_enabled=True),
            cluster_endpoint_encryption_type="TLS",
        )
        # The cluster describes the table while it is being made.
        self.cluster.node.add_dependency(self.role)
        self._watch(alarm_topic)

    @property
    def endpoint(self) -> str:
        """The address that clients are given: ``daxs://...``."""
        return self.cluster.attr_cluster_discovery_endpoint_url

    @property
    def network(self) -> Network:
        """Where a function must run to reach the cluster."""
        return Network(
            vpc=self._vpc,
            subnets=ec2.SubnetSelection(subnets=self._subnets),
            security_groups=[self._clients],
        )

    def grant(self, grantee: iam.IGrantable, *patterns: Pattern[Any]) -> None:
        """Allow to read through the cluster what the patterns read.

        Example::

            accelerator.grant(api.function, Sales.get_sale, Sales.product_sales)
        """
        design = self._table.design
        if not patterns:
            raise GrantError(f"name at least one access pattern of table design '{design.id}'")
        actions: set[str] = set()
        for pattern in patterns:
            if design.patterns.get(pattern.name) is not pattern:
                raise GrantError(
                    f"'{pattern.name}' is not an access pattern of table design '{design.id}'"
                )
            actions |= {action for action, _ in design.actions(pattern)}
        if not actions <= _READS:
            writes = ", ".join(sorted(actions - _READS))
            raise GrantError(f"an accelerator only reads, and the patterns call {writes}")
        iam.Grant.add_to_principal(
            grantee=grantee,
            actions=[f"dax:{action}" for action in sorted(actions)],
            resource_arns=[self.cluster.attr_arn],
        ).assert_success()

    def _accept(self, zones: Sequence[str]) -> None:
        if zones:
            Validations.of(self).acknowledge(
                Acknowledgment(
                    id="CloudFormation-Validate::W3010",
                    reason="DAX is not in every zone of a region, so that its zones are named.",
                )
            )

    def _reads(self, *principals: iam.IPrincipal) -> list[iam.PolicyStatement]:
        """Reads of the table and its indexes: all that the cluster, and its network, are for."""
        table = self._table
        whole = sorted({*_READS, "DescribeTable"})
        allowed = [(whole, [table.table_arn])]
        if table.design.indexes:
            indexes = [f"{table.table_arn}/index/{name}" for name in table.design.indexes]
            allowed.append((["Query"], indexes))
        return [
            iam.PolicyStatement(
                principals=list(principals) or None,
                actions=[f"dynamodb:{action}" for action in actions],
                resources=resources,
            )
            for actions, resources in allowed
        ]

    def _client_group(self) -> ec2.SecurityGroup:
        clients = ec2.SecurityGroup(
            self,
            "Clients",
            vpc=self._vpc,
            description="Functions that read through the accelerator",
            allow_all_outbound=False,
        )
        # DynamoDB has public addresses, even where a gateway leads to it.
        clients.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(443), "AWS services")
        return clients

    def _node_group(self) -> ec2.SecurityGroup:
        nodes = ec2.SecurityGroup(
            self,
            "Nodes",
            vpc=self._vpc,
            description="The nodes of the accelerator",
            allow_all_outbound=False,
        )
        nodes.add_ingress_rule(self._clients, _PORT, "Reads")
        nodes.add_ingress_rule(nodes, _PORT, "Other nodes")
        nodes.add_egress_rule(nodes, _PORT, "Other nodes")
        # DynamoDB has public addresses, even where a gateway leads to it.
        nodes.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(443), "DynamoDB")
        self._clients.add_egress_rule(nodes, _PORT, "Reads")
        return nodes

    def _role(self) -> iam.Role:
        """What the cluster may do: read the table and its indexes, whoever asks."""
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("dax.amazonaws.com"))
        table = self._table
        for statement in self._reads():
            role.add_to_policy(statement)
        if table.encryption_key is not None:
            service = f"dynamodb.{Stack.of(table).region}.{Stack.of(table).url_suffix}"
            role.add_to_policy(
                iam.PolicyStatement(
                    actions=["kms:Decrypt", "kms:DescribeKey"],
                    resources=[table.encryption_key.key_arn],
                    conditions={"StringEquals": {"kms:ViaService": service}},
                )
            )
        return role

    def _subnet_group(self) -> str:
        return dax.CfnSubnetGroup(
            self,
            "Subnets",
            description="The subnets of the accelerator",
            subnet_ids=[subnet.subnet_id for subnet in self._subnets],
        ).ref

    def _parameters(self, item_ttl: Duration | None, query_ttl: Duration | None) -> str:
        five_minutes = Duration.minutes(5)
        return dax.CfnParameterGroup(
            self,
            "Parameters",
            description="How long the accelerator keeps what it read",
            parameter_name_values={
                "record-ttl-millis": str((item_ttl or five_minutes).to_milliseconds()),
                "query-ttl-millis": str((query_ttl or five_minutes).to_milliseconds()),
            },
        ).ref

    def _watch(self, topic: sns.ITopic | None) -> None:
        watched = {
            "CPUUtilization": ("Average", 80, "The accelerator's processors are four fifths busy."),
            "EvictedSize": ("Sum", 1, "The accelerator is too small for what it should keep."),
            "FaultRequestCount": ("Sum", 1, "The accelerator fails to answer requests."),
            "ThrottledRequestCount": ("Sum", 1, "The accelerator refuses requests: too many."),
        }
        for name, (statistic, threshold, describes) in watched.items():
            metric = cloudwatch.Metric(
                namespace="AWS/DAX",
                metric_name=name,
                dimensions_map={"ClusterId": self.cluster.ref},
                statistic=statistic,
                period=Duration.minutes(1),
            )
            alarm(
                self,
                name,
                metric=metric,
                threshold=threshold,
                periods=5,
                breaching=3,
                describes=describes,
                topic=topic,
            )
