"""The enablement portal: content, who is told of it, and what happens in it."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_events as events
from constructs import Construct

from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.portal.event_archive import EventArchive
from stacks.portal.fan_out import FanOut
from stacks.portal.files import PortalFiles
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from stacks.shared.system_function import PortalFunction
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    EventsTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.constructs import CursorKey, JwtHttpApi, PythonFunction
from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.tables.table import TableOptions

CONTENT_ROUTES = (
    *(("GET", "/content"), ("POST", "/content")),
    *(("GET", "/content/{content_id}"), ("PATCH", "/content/{content_id}")),
    ("DELETE", "/content/{content_id}"),
    ("POST", "/content/{content_id}/status"),
    *(("GET", "/content/{content_id}/file"), ("POST", "/content/{content_id}/file")),
    ("GET", "/openapi.json"),
)
INBOX_ROUTES = (
    *(("GET", "/notifications"), ("GET", "/notifications/unread-count")),
    ("GET", "/notifications/{notification_id}"),
    ("POST", "/notifications/{notification_id}/read"),
    ("POST", "/notifications/read"),
    *(("GET", "/subscriptions"), ("POST", "/subscriptions")),
    ("GET", "/subscriptions/{subscription_id}"),
    ("DELETE", "/subscriptions/{subscription_id}"),
)
EVENT_ROUTES = (("GET", "/events"), ("POST", "/events"))

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
        told = FanOut(
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
        archive = EventArchive(
            self,
            "Archive",
            stage=stage,
            table=self.events,
            failures=self._failures,
            alarm_topic=self._topic,
        )
        http = self._api(identity)
        CfnOutput(self, "ApiUrl", value=http.url)
        CfnOutput(self, "PublishFunction", value=told.publish.function.function_name)
        CfnOutput(self, "FailuresBucket", value=told.publishing.failures.bucket_name)
        CfnOutput(self, "FanOutQueue", value=told.queue.queue.queue_arn)
        CfnOutput(self, "DeadLetters", value=told.queue.dead_letters.queue_arn)
        CfnOutput(self, "FailedEvents", value=self._failures.queue.queue_arn)
        CfnOutput(self, "ContentTable", value=self.content.table_name)
        CfnOutput(self, "NotificationsTable", value=self.notifications.table_name)
        CfnOutput(self, "SubscriptionsTable", value=self.subscriptions.table_name)
        CfnOutput(self, "EventsTable", value=self.events.table_name)
        CfnOutput(self, "FilesBucket", value=self._files.bucket_name)
        CfnOutput(self, "ExportBucket", value=archive.bucket.bucket_name)
        CfnOutput(self, "ExportFunction", value=archive.export.function.function_name)

    def _tables(self) -> None:
        stage = self._stage

        def options(name: str) -> TableOptions:
            tags = {"stage": stage.name}
            named = f"{stage.name}-{name}"
            return stage.table_options(named, tags=tags, alarm_topic=self._topic)

        self.content = ContentRegistryTable(self, "Content", **options("content_registry"))
        self.notifications = NotificationsTable(self, "Notifications", **options("notifications"))
        self.subscriptions = SubscriptionsTable(self, "Subscriptions", **options("subscriptions"))
        self.events = EventsTable(
            self, "Events", shards=stage.portal.event_shards, **options("events")
        )

    def _uploads(self) -> None:
        uploads = self._function(
            "Uploads", "content.uploads", self._content_and_files(), timeout=_SETTLING
        )
        patterns = (CONTENT_REGISTRY.get_content, CONTENT_REGISTRY.update_content)
        self.content.grant(uploads.function, *patterns)
        self._files.grant(uploads, "s3:GetObject", "s3:DeleteObject", lists=True)
        self._files.arrivals.consume(uploads.function, batch_size=5)
        clean = self._function(
            "Clean", "content.clean", self._content_and_files(), timeout=Duration.minutes(5)
        )
        self.content.grant(clean.function, CONTENT_REGISTRY.get_content)
        self._files.grant(clean, "s3:DeleteObject", lists=True)
        self._schedule("Cleaning", clean, Duration.days(1))
        CfnOutput(self, "CleanFunction", value=clean.function.function_name)
        CfnOutput(self, "ArrivalsQueue", value=self._files.arrivals.queue.queue_arn)
        CfnOutput(self, "ArrivalsDeadLetters", value=self._files.arrivals.dead_letters.queue_arn)

    def _calendar(self) -> None:
        calendar = self._function(
            "Calendar", "content.calendar", self._content_and_files(), timeout=Duration.minutes(5)
        )
        self.content.grant(
            calendar.function,
            CONTENT_REGISTRY.due_content,
            CONTENT_REGISTRY.get_content,
            CONTENT_REGISTRY.update_content,
        )
        self._files.grant(calendar, "s3:DeleteObject")
        every = Duration.minutes(self._stage.portal.calendar_minutes)
        self._schedule("Dates", calendar, every)
        alarm(
            self,
            "CalendarFailures",
            metric=calendar.own_metric("CalendarFailures", period=every),
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
        api = self._answering("ContentApi", "content.api", self._content_and_files())
        self.content.grant(
            api.function,
            *(CONTENT_REGISTRY.create_content, CONTENT_REGISTRY.get_content),
            *(CONTENT_REGISTRY.update_content, CONTENT_REGISTRY.delete_content),
            *(CONTENT_REGISTRY.content_by_status, CONTENT_REGISTRY.content_by_product),
        )
        # The addresses that it signs can do no more than it may itself.
        actions = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
        self._files.grant(api, *actions, lists=True)
        return api

    def _inbox_api(self) -> PythonFunction:
        tables = {
            "SUBSCRIPTIONS_TABLE": self.subscriptions.table_name,
            "NOTIFICATIONS_TABLE": self.notifications.table_name,
        }
        api = self._answering("InboxApi", "inbox.api", tables)
        self.notifications.grant(
            api.function,
            *(NOTIFICATIONS.notifications, NOTIFICATIONS.unread_in_full),
            *(NOTIFICATIONS.notification_by_id, NOTIFICATIONS.unread_notifications),
            NOTIFICATIONS.mark_read,
        )
        self.subscriptions.grant(
            api.function,
            *(SUBSCRIPTIONS.put_subscription, SUBSCRIPTIONS.get_subscription),
            *(SUBSCRIPTIONS.delete_subscription, SUBSCRIPTIONS.subscriptions),
            *(SUBSCRIPTIONS.put_subscriber, SUBSCRIPTIONS.get_subscriber),
            SUBSCRIPTIONS.count_subscription,
        )
        return api

    def _events_api(self) -> PythonFunction:
        api = self._answering("EventsApi", "events.api", self.events.settings)
        design = self.events.design
        self.events.grant(
            api.function,
            *(design.put_events, design.get_events),
            *(design.events_of_day, design.events_of_user),
        )
        return api

    def _answering(self, id: str, module: str, environment: dict[str, str]) -> PythonFunction:
        told = {**environment, "CURSOR_SECRET_ARN": self._cursor_key.secret_arn}
        made = self._function(
            id, module, told, timeout=Duration.seconds(29), slow=Duration.seconds(3)
        )
        self._cursor_key.grant_read(made.function)
        return made

    def _content_and_files(self) -> dict[str, str]:
        return {
            "CONTENT_TABLE": self.content.table_name,
            "FILES_BUCKET": self._files.bucket_name,
        }

    def _schedule(self, id: str, function: PythonFunction, every: Duration) -> None:
        """Run a function every so often; it calls itself when its time is up too soon."""
        function.let_go_on()
        when = events.Schedule.rate(every)
        Schedule(self, id, when, function=function, failures=self._failures)

    def _function(
        self,
        id: str,
        module: str,
        environment: dict[str, str],
        *,
        timeout: Duration,
        slow: Duration | None = None,
    ) -> PythonFunction:
        return PortalFunction(
            self,
            id,
            module,
            stage=self._stage,
            environment=environment,
            timeout=timeout,
            slow=slow,
            alarm_topic=self._topic,
        )
