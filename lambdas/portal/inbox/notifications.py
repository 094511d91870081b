"""Notifications of one user: never anybody else's."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from tablewright.catalog.portal.notifications import NOTIFICATION, NOTIFICATIONS
from tablewright.model import Record
from tablewright.model.fields.scalars import timestamp
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.batches import in_parallel
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# What is counted, and what is marked as read, within one request.
MOST_COUNTED = 1000
MOST_MARKED = 250

# The user once more: a matter of the index.
SHOWN = tuple(field for field in NOTIFICATION.fields if field.name != "unread_by")


class Counted(NamedTuple):
    """A number, and whether there is more than that."""

    number: int
    more: bool


class Notifications:
    """The notifications of a user."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def page(self, *, unread: bool, limit: int, cursor: str | None) -> Page:
        """A page of all notifications, or of those that are unread, newest first."""
        pattern, field = (
            (NOTIFICATIONS.unread_in_full, "unread_by")
            if unread
            else (NOTIFICATIONS.notifications, "user_id")
        )
        asked = {field: self._user_id}
        return self._store.query(pattern, asked, limit=limit, cursor=cursor, caller=self._user_id)

    def one(self, notification_id: str) -> Record:
        asked = {"notification_id": notification_id}
        for found in self._store.each(NOTIFICATIONS.notification_by_id, asked):
            if found["user_id"] == self._user_id:
                return found
        # Nobody learns whether it is somebody else's.
        raise NotFound("You have no such notification.")

    def mark(self, notification_id: str, now: datetime) -> Record:
        """Mark one as read; one that is read already stays as it is."""
        found = self.one(notification_id)
        if found["read"]:
            return found
        return self._mark(found, now) or self.one(notification_id)

    def mark_all(self, now: datetime) -> Counted:
        """Mark as many as one request can, the newest first; tells whether there are more."""
        found = list(islice(self._unread(MOST_MARKED + 1), MOST_MARKED + 1))
        marked = in_parallel(
            self._store.executor, lambda one: self._mark(one, now), found[:MOST_MARKED]
        )
        return Counted(sum(one is not None for one in marked), len(found) > MOST_MARKED)

    def unread(self) -> Counted:
        found = sum(1 for _ in islice(self._unread(MOST_COUNTED + 1), MOST_COUNTED + 1))
        return Counted(min(found, MOST_COUNTED), found > MOST_COUNTED)

    def _unread(self, at_once: int) -> Iterator[Record]:
        """Keys of what is unread."""
        where = {"unread_by": self._user_id}
        return self._store.each(NOTIFICATIONS.unread_notifications, where, at_once=at_once)

    def _mark(self, found: Record, now: datetime) -> Record | None:
        """The notification as read from now on; None when it was before, or is gone."""
        key = {name: found[name] for name in NOTIFICATION.key.fields}
        changes = {"read": True, "read_at": timestamp(now), "unread_by": None}
        try:
            return self._store.update(NOTIFICATIONS.mark_read, key, changes, expect={"read": False})
        except (Conflict, NotFound):
            return None
