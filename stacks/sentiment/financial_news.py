"""Financial news: their table, what heals it, and the API that lists and streams them."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.sentiment.contract import HealEnvironment, NewsApiEnvironment, news_table_name
from stacks.sentiment.regions import SystemRegions
from stacks.shared.stage import Stage
from stacks.shared.system_function import SentimentFunction
from tablewright.catalog.news.constructs import NewsTable
from tablewright.catalog.news.design import SOURCE_TYPES, News, news_healing
from tablewright.constructs import CursorKey, PythonFunction, SelfHealing, WorkQueue

# An open page asks every five seconds: a hundred of them at once.
STREAM_REQUESTS_PER_SECOND = 20

_KEYS = [f"{source}:*" for source in SOURCE_TYPES]


class FinancialNews(Construct):
    """News that are ingested and analysed by the functions of the sentiment system.

    Example::

        news = FinancialNews(self, "News", stage=stage, requests=analysis, regions=regions,
                             tags=tags)
        news.let_ingest(ingest.function)
        news.let_analyse(analyse.function)
        http.add_routes(news.api(cursor_key).function, [contract.LIST_NEWS])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        requests: WorkQueue,
        regions: SystemRegions,
        tags: dict[str, str],
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._stage = stage
        self._regions = regions
        self._topic = alarm_topic
        name = news_table_name(stage.name)
        self.table = regions.table(self, "Table", NewsTable, News, name, part="news", tags=tags)
        self.heal = self._heal(requests)
        CfnOutput(self, "TableName", value=self.table.table_name).override_logical_id("NewsTable")

    def let_ingest(self, ingest: iam.IGrantable) -> None:
        """Allow a function to store news."""
        patterns = (News.get_many_news, News.put_news, News.get_news, News.add_tickers)
        self.table.grant(ingest, *patterns, keys=_KEYS, replicas=True)

    def let_analyse(self, analyse: iam.IGrantable) -> None:
        """Allow a function to record analyses."""
        self.table.grant(analyse, News.record_analysis, keys=_KEYS, replicas=True)

    def api(self, cursor_key: CursorKey) -> PythonFunction:
        """The function behind the routes."""
        environment = NewsApiEnvironment(
            news_table=self.table.table_name,
            cursor_secret_arn=cursor_key.secret_arn,
            page_limit=self._stage.told_page_limit,
        )
        api = SentimentFunction(
            self,
            "Api",
            "handlers.news_api",
            stage=self._stage,
            environment=environment.variables(),
            memory_mb=512,
            timeout=Duration.seconds(10),
            slow=Duration.seconds(3),
            alarm_topic=self._topic,
        )
        patterns = (News.news_by_sentiment, News.arrived_news, News.get_many_news)
        self.table.grant(api.function, *patterns)
        cursor_key.grant_read(api.function)
        return api

    def _heal(self, requests: WorkQueue) -> PythonFunction:
        environment = HealEnvironment(
            news_table=self.table.table_name,
            topic_arn=requests.topic_arn,
            **self._regions.environment,
        )
        heal = SentimentFunction(
            self,
            "Heal",
            "handlers.heal_news",
            stage=self._stage,
            environment=environment.variables(),
            timeout=Duration.minutes(2),
            alarm_topic=self._topic,
        )
        self._regions.let_ask(heal.function)
        SelfHealing(
            self,
            "Healing",
            table=self.table,
            plan=news_healing(News),
            function=heal.function,
            requests=requests,
            service="sentiment",
            namespace=self._stage.metrics_namespace,
            every=Duration.minutes(self._stage.sentiment.heal_minutes),
            alarm_topic=self._topic,
        )
        CfnOutput(self, "HealName", value=heal.function.function_name).override_logical_id(
            "HealFunction"
        )
        return heal
