"""Enablement portal: content, notifications of it, and what happens in it."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_events as events
from constructs import Construct

from lambdas.contract import Environment
from lambdas.portal.contract import (
    CALENDAR_FAILURES,
    CONTENT_ROUTES,
    EVENT_ROUTES,
    INBOX_ROUTES,
    ContentApiEnvironment,
    ContentEnvironment,
    EventsApiEnvironment,
    InboxApiEnvironment,
)
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.portal.files import PortalFiles
from stacks.portal.notification_fan_out import NotificationFanOut
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from stacks.shared.stage_archive import StageArchive
from stacks.shared.stage_stack import StageStack
from stacks.shared.system_function import PortalFunction
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    EventsTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.constructs import CursorKey, JwtHttpApi, PythonFunction
from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.tables.table import TableOptions
from tablewright.model.archive import INSERTED

_SETTLING = Duration.minutes(1)


class PortalStack(StageStack):
    """The portal's four tables, and the functions around them.

    Example::

        PortalStack(app, stage=stage, identity=identity, operations=operations)
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        identity: IdentityStack,
        operations: OperationsStack,
    ) -> None:
        super().__init__(scope, "portal", stage=stage)
        self._stage = stage
        self._topic = operations.alarm_topic
        self._tables()
        self._files = PortalFiles(
            self,
            "Files",
            visibility=Duration.seconds(6 * _SETTLING.to_seconds()),
            protection=stage.protection,
            cors_origins=stage.cors_origins,
            alarm_topic=self._topic,
        )
        self._cursor_key = CursorKey(self, "CursorKey", protection=stage.protection)
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
        http = self._api(identity)
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
        CfnOutput(self, "FilesBucket", value=self._files.bucket_name)

    def _tables(self) -> None:
        stage = self._stage

        def options(name: str) -> TableOptions:
            tags = {"stage": stage.name}
            named = f"{stage.name}-{name}"
            return stage.table_options(named, tags=tags, alarm_topic=self._topic, system="portal")

        self.content = ContentRegistryTable(self, "Content", **options("content_registry"))
        self.notifications = NotificationsTable(self, "Notifications", **options("notifications"))
        self.subscriptions = SubscriptionsTable(self, "Subscriptions", **options("subscriptions"))
        self.events = EventsTable(
            self, "Events", shards=stage.portal.event_shards, **options("events")
        )
        self.tables = (self.content, self.notifications, self.subscriptions, self.events)

    def _uploads(self) -> None:
        uploads = self._function(
            "Uploads", "complete_uploads", self._content_environment(), timeout=_SETTLING
        )
        patterns = (ContentRegistry.get_content, ContentRegistry.update_content)
        self.content.grant(uploads.function, *patterns)
        self._files.grant(uploads, "s3:GetObject", "s3:DeleteObject", lists=True)
        self._files.arrivals.consume(uploads.function, batch_size=5)
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

    def _api(self, identity: IdentityStack) -> JwtHttpApi:
        http = JwtHttpApi(
            self,
            "HttpApi",
            function=self._content_api().function,
            issuer=identity.issuer,
            audience=[identity.client_id],
            routes=CONTENT_ROUTES,
            cors_origins=self._stage.cors_origins,
            log_retention=self._stage.log_retention,
            log_removal=self._stage.log_removal,
            alarm_topic=self._topic,
        )
        http.add_routes(self._inbox_api().function, INBOX_ROUTES)
        http.add_routes(self._events_api().function, EVENT_ROUTES)
        return http

    def _content_api(self) -> PythonFunction:
        environment = ContentApiEnvironment(
            content_table=self.content.table_name,
            files_bucket=self._files.bucket_name,
            cursor_secret_arn=self._cursor_key.secret_arn,
        )
        api = self._api_function("ContentApi", "content_api", environment)
        self.content.grant(
            api.function,
            *(ContentRegistry.create_content, ContentRegistry.get_content),
            *(ContentRegistry.update_content, ContentRegistry.delete_content),
            *(ContentRegistry.content_by_status, ContentRegistry.content_by_product),
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
        )
        api = self._api_function("InboxApi", "inbox_api", environment)
        self.notifications.grant(
            api.function,
            *(Notifications.notifications, Notifications.unread_in_full),
            *(Notifications.notification_by_id, Notifications.unread_notifications),
            Notifications.mark_read,
        )
        self.subscriptions.grant(
            api.function,
            *(Subscriptions.put_subscription, Subscriptions.get_subscription),
            *(Subscriptions.delete_subscription, Subscriptions.subscriptions),
            *(Subscriptions.put_subscriber, Subscriptions.get_subscriber),
            Subscriptions.count_subscription,
        )
        return api

    def _events_api(self) -> PythonFunction:
        environment = EventsApiEnvironment(
            events_table=self.events.table_name,
            event_shards=str(self.events.shards) if self.events.shards else None,
            cursor_secret_arn=self._cursor_key.secret_arn,
        )
        api = self._api_function("EventsApi", "events_api", environment)
        self.events.grant(
            api.function,
            *(Events.put_events, Events.get_events),
            *(Events.events_of_day, Events.events_of_user),
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
        when = events.Schedule.rate(every)
        Schedule(self, id, when, function=function, failures=self._failures)

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
