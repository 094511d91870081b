"""Sentiment dashboard: items ingested, analysed, projected and shown."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from lambdas.contract import Environment
from lambdas.sentiment import contract
from lambdas.sentiment.contract import (
    AnalyseEnvironment,
    IngestEnvironment,
    dashboard_table_name,
    items_table_name,
)
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.sentiment.dashboard_function import dashboard_function
from stacks.sentiment.dashboard_page import OPEN_BECAUSE, DashboardPage
from stacks.sentiment.financial_news import STREAM_REQUESTS_PER_SECOND, FinancialNews
from stacks.sentiment.ingestion_alarms import IngestionAlarms
from stacks.sentiment.item_archive import archive_items
from stacks.sentiment.projection import project_items
from stacks.sentiment.regions import SystemRegions
from stacks.sentiment.secret_fields import SecretFields
from stacks.sentiment.source_keys import SourceKeys
from stacks.shared.failed_events import FailedEvents
from stacks.shared.stage import Stage, unless
from stacks.shared.stage_api import StageApi
from stacks.shared.stage_stack import StageStack
from stacks.shared.system_function import SentimentFunction
from stacks.shared.table_key import TableKey
from tablewright.catalog.news.design import DAYS_KEPT
from tablewright.catalog.sentiment.constructs import SentimentDashboardTable, SentimentItemsTable
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import SOURCE_TYPES, Items, items_table
from tablewright.constructs import PythonFunction, WorkQueue
from tablewright.constructs.alarms.missed_runs import missed_runs_alarm

_FEATURE = "001-interactive-dashboard-demo"
_NEWS_FEATURE = "1003-self-healing-ingestion"
# Only items of the known sources: not even a mistake here can write others.
_KEYS = [f"{source}#*" for source in SOURCE_TYPES]


class SentimentStack(StageStack):
    """The write table, its stream into the read table, and the functions around them.

    In every region of the stage: at home it makes the tables that all regions share, in another
    `region` it adopts their replicas. The read table is each region's own, fed by the stream there.

    Example::

        SentimentStack(app, stage=stage, identity=identity, operations=operations, keys={})
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        identity: IdentityStack,
        operations: OperationsStack,
        keys: Mapping[str, TableKey],
        region: str | None = None,
    ) -> None:
        super().__init__(scope, "sentiment", stage=stage, region=region)
        self._stage = stage
        self._settings = stage.sentiment
        self._topic = operations.alarm_topic
        tags = {"Environment": stage.name, "Feature": _FEATURE}
        key = keys.get(contract.SYSTEM)
        self._regions = SystemRegions(
            self, stage=stage, region=region, key=key, alarm_topic=self._topic
        )
        self.items = self._regions.table(
            self,
            "Items",
            partial(SentimentItemsTable, days=self._settings.item_days),
            items_table(days=self._settings.item_days),
            items_table_name(stage.name),
            part="items",
            tags={"TableType": "primary-write", **tags},
        )
        dashboard = stage.table_options(
            self,
            dashboard_table_name(stage.name),
            system=contract.SYSTEM,
            part="dashboard",
            replicated=False,
            tags={"TableType": "read-optimized-dashboard", **tags},
            key=key,
            alarm_topic=self._topic,
        )
        self.dashboard = SentimentDashboardTable(self, "Dashboard", **dashboard)
        self._secrets = SecretFields(
            self,
            "Secrets",
            stage=stage,
            items=self.items,
            dashboard=self.dashboard,
            regions=self._regions,
        )
        analysis = WorkQueue(
            self,
            "Analysis",
            topic_name=f"{stage.name}-sentiment-analysis-requests",
            visibility=Duration.minutes(3),
            protection=stage.protection,
            alarm_topic=self._topic,
        )
        self.news = FinancialNews(
            self,
            "News",
            stage=stage,
            requests=analysis,
            regions=self._regions,
            tags={**tags, "Feature": _NEWS_FEATURE},
            alarm_topic=self._topic,
        )
        ingest = self._ingest(analysis)
        self._analyse(analysis)
        projection = project_items(
            self,
            stage,
            self.items,
            self.dashboard,
            keys=_KEYS,
            secrets=self._secrets,
            topic=self._topic,
        )
        self.http = http = self._api(identity, ingest)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "ItemsTable", value=self.items.table_name)
        if self._regions.switch:
            CfnOutput(self, "SwitchTable", value=self._regions.switch.table_name)
        CfnOutput(self, "DashboardTable", value=self.dashboard.table_name)
        CfnOutput(self, "IngestFunction", value=ingest.function.function_name)
        CfnOutput(self, "FailuresBucket", value=projection.failures.bucket_name)
        CfnOutput(self, "AnalysisQueue", value=analysis.queue.queue_arn)
        CfnOutput(self, "DeadLetters", value=analysis.dead_letters.queue_arn)

    def _ingest(self, analysis: WorkQueue) -> PythonFunction:
        keys = SourceKeys(self, "Keys", protection=self._stage.protection)
        CfnOutput(self, "SourceKeys", value=keys.secret_arn)
        days = self._settings.item_days
        ingest = self._function(
            "Ingest",
            "ingest",
            IngestEnvironment(
                items_table=self.items.table_name,
                item_days=str(days) if days else None,
                dashboard_table=self.dashboard.table_name,
                news_table=self.news.table.table_name,
                news_days=unless(DAYS_KEPT, self._settings.news_days),
                topic_arn=analysis.topic_arn,
                watch_tags=IngestEnvironment.json(self._settings.watch_tags),
                tickers=IngestEnvironment.json(self._settings.tickers),
                sources=IngestEnvironment.json({"sources": self._settings.sources}),
                sources_secret_arn=keys.secret_arn,
                **self._regions.environment,
            ),
            timeout=Duration.minutes(5),
            # It waits for sources most of the time.
            memory_mb=512,
            requirements=self._secrets.requirements(),
        )
        self._secrets.let_use(ingest.function, items=True, dashboard=True)
        self.items.grant(
            ingest.function,
            Items.known_sources,
            Items.claim_source,
            Items.claimed_source,
            Items.put_item,
            Items.settle_sources,
            keys=_KEYS,
            replicas=True,
        )
        self._regions.let_ask(ingest.function)
        self.dashboard.grant(ingest.function, Dashboard.put_rejected, keys=["rejected|*"])
        self.news.let_ingest(ingest.function)
        analysis.grant_publish(ingest.function)
        keys.grant_read(ingest.function)
        failed = FailedEvents(
            self, "EventFailures", protection=self._stage.protection, topic=self._topic
        )
        failed.keep_of(ingest.function)
        failed.watch(ingest.function)
        failed.keep_of(self.news.heal.function, "Heal")
        CfnOutput(self, "FailedEvents", value=failed.queue.queue_arn)
        if self._regions.is_home:
            archive_items(self, self._stage, self.items, failed, self._topic)
        if self._settings.sources:
            every = Duration.minutes(self._settings.poll_minutes)
            rule = events.Rule(
                self,
                "Poll",
                schedule=events.Schedule.rate(every),
                # Handed over once: the next poll finds what this one missed.
                targets=[targets.LambdaFunction(ingest.function, retry_attempts=0)],
            )
            # The function is called for events, too: only the rule knows its own runs.
            polls = cloudwatch.Metric(
                namespace="AWS/Events",
                metric_name="Invocations",
                dimensions_map={"RuleName": rule.rule_name},
                statistic="Sum",
                period=every,
            )
            missed_runs_alarm(self, runs=polls, every=every, topic=self._topic, id="PollNotRun")
        IngestionAlarms(
            self,
            "IngestionAlarms",
            function=ingest,
            sources=self._settings.sources,
            period=Duration.minutes(self._settings.poll_minutes),
            topic=self._topic,
        )
        return ingest

    def _analyse(self, analysis: WorkQueue) -> None:
        analyse = self._function(
            "Analyse",
            "analyse",
            AnalyseEnvironment(
                items_table=self.items.table_name,
                news_table=self.news.table.table_name,
                **self._regions.environment,
            ),
            timeout=Duration.seconds(30),
        )
        self.items.grant(analyse.function, Items.record_analysis, keys=_KEYS, replicas=True)
        self._regions.let_ask(analyse.function)
        self.news.let_analyse(analyse.function)
        analysis.consume(analyse.function, concurrency=analyse.reserved_concurrency)

    def _api(self, identity: IdentityStack, ingest: PythonFunction) -> StageApi:
        api = dashboard_function(
            self,
            self._stage,
            self.dashboard,
            cursor_key=identity.cursor_key,
            secrets=self._secrets,
            # At home alone: it is paid for by the hour, and the lists are right without it.
            accelerated=self._settings.accelerated and self._regions.is_home,
            topic=self._topic,
        )
        http = StageApi(
            self,
            "HttpApi",
            contract.SYSTEM,
            stage=self._stage,
            identity=identity,
            function=api,
            routes=contract.READ_ROUTES,
            alarm_topic=self._topic,
        )
        http.add_routes(ingest.function, [contract.ADD_ITEMS])
        news = self.news.api(identity.cursor_key).function
        http.add_routes(news, [contract.LIST_NEWS])
        http.add_routes(
            news, [contract.NEWS_EVENTS], requests_per_second=STREAM_REQUESTS_PER_SECOND
        )
        page = DashboardPage(
            self, "Page", stage=self._stage, identity=identity, alarm_topic=self._topic
        )
        http.add_routes(page.function, contract.page_routes(), open_because=OPEN_BECAUSE)
        return http

    def _function(
        self, id: str, module: str, environment: Environment, **options: Any
    ) -> PythonFunction:
        return SentimentFunction(
            self,
            id,
            f"handlers.{module}",
            stage=self._stage,
            environment=environment.variables(),
            alarm_topic=self._topic,
            **options,
        )
