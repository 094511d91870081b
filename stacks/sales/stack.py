"""Sales intelligence: its table, its API and the role that keeps tenants apart."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import TENANT
from lambdas.sales.contract import ROUTES, ApiEnvironment
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.shared.failed_events import FailedEvents
from stacks.shared.stage import Stage
from stacks.shared.stage_archive import StageArchive
from stacks.shared.stage_stack import StageStack
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sales
from tablewright.constructs import CursorKey, JwtHttpApi, PythonFunction, TenantAccessRole


class SalesStack(StageStack):
    """The function itself may not touch the table: only as one tenant, by assuming a role.

    Example::

        SalesStack(app, stage=stage, identity=identity, operations=operations)
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        identity: IdentityStack,
        operations: OperationsStack,
    ) -> None:
        super().__init__(scope, "sales", stage=stage)
        topic = operations.alarm_topic
        name = f"bg-remover-{stage.name}-sales-intelligence"
        options = stage.table_options(
            name, tags={"stage": stage.name}, alarm_topic=topic, system="sales"
        )
        table = SalesTable(self, "Sales", **options)
        self.tables = (table,)
        cursor_key = CursorKey(self, "CursorKey", protection=stage.protection)
        api = PythonFunction(
            self,
            "Api",
            system="sales",
            handler="lambdas.sales.handlers.api.handler",
            code=stage.code("sales", services=("dynamodb", "secretsmanager", "sts")),
            # API Gateway gives up after 30 seconds; a long trend may need most of them.
            timeout=Duration.seconds(29),
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=topic,
        )
        cursor_key.grant_read(api.function)
        access = TenantAccessRole(self, "TenantAccess", assumed_by=api.role, session_tag=TENANT)
        # Loading replaces what is there, and is for who operates the table.
        access.grant(
            table, *(one for one in Sales.__design__.pattern_list if one is not Sales.put_sales)
        )
        environment = ApiEnvironment(
            sales_intelligence_table_name=table.table_name,
            cursor_secret_arn=cursor_key.secret_arn,
            tenant_role_arn=access.role_arn,
        )
        api.add_environment(environment.variables())
        http = JwtHttpApi(
            self,
            "HttpApi",
            function=api.function,
            issuer=identity.issuer,
            audience=[identity.client_id],
            routes=ROUTES,
            cors_origins=stage.cors_origins,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=topic,
        )
        self._archive(stage, table, topic)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "TableName", value=table.table_name)

    def _archive(self, stage: Stage, table: SalesTable, topic: sns.ITopic | None) -> None:
        if not stage.archived:
            return
        failed = FailedEvents(self, "EventFailures", protection=stage.protection, topic=topic)
        StageArchive(self, "Archive", stage=stage, table=table, failures=failed, alarm_topic=topic)
        CfnOutput(self, "FailedEvents", value=failed.queue.queue_arn)
