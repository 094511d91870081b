"""Tables of the portal: content, notifications, subscriptions and events."""

from typing import Unpack

from constructs import Construct

from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.events import EVENTS, events_design
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.constructs.tables.table import DesignTable, TableOptions


class ContentRegistryTable(DesignTable):
    """Content by status and by product, and what is due when; its stream has what was changed.

    Example::

        content = ContentRegistryTable(self, "Content")
        content.grant(function, CONTENT_REGISTRY.content_by_status)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=CONTENT_REGISTRY, **options)


class NotificationsTable(DesignTable):
    """Notifications of users: newest first, by id, and the unread ones.

    Example::

        notifications = NotificationsTable(self, "Notifications")
        notifications.grant(function, NOTIFICATIONS.notifications, NOTIFICATIONS.mark_read)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=NOTIFICATIONS, **options)


class SubscriptionsTable(DesignTable):
    """Subscriptions of users, and the subscribers of a topic.

    Example::

        subscriptions = SubscriptionsTable(self, "Subscriptions")
        subscriptions.grant(function, SUBSCRIPTIONS.subscribers)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=SUBSCRIPTIONS, **options)


class EventsTable(DesignTable):
    """Events of ninety days, by day and by user.

    With `shards` each day is spread over so many partitions, for more than a thousand events a
    second; grant its patterns from `design`, and tell the functions the number. It may be raised
    later, but not lowered: whoever asks fewer shards does not find what is in the others.

    Example::

        events = EventsTable(self, "Events", shards=10)
        events.grant(function, events.design.put_events)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        shards: int | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        design = EVENTS if shards is None else events_design(shards=shards)
        super().__init__(scope, id, design=design, **options)
        self.shards = shards
