"""Announcements: what a change of content announces, to whom, and the notification of it.

They are made of the content before and after a change and of nothing else, and so is the id of a
notification. However often a change is delivered, it is the same announcement and notification.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from tablewright.catalog.portal.content import APPROVED, EXPIRED, Content
from tablewright.catalog.portal.notifications import Notification
from tablewright.catalog.portal.subscriptions import topics

# Approvals are for subscribers, the rest for the owner.
KINDS = APPROVAL, EXPIRY, REVIEW_DUE = ("approved", "expired", "review_due")

_ID_LENGTH = 32


class Announcement(NamedTuple):
    """What happened to a content, and what subscriptions can ask for of it; `at` is when."""

    kind: str
    content_id: str
    version: str
    title: str
    at: str
    tags: tuple[str, ...] = ()
    product_suite: str | None = None
    product_concept: str | None = None
    approved_at: str | None = None

    @classmethod
    def of(cls, kind: str, content: Mapping[str, Any], at: str) -> "Announcement":
        return cls(
            kind,
            content["content_id"],
            content["version"],
            content["title"],
            at,
            tuple(content.get("tags") or ()),
            content.get("product_suite"),
            content.get("product_concept"),
            content.get("approved_at"),
        )

    @property
    def topics(self) -> list[str]:
        """The topics of all subscriptions that can ask for this content."""
        return topics(self._asdict())

    def is_current(self, content: Content | None) -> bool:
        """Whether the approval that is announced is still that of the content."""
        if content is None or content.status != APPROVED:
            return False
        return content.approved_at == self.approved_at


def announcements_of(old: Content | None, new: Content | None) -> list[Announcement]:
    """What a change announces: nothing, mostly."""
    if new is None:
        return []
    found = []
    was, status, at = old and old.status, new.status, new.last_updated
    approved_before = old and old.approved_at
    if status == APPROVED and (was != APPROVED or new.approved_at != approved_before):
        found.append(Announcement.of(APPROVAL, new, at))
    elif status == EXPIRED and was != EXPIRED:
        found.append(Announcement.of(EXPIRY, new, at))
    due = new.review_told
    if due and due != (old and old.review_told):
        found.append(Announcement.of(REVIEW_DUE, new, due))
    return found


def notification(announcement: Announcement, user_id: str) -> Notification:
    """The notification of a user, always the same one for the same announcement."""
    return Notification(
        user_id=user_id,
        notification_id=_id(announcement, user_id),
        type="info" if announcement.kind == APPROVAL else "warning",
        title=announcement.title,
        message=_text(announcement),
        read=False,
        unread_by=user_id,
        created_at=announcement.at,
        content_id=announcement.content_id,
    )


def _id(announcement: Announcement, user_id: str) -> str:
    # A review is due on a date, whatever has become of the content since. Else the time is there
    # because the id of content that was deleted can be given again.
    what = (
        announcement.at
        if announcement.kind == REVIEW_DUE
        else f"{announcement.version}|{announcement.at}"
    )
    made_of = "|".join((announcement.kind, announcement.content_id, what, user_id))
    return sha256(made_of.encode()).hexdigest()[:_ID_LENGTH]


def _text(announcement: Announcement) -> str:
    day = announcement.at[:10]
    return {
        APPROVAL: f"Version {announcement.version} was approved.",
        EXPIRY: f"It expired on {day}.",
        REVIEW_DUE: f"Its review was due on {day}.",
    }[announcement.kind]
