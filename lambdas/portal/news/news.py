"""What a change of content is news of, for whom, and how it is told.

News are made of the content before and after a change and of nothing else, and so is the id of a
notification. However often a change is delivered, it is the same news, and the same notification.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from tablewright.catalog.portal.content import APPROVED, EXPIRED
from tablewright.catalog.portal.subscriptions import topics
from tablewright.model import Record

# What is new is told to whoever has subscribed, the rest to the owner.
NEW, ENDED, REVIEW = KINDS = ("approved", "expired", "review_due")

_ID_LENGTH = 32


class News(NamedTuple):
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
    def of(cls, kind: str, content: Mapping[str, Any], at: str) -> "News":
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

    def stands(self, content: Mapping[str, Any] | None) -> bool:
        """Whether the approval that is told of is still that of the content."""
        if content is None or content["status"] != APPROVED:
            return False
        return content.get("approved_at") == self.approved_at


def news_of(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> list[News]:
    """What a change is news of: nothing, mostly."""
    before = old or {}
    if new is None:
        return []
    found = []
    was, status, at = before.get("status"), new["status"], new["last_updated"]
    if status == APPROVED and was != APPROVED:
        found.append(News.of(NEW, new, at))
    elif status == EXPIRED and was != EXPIRED:
        found.append(News.of(ENDED, new, at))
    told = new.get("review_told")
    if told and told != before.get("review_told"):
        found.append(News.of(REVIEW, new, told))
    return found


def notification(news: News, user_id: str) -> Record:
    """The notification of a user, always the same one for the same news."""
    return {
        "user_id": user_id,
        "notification_id": _id(news, user_id),
        "type": "info" if news.kind == NEW else "warning",
        "title": news.title,
        "message": _text(news),
        "read": False,
        "unread_by": user_id,
        "created_at": news.at,
        "content_id": news.content_id,
    }


def _id(news: News, user_id: str) -> str:
    # A review is due on a date, whatever has become of the content since. Else the time is there
    # because the id of content that was deleted can be given again.
    what = news.at if news.kind == REVIEW else f"{news.version}|{news.at}"
    made_of = "|".join((news.kind, news.content_id, what, user_id))
    return sha256(made_of.encode()).hexdigest()[:_ID_LENGTH]


def _text(news: News) -> str:
    day = news.at[:10]
    return {
        NEW: f"Version {news.version} was approved.",
        ENDED: f"It expired on {day}.",
        REVIEW: f"Its review was due on {day}.",
    }[news.kind]
