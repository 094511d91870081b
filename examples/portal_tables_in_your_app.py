"""The portal's tables in an app of your own: ``python -m examples.portal_tables_in_your_app``."""

from aws_cdk import App, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

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
from tablewright.constructs import StreamConsumer

app = App()
stack = Stack(app, "Portal")
content = ContentRegistryTable(stack, "Content")
notifications = NotificationsTable(stack, "Notifications")
subscriptions = SubscriptionsTable(stack, "Subscriptions")
# Ten partitions a day, for up to ten thousand events a second.
events = EventsTable(stack, "Events", shards=10)


def function(id: str) -> lambda_.Function:
    """Yours will have code; this one shows what it may do."""
    return lambda_.Function(
        stack,
        id,
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
        role=iam.Role(stack, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")),
    )


show, tell, record = function("Show"), function("Tell"), function("Record")
content.grant(show, ContentRegistry.get_content, ContentRegistry.list_content_by_status)
notifications.grant(show, Notifications.list_notifications, Notifications.mark_as_read)
subscriptions.grant(tell, Subscriptions.subscribers)
notifications.grant(tell, Notifications.create_notification)
# The patterns of both variants are the same.
events.grant(record, Events.store_event)
StreamConsumer(stack, "Changes", table=content, function=tell)
app.synth()
