"""Financial news: their table, what heals it, and the API that lists and streams them."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from stacks.shared.system_function import SentimentFunction
from tablewright.catalog.news.constructs import NewsTable
from tablewright.catalog.news.design import NEWS, SOURCE_TYPES, news_healing
from tablewright.constructs import CursorKey, PythonFunction, SelfHealing, WorkQueue

# An open page asks every five seconds: a hundred of them at once.
STREAM_REQUESTS_PER_SECOND = 20

_KEYS = [f"{source}:*" for source in SOURCE_TYPES]


class FinancialNews(Construct):
    """News that are ingested and analysed by the functions of the sentiment system.

    Example::

        news = FinancialNews(self, "News", stage=stage, requests=analysis, tags=tags)
        news.let_ingest(ingest.function)
        news.let_analyse(analyse.function)
        http.add_routes(news.api(cursor_key).function, [NEWS_ROUTE])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        requests: WorkQueue,
        tags: dict[str, str],
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._stage = stage
        self._topic = alarm_topic
        name = f"{stage.name}-sentiment-items"
        options = stage.table_options(name, tags=tags, alarm_topic=alarm_topic)
        self.table = NewsTable(self, "Table", **options)
        self.heal = self._heal(requests)
        CfnOutput(self, "TableName", value=self.table.table_name).override_logical_id("NewsTable")

    def let_ingest(self, ingest: PythonFunction) -> None:
        """Allow a function to store news."""
        ingest.function.add_environment("NEWS_TABLE", self.table.table_name)
        patterns = (NEWS.get_many_news, NEWS.put_news, NEWS.get_news, NEWS.add_tickers)
        self.table.grant(ingest.function, *patterns, keys=_KEYS)

    def let_analyse(self, analyse: PythonFunction) -> None:
        """Allow a function to record analyses."""
        analyse.function.add_environment("NEWS_TABLE", self.table.table_name)
        self.table.grant(analyse.function, NEWS.record_analysis, keys=_KEYS)

    def api(self, cursor_key: CursorKey) -> PythonFunction:
        """The function behind the routes."""
        api = SentimentFunction(
            self,
            "Api",
            "news.api",
            stage=self._stage,
            environment={
                "NEWS_TABLE": self.table.table_name,
                "CURSOR_SECRET_ARN": cursor_key.secret_arn,
            },
            memory_mb=512,
            timeout=Duration.seconds(10),
            slow=Duration.seconds(3),
            alarm_topic=self._topic,
        )
        patterns = (NEWS.news_by_sentiment, NEWS.arrived_news, NEWS.get_many_news)
        self.table.grant(api.function, *patterns)
        cursor_key.grant_read(api.function)
        return api

    def _heal(self, requests: WorkQueue) -> PythonFunction:
        heal = SentimentFunction(
            self,
            "Heal",
            "news.heal",
            stage=self._stage,
            environment={
                "NEWS_TABLE": self.table.table_name,
                "TOPIC_ARN": requests.topic_arn,
            },
            timeout=Duration.minutes(2),
            alarm_topic=self._topic,
        )
        SelfHealing(
            self,
            "Healing",
            table=self.table,
            plan=news_healing(NEWS),
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
