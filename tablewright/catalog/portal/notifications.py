"""Notifications of users, newest first, and how many of them are unread."""

from __future__ import annotations

from tablewright.catalog.portal.fields import key_id, key_time, moment, path_id
from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    Choice,
    Entity,
    Field,
    Flag,
    Index,
    Key,
    Prose,
    Query,
    Table,
    Update,
)

KINDS = ("info", "success", "warning", "error")


class Notification(
    Entity,
    key=Key("{user_id}", "{created_at}#{notification_id}"),
    example={
        "user_id": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "notification_id": "9f86d081884c7d659a2feaa0c55ad015",
        "type": "info",
        "title": "Positioning the data platform",
        "message": "Version 3 was approved.",
        "read": False,
        "unread_by": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "created_at": "2025-01-26T10:04:00.000Z",
        "content_id": "0194a211-7280-7abc-8def-0123456789ab",
    },
):
    """Something that a user is told, once."""

    user_id: Field[str] = key_id()
    # The portal derives it from the event, so a repeated notification has the same id.
    notification_id: Field[str] = path_id()
    type: Field[str] = Choice(KINDS)
    title: Field[str] = Prose(max_length=200)
    message: Field[str] = Prose(max_length=1000)
    read: Field[bool] = Flag()
    # The user once more, as long as it is unread.
    unread_by: Field[str | None] = key_id(default=None)
    created_at: Field[str] = key_time()
    read_at: Field[str | None] = moment(default=None)
    content_id: Field[str | None] = path_id(default=None)


class Notifications(Table, pk="user_id", sk="created_at#notification_id"):
    """What users are told: newest first, by id, and what is unread."""

    by_notification_id = Index(
        pk="notification_id", projects=KEYS_ONLY, keys={Notification: Key("{notification_id}")}
    )
    by_unread = Index(
        pk="unread_by",
        sk="created_at#notification_id",
        projects=KEYS_ONLY,
        sparse=True,
        keys={Notification: Key("{unread_by}", "{created_at}#{notification_id}")},
    )

    create_notification = BatchCreate(Notification, describes="Tell users, each once.")
    list_notifications = Query(
        Notification,
        range=Notification.created_at,
        descending=True,
        describes="The notifications of a user, newest first.",
    )
    get_notification = Query(
        Notification,
        by_notification_id,
        hydrate=True,
        describes="The notification with an id, whoever's it is.",
    )
    unread_notifications = Query(
        Notification, by_unread, descending=True, describes="Keys of a user's unread notifications."
    )
    unread_in_full = Query(
        Notification,
        by_unread,
        hydrate=True,
        descending=True,
        describes="A user's unread notifications, newest first.",
    )
    mark_as_read = Update(Notification, describes="Mark a notification as read.")
