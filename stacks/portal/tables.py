"""Tables of the portal, with the settings of a stage."""

from typing import NamedTuple

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from stacks.shared.table_key import TableKey
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    EventsTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.constructs.tables.table import TableOptions


class PortalTables(NamedTuple):
    """The four tables that the portal writes; its index of words is made from one of them.

    Example::

        tables = PortalTables.make(self, stage=stage, key=None, alarm_topic=topic)
        tables.events.grant(function, Events.store_event)
    """

    content: ContentRegistryTable
    notifications: NotificationsTable
    subscriptions: SubscriptionsTable
    events: EventsTable

    @classmethod
    def make(
        cls,
        scope: Construct,
        *,
        stage: Stage,
        key: TableKey | None,
        alarm_topic: sns.ITopic | None,
    ) -> "PortalTables":
        def options(part: str, name: str | None = None) -> TableOptions:
            return stage.table_options(
                scope,
                f"{stage.name}-{name or part}",
                system="portal",
                part=part,
                key=key,
                alarm_topic=alarm_topic,
            )

        return cls(
            ContentRegistryTable(scope, "Content", **options("content", "content_registry")),
            NotificationsTable(scope, "Notifications", **options("notifications")),
            SubscriptionsTable(scope, "Subscriptions", **options("subscriptions")),
            EventsTable(
                scope,
                "Events",
                shards=stage.portal.event_shards,
                days=stage.portal.event_days,
                **options("events"),
            ),
        )
