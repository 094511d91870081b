"""The table of what users are told, ready for any CDK app."""

from tablewright.constructs.table import StagedTable
from tablewright.designs.notifications import NOTIFICATIONS


class NotificationsTable(StagedTable):
    """Notifications of users: newest first, by id, and the unread ones.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        notifications = NotificationsTable(self, "Notifications", stage="dev")
        notifications.grant(function, NOTIFICATIONS.notifications, NOTIFICATIONS.mark_read)
    """

    DESIGN = NOTIFICATIONS
