"""Notification fan-out: from changes of content to the notifications of its subscribers."""

from aws_cdk import Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import RECORDS_KEPT
from lambdas.portal.contract import NotifyEnvironment, PublishEnvironment
from stacks.shared.stage import Stage
from stacks.shared.system_function import PortalFunction
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.constructs import MessageQueue, PythonFunction, StreamConsumer
from tablewright.model.restored import NOT_RESTORED

# So long a message is worked on; then it goes on as another.
_NOTIFYING = Duration.minutes(2)


class NotificationFanOut(Construct):
    """Publishes what changes of content announce, by topic, and notifies subscribers.

    Example::

        NotificationFanOut(self, "FanOut", stage=stage, content=content, alarm_topic=topic,
                           subscriptions=subscriptions, notifications=notifications)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        content: ContentRegistryTable,
        subscriptions: SubscriptionsTable,
        notifications: NotificationsTable,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._stage = stage
        self._topic = alarm_topic
        self.queue = MessageQueue(
            self,
            "Messages",
            visibility=Duration.seconds(6 * _NOTIFYING.to_seconds()),
            alarm_topic=alarm_topic,
            protection=stage.protection,
        )
        self.publish = self._function(
            "Publish",
            "publish_announcements",
            PublishEnvironment(fanout_queue_url=self.queue.queue_url),
            timeout=Duration.minutes(1),
        )
        self.publishing = StreamConsumer(
            self,
            "Publishing",
            table=content,
            function=self.publish.function,
            # A removal notifies nobody, and what comes back from a backup was announced before.
            filters=[
                {"eventName": ["INSERT"], "dynamodb": {"NewImage": NOT_RESTORED}},
                {"eventName": ["MODIFY"]},
            ],
            window=stage.stream_window,
            give_up_after=stage.give_up_after,
            kept=self.publish.own_metric(RECORDS_KEPT, period=Duration.minutes(5)),
            protection=stage.protection,
            alarm_topic=alarm_topic,
        )
        environment = NotifyEnvironment(
            fanout_queue_url=self.queue.queue_url,
            content_table=content.table_name,
            subscriptions_table=subscriptions.table_name,
            notifications_table=notifications.table_name,
        )
        self.notify = self._function("Notify", "notify_users", environment, timeout=_NOTIFYING)
        content.grant(self.notify.function, ContentRegistry.get_content)
        subscriptions.grant(self.notify.function, Subscriptions.subscribers)
        notifications.grant(self.notify.function, Notifications.create_notification)
        # More subscribers than it has time for are another message's.
        self.notify.let_loop()
        at_once = self.notify.reserved_concurrency
        self.queue.consume(self.notify.function, batch_size=1, concurrency=at_once)

    def _function(
        self, id: str, module: str, environment: PublishEnvironment, *, timeout: Duration
    ) -> PythonFunction:
        made = PortalFunction(
            self,
            id,
            f"handlers.{module}",
            stage=self._stage,
            environment=environment.variables(),
            timeout=timeout,
            alarm_topic=self._topic,
        )
        self.queue.grant_send(made.function)
        return made
