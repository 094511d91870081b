"""Search index of the portal's content: kept by the stream, verified when an operator asks."""

from aws_cdk import Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import RECORDS_KEPT
from lambdas.portal.contract import IndexEnvironment
from stacks.shared.stage import Stage
from stacks.shared.system_function import PortalFunction
from tablewright.catalog.portal.constructs import ContentRegistryTable, ContentSearchTable
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.search import ContentSearch
from tablewright.constructs import AlarmLevel, PythonFunction, StreamConsumer
from tablewright.constructs.tables.table import TableOptions


class SearchIndex(Construct):
    """Indexes the words of content as they change.

    Example::

        SearchIndex(self, "Search", stage=stage, content=content, options=options)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        content: ContentRegistryTable,
        options: TableOptions,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        if stage.alarms is AlarmLevel.ALL:
            # What goes wrong with it makes the index fall behind, or the API answer an error.
            AlarmLevel.ESSENTIAL.apply_to(self)
        self._stage = stage
        self._topic = alarm_topic
        self.table = search = ContentSearchTable(self, "Words", **options)
        self._environment = IndexEnvironment(
            content_table=content.table_name, search_table=search.table_name
        )
        self.index = self._function("Index", "index_content", timeout=Duration.minutes(1))
        content.grant(
            self.index.function, ContentRegistry.get_content, ContentRegistry.check_content
        )
        written = (
            *(ContentSearch.get_document, ContentSearch.create_document),
            *(ContentSearch.update_document, ContentSearch.delete_document),
            *(ContentSearch.put_posting, ContentSearch.remove_posting),
        )
        search.grant(self.index.function, *written)
        self.indexing = StreamConsumer(
            self,
            "Indexing",
            table=content,
            function=self.index.function,
            window=stage.stream_window,
            give_up_after=stage.give_up_after,
            kept=self.index.own_metric(RECORDS_KEPT, period=Duration.minutes(5)),
            # Verifying makes the index anew: where alarms are few, it is enough that it is behind.
            essential=stage.alarms is AlarmLevel.ALL,
            protection=stage.protection,
            alarm_topic=alarm_topic,
        )
        self.verify = self._function("Verify", "verify_search", timeout=Duration.minutes(5))
        self.verify.let_go_on()
        content.grant(
            self.verify.function,
            *(ContentRegistry.get_content, ContentRegistry.contents_by_id),
            *(ContentRegistry.check_content, ContentRegistry.scan_contents),
        )
        search.grant(
            self.verify.function,
            *written,
            *(ContentSearch.documents_by_id, ContentSearch.look_up_postings),
            *(ContentSearch.scan_documents, ContentSearch.scan_postings),
        )

    def _function(self, id: str, module: str, *, timeout: Duration) -> PythonFunction:
        return PortalFunction(
            self,
            id,
            f"handlers.{module}",
            stage=self._stage,
            environment=self._environment.variables(),
            timeout=timeout,
            alarm_topic=self._topic,
        )
