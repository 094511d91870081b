"""Cost recommendations: a function that looks at the stage's month once a week."""

from collections.abc import Mapping
from typing import cast

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.operations.contract import (
    DETAIL_TYPE,
    EVENT_SOURCE,
    REPORTS,
    USAGE,
    RecommendEnvironment,
)
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from tablewright.constructs import (
    AlarmLevel,
    DesignTableBase,
    PythonCode,
    PythonFunction,
    Source,
)
from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.wildcards import acknowledge_wildcard
from tablewright.recommendations.reading.resources import StageResources, TableName

# What the function is made of, beneath the project's folder.
_COSTS = ("__init__", "accelerator_cost", "prices", "price_lists", "regional_prices")
SOURCES = (
    *("lambdas/__init__.py", "lambdas/contract.py", "lambdas/operations"),
    *("tablewright/__init__.py", "tablewright/exports.py"),
    *("tablewright/model", "tablewright/runtime", "tablewright/recommendations"),
    *(f"tablewright/costs/{name}.py" for name in _COSTS),
)
_SERVICES = ("cloudwatch", "dax", "dynamodb", "events", "logs", "s3", "sns")
ACCELERATED = "sentiment.dashboard"
_SHARDED = "portal.events"


class CostRecommendations(Construct):
    """Tells every Monday what would make the stage cost less; tables by their names in settings.

    The topic hears of savings of so many dollars a month, `told_from`. Nothing here refers to the
    stacks of the tables: they are known by their names.

    Example::

        CostRecommendations(self, "Recommendations", stage=stage, topic=alarm_topic,
                            tables={"sales": sales.table}, told_from=25)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        tables: Mapping[str, DesignTableBase],
        told_from: int,
        topic: sns.ITopic | None,
    ) -> None:
        super().__init__(scope, id)
        if stage.alarms is AlarmLevel.ALL:
            # Nobody waits for it: that it failed for good is enough to know.
            AlarmLevel.ESSENTIAL.apply_to(self)
        self._stage = stage
        self._stack = Stack.of(self)
        self._names = {name: _table_name(table) for name, table in tables.items()}
        self._prefix = f"{stage.stack_name('')}-"
        self.bucket = private_bucket(
            self,
            "Reports",
            protection=stage.protection,
            no_access_log="Reports on costs, which hold nothing of anybody's data.",
            versioned=False,
        )
        environment = RecommendEnvironment(
            resources=self._resources().to_json(),
            bucket=self.bucket.bucket_name,
            told_from=str(told_from),
            topic_arn=topic.topic_arn if topic else None,
        )
        self.function = self._function(environment)
        self._let_look()
        self._let_write()
        if topic:
            self._let_publish(topic)
        self.failures = FailedEvents(
            self, "EventFailures", protection=stage.protection, topic=topic
        )
        monday = events.Schedule.cron(week_day="MON", hour="6", minute="0")
        Schedule(self, "Weekly", monday, function=self.function, failures=self.failures)

    def _resources(self) -> StageResources:
        settings = self._stage.sentiment
        shards = {_SHARDED: self._stage.portal.event_shards}
        return StageResources(
            stage=self._stage.name,
            region=self._stack.region,
            prefix=self._prefix,
            tables=tuple(
                TableName(
                    name=name,
                    setting_name=called,
                    shards=shards.get(called),
                    shards_setting="portal.event_shards" if shards.get(called) else None,
                )
                for called, name in self._names.items()
            ),
            accelerated=self._names.get(ACCELERATED),
            running=settings.accelerated,
            node_type=settings.accelerator_node_type,
            nodes=settings.accelerator_nodes,
        )

    def _function(self, environment: RecommendEnvironment) -> PythonFunction:
        stage = self._stage
        return PythonFunction(
            self,
            "Recommend",
            system="operations",
            handler="lambdas.operations.handlers.recommend.handler",
            code=PythonCode(
                sources=[Source(stage.root / path, path) for path in SOURCES],
                requirements=stage.root / "lambdas" / "requirements.txt",
                services=_SERVICES,
                platform=stage.platform,
            ),
            environment=environment.variables(),
            # Every hour of every table is priced in many ways: a whole processor.
            memory_mb=1769,
            timeout=Duration.minutes(5),
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
        )

    def _let_look(self) -> None:
        """Allow what describes: these tables, and what the stage's prefix tells where IAM can."""
        for name in self._names.values():
            arn = self._stack.format_arn(service="dynamodb", resource="table", resource_name=name)
            self._allow(arn, "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive")
        history = self._colon_arn("cloudwatch", "alarm", f"{self._prefix}*")
        self._allow(history, "cloudwatch:DescribeAlarmHistory")
        alarms = self._colon_arn("cloudwatch", "alarm", "*")
        self._allow(alarms, "cloudwatch:DescribeAlarms")
        groups = self._colon_arn("logs", "log-group", "*")
        self._allow(groups, "logs:DescribeLogGroups")
        # Metrics have no resources to name.
        self._allow("*", "cloudwatch:GetMetricData")
        for arn in (history, alarms, groups):
            acknowledge_wildcard(
                self.function.role, arn, reason="What is listed by its prefix is not named."
            )
        if self._stage.sentiment.accelerated:
            clusters = self._stack.format_arn(service="dax", resource="cache", resource_name="*")
            self._allow(clusters, "dax:DescribeClusters", "dax:ListTags")
            acknowledge_wildcard(
                self.function.role, clusters, reason="The cluster is found by the tag of its stack."
            )

    def _let_write(self) -> None:
        bucket = self.bucket
        usage, reports = bucket.arn_for_objects(USAGE), bucket.arn_for_objects(f"{REPORTS}*")
        self._allow(usage, "s3:GetObject", "s3:PutObject")
        self._allow(reports, "s3:PutObject")
        acknowledge_wildcard(self.function.role, reports, reason="A report has its day as name.")
        # So that an object that is not there yet is missing, and not forbidden.
        self._allow(bucket.bucket_arn, "s3:ListBucket")
        bus = self._stack.format_arn(
            service="events", resource="event-bus", resource_name="default"
        )
        own = {"events:source": EVENT_SOURCE, "events:detail-type": DETAIL_TYPE}
        self.function.role.add_to_policy(
            iam.PolicyStatement(
                actions=["events:PutEvents"],
                resources=[bus],
                conditions={"StringEquals": own},
            )
        )

    def _let_publish(self, topic: sns.ITopic) -> None:
        self._allow(topic.topic_arn, "sns:Publish")
        if topic.master_key:
            self._allow(topic.master_key.key_arn, "kms:Decrypt", "kms:GenerateDataKey")

    def _allow(self, arn: str, *actions: str) -> None:
        iam.Grant.add_to_principal(
            grantee=self.function.role, actions=list(actions), resource_arns=[arn]
        ).assert_success()

    def _colon_arn(self, service: str, resource: str, name: str) -> str:
        return self._stack.format_arn(
            service=service,
            resource=resource,
            resource_name=name,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )


def _table_name(table: DesignTableBase) -> str:
    """The name itself: a reference to another stack would tie the two together."""
    name = cast("dynamodb.CfnGlobalTable", table.table.node.default_child).table_name
    if name is None:
        raise ValueError(f"table '{table.design.id}' has no name of its own to look at it by")
    return name
