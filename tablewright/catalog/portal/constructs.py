"""Tables of the portal: content, notifications, subscriptions and events."""

from typing import Unpack

from constructs import Construct

from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.events import EVENTS, events_design
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.constructs.tables.table import StagedTable, TableOptions


class ContentRegistryTable(StagedTable):
    """Content by status and by product, and what is due when; its stream tells what was changed.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        content = ContentRegistryTable(self, "Content", stage="dev")
        content.grant(function, CONTENT_REGISTRY.content_by_status)
    """

    DESIGN = CONTENT_REGISTRY


class NotificationsTable(StagedTable):
    """Notifications of users: newest first, by id, and the unread ones.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        notifications = NotificationsTable(self, "Notifications", stage="dev")
        notifications.grant(function, NOTIFICATIONS.notifications, NOTIFICATIONS.mark_read)
    """

    DESIGN = NOTIFICATIONS


class SubscriptionsTable(StagedTable):
    """Subscriptions of users, and the subscribers of a topic.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        subscriptions = SubscriptionsTable(self, "Subscriptions", stage="dev")
        subscriptions.grant(function, SUBSCRIPTIONS.subscribers)
    """

    DESIGN = SUBSCRIPTIONS


class EventsTable(StagedTable):
    """Events of ninety days, by day and by user.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.
    With `shards` each day is spread over so many partitions, for more than a thousand events a
    second; grant its patterns from `design`, and tell the functions the number. It may be raised
    later, but not lowered: whoever asks fewer shards does not find what is in the others.

    Example::

        events = EventsTable(self, "Events", stage="dev", shards=10)
        events.grant(function, events.design.put_events)
    """

    DESIGN = EVENTS

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        shards: int | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        design = EVENTS if shards is None else events_design(shards=shards)
        super().__init__(scope, id, stage=stage, table_name=table_name, design=design, **options)
        self._shards = shards

    @property
    def settings(self) -> dict[str, str]:
        """What a function must be told of the table: its name, and its shards if it has any."""
        shards = {} if self._shards is None else {"EVENT_SHARDS": str(self._shards)}
        return {"EVENTS_TABLE": self.table_name, **shards}
