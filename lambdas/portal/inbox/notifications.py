"""Notifications of one user: never anybody else's."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from lambdas.errors import NotThere
from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# What is counted, and what is marked as read, within one request.
MOST_COUNTED = 1000
MOST_MARKED = 250

# The user once more: a matter of the index.
SHOWN = tuple(field for field in Notification.__entity__.fields if field.name != "unread_by")


class Counted(NamedTuple):
    """A number, and whether there is more than that."""

    number: int
    more: bool


class UserNotifications:
    """The notifications of a user."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def list_notifications(
        self, *, unread: bool, limit: int, cursor: str | None
    ) -> Page[Notification]:
        """A page of all notifications, or of those that are unread, newest first."""
        pattern, field = (
            (Notifications.unread_in_full, "unread_by")
            if unread
            else (Notifications.list_notifications, "user_id")
        )
        asked = {field: self._user_id}
        return self._store.query(pattern, asked, limit=limit, cursor=cursor, caller=self._user_id)

    def get_notification(self, notification_id: str) -> Notification:
        named = self._store.each(Notifications.get_notification, notification_id=notification_id)
        for found in named:
            if found.user_id == self._user_id:
                return found
        # Nobody learns whether it is somebody else's.
        raise NotThere("You have no such notification.")

    def mark_as_read(self, notification_id: str, now: datetime) -> Notification:
        """Mark one as read; one that is read already stays as it is."""
        found = self.get_notification(notification_id)
        if found.read:
            return found
        return self._mark(found, now) or self.get_notification(notification_id)

    def mark_all_as_read(self, now: datetime) -> Counted:
        """Mark as many as one request can, the newest first; tells whether there are more."""
        found = list(islice(self._unread(MOST_MARKED + 1), MOST_MARKED + 1))
        marked = in_parallel(lambda one: self._mark(one, now), found[:MOST_MARKED])
        return Counted(sum(one is not None for one in marked), len(found) > MOST_MARKED)

    def unread(self) -> Counted:
        found = sum(1 for _ in islice(self._unread(MOST_COUNTED + 1), MOST_COUNTED + 1))
        return Counted(min(found, MOST_COUNTED), found > MOST_COUNTED)

    def _unread(self, at_once: int) -> Iterator[Notification]:
        """Keys of what is unread."""
        return self._store.each(
            Notifications.unread_notifications, unread_by=self._user_id, at_once=at_once
        )

    def _mark(self, found: Notification, now: datetime) -> Notification | None:
        """The notification as read from now on; None when it was before, or is gone."""
        changes = {"read": True, "read_at": iso_utc(now), "unread_by": None}
        try:
            return self._store.update(
                Notifications.mark_as_read, found, changes, when={"read": False}
            )
        except (Conflict, NotFound) as error:
            return error.current if error.is_own(changes) else None
