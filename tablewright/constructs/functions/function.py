"""A Python Lambda function with its own role, logs and alarms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Validations
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import FunctionAlarms
from tablewright.constructs.functions.bundling import PythonCode
from tablewright.constructs.protection import KEPT
from tablewright.constructs.service_principals import own_account_service

# What Lambda does, with the function's role, to put the function into a network.
_INTERFACES = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
)


@dataclass(frozen=True, kw_only=True)
class Network:
    """Where a function runs that must reach something private.

    Example::

        PythonFunction(self, "Api", ..., network=accelerator.network)
    """

    vpc: ec2.IVpc
    subnets: ec2.SubnetSelection
    security_groups: Sequence[ec2.ISecurityGroup]


class PythonFunction(Construct):
    """A function that may write its own logs and traces, and what it is granted; nothing else.

    Without `call_logs` Lambda does not log the start and the report of each call. With `traced`
    X-Ray traces one call a second and 5 percent of the rest, a rate that cannot be changed.

    Its code counts by Powertools in `metrics_namespace`, with the dimension `service`, which is its
    `system`. Stages that share an account need a namespace each.

    Example::

        api = PythonFunction(self, "Api", system="sales", code=code,
                             handler="lambdas.sales.handlers.api.handler")
        sales.grant(api.function, Sales.category_sales)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        system: str,
        handler: str,
        code: PythonCode,
        environment: Mapping[str, str] | None = None,
        memory_mb: int = 1024,
        timeout: Duration | None = None,
        slow: Duration | None = None,
        reserved_concurrency: int | None = None,
        network: Network | None = None,
        metrics_namespace: str = "Tablewright",
        log_level: str = "INFO",
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = KEPT,
        call_logs: bool = True,
        traced: bool = True,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        timeout = timeout or Duration.seconds(10)
        log_group = logs.LogGroup(self, "Logs", retention=log_retention, removal_policy=log_removal)
        self.role = iam.Role(self, "Role", assumed_by=own_account_service(self, "lambda"))
        log_group.grant_write(self.role)
        if network is not None:
            _allow_interfaces(self.role)
        self.function = lambda_.Function(
            self,
            "Function",
            code=code.as_asset(),
            handler=handler,
            runtime=code.runtime,
            architecture=code.architecture,
            role=self.role,
            memory_size=memory_mb,
            timeout=timeout,
            reserved_concurrent_executions=reserved_concurrency,
            vpc=network.vpc if network else None,
            vpc_subnets=network.subnets if network else None,
            security_groups=list(network.security_groups) if network else None,
            tracing=lambda_.Tracing.ACTIVE if traced else lambda_.Tracing.DISABLED,
            log_group=log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            # Warnings tell of calls that time out or run out of memory.
            system_log_level_v2=None if call_logs else lambda_.SystemLogLevel.WARN,
            environment={
                "POWERTOOLS_SERVICE_NAME": system,
                "POWERTOOLS_METRICS_NAMESPACE": metrics_namespace,
                "POWERTOOLS_LOG_LEVEL": log_level,
                **(environment or {}),
            },
        )
        Validations.of(self.role).acknowledge(
            Acknowledgment(
                id="AwsSolutions-IAM5[Resource::*]",
                reason="The X-Ray actions that send traces have no resources to name"
                + (", nor have EC2's that put a function into a network." if network else "."),
            )
        )
        Validations.of(self.function).acknowledge(
            Acknowledgment(
                id="AwsSolutions-L1",
                reason="The version of Python that the locked dependencies are installed for.",
            )
        )
        self.reserved_concurrency = reserved_concurrency
        self._goes_on: iam.Policy | None = None
        self._system = system
        self._metrics_namespace = metrics_namespace
        FunctionAlarms(
            self,
            "Alarms",
            function=self.function,
            timeout=timeout,
            slow=slow,
            reserved_concurrency=reserved_concurrency,
            topic=alarm_topic,
        )

    def own_metric(
        self,
        name: str,
        *,
        period: Duration,
        statistic: str = "Sum",
        by: Mapping[str, str] | None = None,
    ) -> cloudwatch.Metric:
        """A metric that the function's code writes: of its whole system, or `by` other dimensions.

        Example::

            alarm(self, "Failures", metric=plan.own_metric("ShardPlannerFailures", period=hour),
                  threshold=1, describes="The shards of a tenant could not be decided.")
        """
        return cloudwatch.Metric(
            namespace=self._metrics_namespace,
            metric_name=name,
            dimensions_map=dict(by or {"service": self._system}),
            statistic=statistic,
            period=period,
        )

    def let_go_on(self) -> None:
        """Allow the function to call itself, for when its time is up and its work is not."""
        self.let_loop()
        if self._goes_on is None:
            # A policy of its own, which the function need not wait for: it waits for its role's.
            self._goes_on = iam.Policy(
                self,
                "GoOn",
                statements=[
                    iam.PolicyStatement(
                        actions=["lambda:InvokeFunction"], resources=[self.function.function_arn]
                    )
                ],
                roles=[self.role],
            )

    def let_loop(self) -> None:
        """Say that the function is meant to come back to itself, as by messages to its own queue.

        Lambda stops what comes round about sixteen times otherwise, and takes it for a mistake.
        """
        cast("lambda_.CfnFunction", self.function.node.default_child).recursive_loop = "Allow"

    def add_environment(self, variables: Mapping[str, str]) -> None:
        """Give the function more variables, which may depend on its role."""
        for name, value in variables.items():
            self.function.add_environment(name, value)


def _allow_interfaces(role: iam.Role) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=list(_INTERFACES), resources=["*"]))
    # Lambda needs them, the function's own code does not: only its calls carry this key.
    role.add_to_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            actions=list(_INTERFACES),
            resources=["*"],
            conditions={"Null": {"lambda:SourceFunctionArn": "false"}},
        )
    )
