"""Tables of the portal: content and its search index, notifications, subscriptions, events."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import DAYS_KEPT, events_table
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.constructs.tables.table import DesignTable, TableOptions


class ContentRegistryTable(DesignTable):
    """Content by status, product and owner, and what is due when; its stream has what was changed.

    Example::

        content = ContentRegistryTable(self, "Content")
        content.grant(function, ContentRegistry.list_content_by_status)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=ContentRegistry, **options)


class ContentSearchTable(DesignTable):
    """Words of content, and which content has them.

    Example::

        search = ContentSearchTable(self, "Search")
        search.grant(function, ContentSearch.postings)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=ContentSearch, **options)


class NotificationsTable(DesignTable):
    """Notifications of users: newest first, by id, and the unread ones.

    Example::

        notifications = NotificationsTable(self, "Notifications")
        notifications.grant(function, Notifications.list_notifications, Notifications.mark_as_read)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=Notifications, **options)


class SubscriptionsTable(DesignTable):
    """Subscriptions of users, and the subscribers of a topic.

    Example::

        subscriptions = SubscriptionsTable(self, "Subscriptions")
        subscriptions.grant(function, Subscriptions.subscribers)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=Subscriptions, **options)


class EventsTable(DesignTable):
    """Events of ninety `days`, by day and by user.

    With `shards` each day is spread over so many partitions, for more than a thousand events a
    second; tell the functions the number. It may be raised
    later, but not lowered: whoever asks fewer shards does not find what is in the others.

    Example::

        events = EventsTable(self, "Events", shards=10)
        events.grant(function, Events.store_event)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        shards: int | None = None,
        days: int = DAYS_KEPT,
        **options: Unpack[TableOptions],
    ) -> None:
        super().__init__(scope, id, design=events_table(shards=shards, days=days), **options)
        self.shards = shards
