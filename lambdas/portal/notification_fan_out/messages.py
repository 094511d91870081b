"""Messages of the fan-out queue: an announcement, and who is to be notified of it."""

import json
from typing import Any, NamedTuple

from lambdas.portal.notification_fan_out.announcements import APPROVAL, KINDS, Announcement
from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.notifications import Notification
from tablewright.catalog.portal.subscriptions import Subscription
from tablewright.model import Entity
from tablewright.model.errors import TablewrightError
from tablewright.runtime import strict_json


class BadMessage(TablewrightError, ValueError):
    """A message that is not one of ours; repeating it will not help."""


class Message(NamedTuple):
    """An announcement for one user, or for the subscribers of a topic, in order after a user."""

    announcement: Announcement
    topic: str | None = None
    after: str | None = None
    owner: str | None = None

    @property
    def body(self) -> str:
        content = {
            n: value for n, value in self.announcement._asdict().items() if value is not None
        }
        rest = {n: value for n, value in self._asdict().items() if n != "announcement" and value}
        return json.dumps({"content": content, **rest}, ensure_ascii=False)


def messages_of(announcement: Announcement, owner: str) -> list[Message]:
    """One for each topic that subscribers may be found by, or one for the owner."""
    if announcement.kind == APPROVAL:
        return [Message(announcement, topic=topic) for topic in announcement.topics]
    return [Message(announcement, owner=owner)]


def message_from(body: str) -> Message:
    """The message in a body; raises BadMessage."""
    try:
        given = strict_json.parse(body)
        message = Message(_announcement(given.pop("content")), **given)
        if (message.topic is None) == (message.owner is None):
            raise ValueError("either for a topic or for a user")
        _check(Subscription, topic=message.topic, user_id=message.after)
        _check(Notification, user_id=message.owner)
    except (TablewrightError, AttributeError, KeyError, TypeError, ValueError) as error:
        # What was sent is not repeated: it may be anything.
        raise BadMessage(f"not a message about content: {type(error).__name__}") from None
    return message


def _announcement(given: Any) -> Announcement:
    kind, at = given["kind"], given["at"]
    if kind not in KINDS:
        raise ValueError("no kind of announcement")
    named = {n: value for n, value in given.items() if n not in ("kind", "at")}
    checked = Content.__entity__.check({**named, "last_updated": at}, partial=True)
    return Announcement.of(kind, checked, checked["last_updated"])


def _check(entity: type[Entity], **values: Any) -> None:
    entity.__entity__.check(
        {name: value for name, value in values.items() if value is not None}, partial=True
    )
