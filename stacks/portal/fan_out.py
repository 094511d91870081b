"""From changes of content to everybody who wants to be told of them."""

from aws_cdk import Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from stacks.shared.system_function import PortalFunction
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.constructs import MessageQueue, PythonFunction, StreamConsumer
from tablewright.model.restored import NOT_RESTORED

# So long a message is worked on; then it goes on as another.
_TELLING = Duration.minutes(2)


class FanOut(Construct):
    """Publishes what changes of content are news of, by topic, and notifies who subscribed.

    Example::

        FanOut(self, "FanOut", stage=stage, content=content, subscriptions=subscriptions,
               notifications=notifications, alarm_topic=topic)
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
            visibility=Duration.seconds(6 * _TELLING.to_seconds()),
            alarm_topic=alarm_topic,
            protection=stage.protection,
        )
        self.publish = self._function("Publish", "news.publish", timeout=Duration.minutes(1))
        self.publishing = StreamConsumer(
            self,
            "Publishing",
            table=content,
            function=self.publish.function,
            # What is removed is news to nobody, and what comes back from a backup was told.
            filters=[
                {"eventName": ["INSERT"], "dynamodb": {"NewImage": NOT_RESTORED}},
                {"eventName": ["MODIFY"]},
            ],
            window=Duration.seconds(stage.portal.window_seconds),
            give_up_after=stage.give_up_after,
            kept=self.publish.own_metric("RecordsKept", period=Duration.minutes(5)),
            protection=stage.protection,
            alarm_topic=alarm_topic,
        )
        tables = {
            "CONTENT_TABLE": content.table_name,
            "SUBSCRIPTIONS_TABLE": subscriptions.table_name,
            "NOTIFICATIONS_TABLE": notifications.table_name,
        }
        self.notify = self._function("Notify", "news.notify", tables, timeout=_TELLING)
        content.grant(self.notify.function, CONTENT_REGISTRY.get_content)
        subscriptions.grant(self.notify.function, SUBSCRIPTIONS.subscribers)
        notifications.grant(self.notify.function, NOTIFICATIONS.put_notifications)
        # More subscribers than it has time for are another message's.
        self.notify.let_loop()
        self.queue.consume(self.notify.function, batch_size=1)

    def _function(
        self, id: str, module: str, more: dict[str, str] | None = None, *, timeout: Duration
    ) -> PythonFunction:
        made = PortalFunction(
            self,
            id,
            module,
            stage=self._stage,
            environment={"FANOUT_QUEUE_URL": self.queue.queue_url, **(more or {})},
            timeout=timeout,
            alarm_topic=self._topic,
        )
        self.queue.grant_send(made.function)
        return made
