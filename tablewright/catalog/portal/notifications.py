"""Notifications of users, newest first, and how many of them are unread."""

from tablewright.catalog.portal.content import content_id, user_id
from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    Choice,
    Entity,
    Flag,
    Get,
    Index,
    Key,
    Prose,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
)

KINDS = ("info", "success", "warning", "error")

NOTIFICATION = Entity(
    "Notification",
    describes="Something that a user is told, once.",
    key=Key("{user_id}", "{created_at}#{notification_id}"),
    indexed={
        "by_notification_id": Key("{notification_id}"),
        "by_unread": Key("{unread_by}", "{created_at}#{notification_id}"),
    },
    fields=(
        user_id(),
        # Made of what the notification is about: told twice, it is the same one.
        Text("notification_id", max_length=64, pattern="[0-9a-zA-Z_-]+"),
        Choice("type", KINDS),
        Prose("title", max_length=200),
        Prose("message", max_length=1000),
        Flag("read"),
        # The user once more, as long as it is unread.
        user_id("unread_by", optional=True),
        Timestamp("created_at"),
        Timestamp("read_at", optional=True),
        content_id(optional=True),
    ),
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
)

NOTIFICATIONS = Table(
    "notifications",
    describes="What users are told: newest first, by id, and what is unread.",
    pk="user_id",
    sk="created_at#notification_id",
    entities=(NOTIFICATION,),
    indexes=(
        Index("by_notification_id", pk="notification_id", projects=KEYS_ONLY),
        Index(
            "by_unread",
            pk="unread_by",
            sk="created_at#notification_id",
            projects=KEYS_ONLY,
            sparse=True,
        ),
    ),
    patterns=(
        BatchCreate("put_notifications", "Notification", describes="Tell users, each once."),
        Get("get_notification", "Notification", describes="Read a notification by its full key."),
        Query(
            "notifications",
            "Notification",
            range="created_at",
            descending=True,
            describes="The notifications of a user, newest first.",
        ),
        Query(
            "notification_by_id",
            "Notification",
            index="by_notification_id",
            hydrate=True,
            describes="The notification with an id, whoever's it is.",
        ),
        Query(
            "unread_notifications",
            "Notification",
            index="by_unread",
            descending=True,
            describes="Keys of a user's unread notifications.",
        ),
        Query(
            "unread_in_full",
            "Notification",
            index="by_unread",
            hydrate=True,
            descending=True,
            describes="A user's unread notifications, newest first.",
        ),
        Update("mark_read", "Notification", describes="Mark a notification as read."),
    ),
)
