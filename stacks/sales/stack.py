"""Sales intelligence: its table, its API and the role that keeps tenants apart."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import TENANT
from lambdas.sales.contract import ROUTES, ApiEnvironment
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.shared.failed_events import FailedEvents
from stacks.shared.stage import Stage, unless
from stacks.shared.stage_api import StageApi
from stacks.shared.stage_archive import StageArchive
from stacks.shared.stage_stack import StageStack
from stacks.shared.table_key import TableKey
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import (
    CATEGORY_SHARDS,
    EMBEDDING_SHARDS,
    PROJECTION,
    YEARS_KEPT,
    Sales,
)
from tablewright.constructs import PythonFunction, TenantAccessRole

_HANDLER = "lambdas.sales.handlers.api.handler"


class SalesStack(StageStack):
    """The function itself may not touch the table: only as one tenant, by assuming a role.

    Example::

        SalesStack(app, stage=stage, identity=identity, operations=operations, keys={})
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        identity: IdentityStack,
        operations: OperationsStack,
        keys: Mapping[str, TableKey],
    ) -> None:
        super().__init__(scope, "sales", stage=stage)
        topic = operations.alarm_topic
        name = f"bg-remover-{stage.name}-sales-intelligence"
        settings = stage.sales
        options = stage.table_options(
            self, name, system="sales", key=keys.get("sales"), alarm_topic=topic
        )
        table = SalesTable(
            self,
            "Sales",
            category_shards=settings.category_shards,
            embedding_shards=settings.embedding_shards,
            years=settings.years,
            projects=settings.projection,
            **options,
        )
        self.tables = (table,)
        api = PythonFunction(
            self,
            "Api",
            system="sales",
            handler=_HANDLER,
            code=stage.code("sales", services=("dynamodb", "secretsmanager", "sts")),
            # API Gateway gives up after 30 seconds; a long trend may need most of them.
            timeout=Duration.seconds(29),
            reserved_concurrency=stage.reserved_concurrency(_HANDLER),
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            call_logs=stage.call_logs,
            traced=stage.traces.of("sales"),
            alarm_topic=topic,
        )
        identity.cursor_key.grant_read(api.function)
        access = TenantAccessRole(self, "TenantAccess", assumed_by=api.role, session_tag=TENANT)
        # Loading replaces what is there, and is for who operates the table.
        access.grant(
            table, *(one for one in Sales.__design__.pattern_list if one is not Sales.put_sales)
        )
        environment = ApiEnvironment(
            sales_intelligence_table_name=table.table_name,
            cursor_secret_arn=identity.cursor_key.secret_arn,
            tenant_role_arn=access.role_arn,
            category_shards=unless(CATEGORY_SHARDS, settings.category_shards),
            embedding_shards=unless(EMBEDDING_SHARDS, settings.embedding_shards),
            sale_years=unless(YEARS_KEPT, settings.years),
            sale_projection=unless(PROJECTION, settings.projection),
            category_shard_function=unless("uniform", settings.category_shard_function),
            embedding_bucket=settings.embedding_bucket or f"bg-remover-{stage.name}-embeddings",
            page_limit=stage.told_page_limit,
        )
        api.add_environment(environment.variables())
        self.http = http = StageApi(
            self,
            "HttpApi",
            "sales",
            stage=stage,
            identity=identity,
            function=api,
            routes=ROUTES,
            alarm_topic=topic,
        )
        self._archive(stage, table, topic)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "TableName", value=table.table_name)
        # By which `make deploy` knows that there would be fewer.
        self._tell("CategoryShards", environment.category_shards)
        self._tell("EmbeddingShards", environment.embedding_shards)

    def _tell(self, name: str, number: str | None) -> None:
        if number:
            CfnOutput(self, name, value=number)

    def _archive(self, stage: Stage, table: SalesTable, topic: sns.ITopic | None) -> None:
        if not stage.archived:
            return
        failed = FailedEvents(self, "EventFailures", protection=stage.protection, topic=topic)
        StageArchive(self, "Archive", stage=stage, table=table, failures=failed, alarm_topic=topic)
        CfnOutput(self, "FailedEvents", value=failed.queue.queue_arn)
