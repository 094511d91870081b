"""Enablement portal: content, notifications of it, and what happens in it."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, Duration
from constructs import Construct

from lambdas.contract import Environment
from lambdas.portal.contract import (
    CALENDAR_FAILURES,
    CONTENT_ROUTES,
    EVENT_ROUTES,
    INBOX_ROUTES,
    ROLE,
    ContentApiEnvironment,
    ContentEnvironment,
    EventsApiEnvironment,
    InboxApiEnvironment,
)
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.portal.files import PortalFiles
from stacks.portal.notification_fan_out import NotificationFanOut
from stacks.portal.search import SearchIndex
from stacks.portal.tables import PortalTables
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage, unless
from stacks.shared.stage_api import StageApi
from stacks.shared.stage_archive import StageArchive
from stacks.shared.stage_stack import StageStack
from stacks.shared.system_function import PortalFunction
from stacks.shared.table_key import TableKey
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import DAYS_KEPT, Events
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.constructs import PythonFunction
from tablewright.constructs.alarms.alarms import alarm
from tablewright.model.archive import INSERTED

_SETTLING = Duration.minutes(1)


class PortalStack(StageStack):
    """The portal's tables, and the functions around them.

    Example::

        PortalStack(app, stage=stage, identity=identity, operations=operations, keys={})
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
        super().__init__(scope, "portal", stage=stage)
        self._stage = stage
        self._topic = operations.alarm_topic
        tables = PortalTables.make(
            self, stage=stage, key=keys.get("portal"), alarm_topic=self._topic
        )
        self.content, self.notifications, self.subscriptions, self.events = tables
        self.search = SearchIndex(
            self,
            "Search",
            stage=stage,
            content=self.content,
            options=stage.table_options(
                self,
                f"{stage.name}-content_search",
                system="portal",
                part="search",
                key=keys.get("portal"),
                alarm_topic=self._topic,
            ),
            alarm_topic=self._topic,
        )
        self.tables = (*tables, self.search.table)
        self._files = PortalFiles(
            self,
            "Files",
            visibility=Duration.seconds(6 * _SETTLING.to_seconds()),
            protection=stage.protection,
            cors_origins=stage.cors_origins,
            alarm_topic=self._topic,
        )
        self._cursor_key = identity.cursor_key
        fan_out = NotificationFanOut(
            self,
            "FanOut",
            stage=stage,
            content=self.content,
            subscriptions=self.subscriptions,
            notifications=self.notifications,
            alarm_topic=self._topic,
        )
        self._failures = FailedEvents(
            self, "EventFailures", protection=stage.protection, topic=self._topic
        )
        self._uploads()
        self._calendar()
        if stage.archived:
            StageArchive(
                self,
                "Archive",
                stage=stage,
                table=self.events,
                takes=INSERTED,
                failures=self._failures,
                alarm_topic=self._topic,
            )
        self.http = http = self._api(identity)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "PublishFunction", value=fan_out.publish.function.function_name)
        CfnOutput(self, "FailuresBucket", value=fan_out.publishing.failures.bucket_name)
        CfnOutput(self, "FanOutQueue", value=fan_out.queue.queue.queue_arn)
        CfnOutput(self, "DeadLetters", value=fan_out.queue.dead_letters.queue_arn)
        CfnOutput(self, "FailedEvents", value=self._failures.queue.queue_arn)
        CfnOutput(self, "ContentTable", value=self.content.table_name)
        CfnOutput(self, "NotificationsTable", value=self.notifications.table_name)
        CfnOutput(self, "SubscriptionsTable", value=self.subscriptions.table_name)
        CfnOutput(self, "EventsTable", value=self.events.table_name)
        if self.events.shards:
            CfnOutput(self, "EventShards", value=str(self.events.shards))
        CfnOutput(self, "SearchTable", value=self.search.table.table_name)
        CfnOutput(self, "IndexFunction", value=self.search.index.function.function_name)
        CfnOutput(self, "IndexFailuresBucket", value=self.search.indexing.failures.bucket_name)
        CfnOutput(self, "VerifySearchFunction", value=self.search.verify.function.function_name)
        CfnOutput(self, "FilesBucket", value=self._files.bucket_name)

    def _uploads(self) -> None:
        uploads = self._function(
            "Uploads", "complete_uploads", self._content_environment(), timeout=_SETTLING
        )
        patterns = (ContentRegistry.get_content, ContentRegistry.update_content)
        self.content.grant(uploads.function, *patterns)
        self._files.grant(uploads, "s3:GetObject", "s3:DeleteObject", lists=True)
        self._files.arrivals.consume(
            uploads.function, batch_size=5, concurrency=uploads.reserved_concurrency
        )
        clean = self._function(
            "Clean", "clean_files", self._content_environment(), timeout=Duration.minutes(5)
        )
        self.content.grant(clean.function, ContentRegistry.get_content)
        self._files.grant(clean, "s3:DeleteObject", lists=True)
        self._schedule("Cleaning", clean, Duration.days(1))
        CfnOutput(self, "CleanFunction", value=clean.function.function_name)
        CfnOutput(self, "ArrivalsQueue", value=self._files.arrivals.queue.queue_arn)
        CfnOutput(self, "ArrivalsDeadLetters", value=self._files.arrivals.dead_letters.queue_arn)

    def _calendar(self) -> None:
        calendar = self._function(
            "Calendar", "run_calendar", self._content_environment(), timeout=Duration.minutes(5)
        )
        self.content.grant(
            calendar.function,
            ContentRegistry.due_content,
            ContentRegistry.get_content,
            ContentRegistry.update_content,
        )
        self._files.grant(calendar, "s3:DeleteObject")
        every = Duration.minutes(self._stage.portal.calendar_minutes)
        self._schedule("Dates", calendar, every)
        alarm(
            self,
            "CalendarFailures",
            metric=calendar.own_metric(CALENDAR_FAILURES, period=every),
            threshold=1,
            periods=4,
            breaching=3,
            describes="What the dates of some content ask for keeps failing.",
            topic=self._topic,
        )
        CfnOutput(self, "CalendarFunction", value=calendar.function.function_name)

    def _api(self, identity: IdentityStack) -> StageApi:
        http = StageApi(
            self,
            "HttpApi",
            "portal",
            stage=self._stage,
            identity=identity,
            function=self._content_api(),
            routes=CONTENT_ROUTES,
            alarm_topic=self._topic,
        )
        http.add_routes(self._inbox_api().function, INBOX_ROUTES)
        http.add_routes(self._events_api().function, EVENT_ROUTES)
        return http

    def _content_api(self) -> PythonFunction:
        environment = ContentApiEnvironment(
            content_table=self.content.table_name,
            files_bucket=self._files.bucket_name,
            search_table=self.search.table.table_name,
            cursor_secret_arn=self._cursor_key.secret_arn,
            review=unless(ROLE, self._stage.portal.review),
            page_limit=self._stage.told_page_limit,
        )
        api = self._api_function("ContentApi", "content_api", environment)
        self.search.table.grant(api.function, ContentSearch.postings)
        self.content.grant(
            api.function,
            *(ContentRegistry.create_content, ContentRegistry.get_content),
            *(ContentRegistry.update_content, ContentRegistry.delete_content),
            *(ContentRegistry.list_content_by_status, ContentRegistry.list_content_by_product),
            *(ContentRegistry.list_content_by_owner, ContentRegistry.contents_by_id),
        )
        # The addresses that it signs can do no more than it may itself.
        actions = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
        self._files.grant(api, *actions, lists=True)
        return api

    def _inbox_api(self) -> PythonFunction:
        environment = InboxApiEnvironment(
            subscriptions_table=self.subscriptions.table_name,
            notifications_table=self.notifications.table_name,
            cursor_secret_arn=self._cursor_key.secret_arn,
            page_limit=self._stage.told_page_limit,
        )
        api = self._api_function("InboxApi", "inbox_api", environment)
        self.notifications.grant(
            api.function,
            *(Notifications.list_notifications, Notifications.unread_in_full),
            *(Notifications.get_notification, Notifications.unread_notifications),
            Notifications.mark_as_read,
        )
        self.subscriptions.grant(
            api.function,
            *(Subscriptions.create_subscription, Subscriptions.get_subscription),
            *(Subscriptions.delete_subscription, Subscriptions.list_subscriptions),
            *(Subscriptions.put_subscriber, Subscriptions.get_subscriber),
            Subscriptions.count_subscription,
        )
        return api

    def _events_api(self) -> PythonFunction:
        environment = EventsApiEnvironment(
            events_table=self.events.table_name,
            event_shards=str(self.events.shards) if self.events.shards else None,
            event_days=unless(DAYS_KEPT, self._stage.portal.event_days),
            cursor_secret_arn=self._cursor_key.secret_arn,
            page_limit=self._stage.told_page_limit,
        )
        api = self._api_function("EventsApi", "events_api", environment)
        self.events.grant(
            api.function,
            *(Events.store_event, Events.get_events),
            *(Events.list_events_for_date, Events.query_events_by_user),
        )
        return api

    def _api_function(self, id: str, module: str, environment: Environment) -> PythonFunction:
        made = self._function(
            id, module, environment, timeout=Duration.seconds(29), slow=Duration.seconds(3)
        )
        self._cursor_key.grant_read(made.function)
        return made

    def _content_environment(self) -> ContentEnvironment:
        return ContentEnvironment(
            content_table=self.content.table_name, files_bucket=self._files.bucket_name
        )

    def _schedule(self, id: str, function: PythonFunction, every: Duration) -> None:
        """Run a function every so often; it calls itself when its time is up too soon."""
        function.let_go_on()
        Schedule(self, id, every, function=function, failures=self._failures, topic=self._topic)

    def _function(
        self,
        id: str,
        module: str,
        environment: Environment,
        *,
        timeout: Duration,
        slow: Duration | None = None,
    ) -> PythonFunction:
        return PortalFunction(
            self,
            id,
            f"handlers.{module}",
            stage=self._stage,
            environment=environment.variables(),
            timeout=timeout,
            slow=slow,
            alarm_topic=self._topic,
        )
