"""What the queue between publishing and notifying carries: news, and who is to hear them."""

import json
from typing import Any, NamedTuple

from lambdas.portal.news.news import KINDS, NEW, News
from tablewright.catalog.portal.content import CONTENT
from tablewright.catalog.portal.notifications import NOTIFICATION
from tablewright.catalog.portal.subscriptions import SUBSCRIPTION
from tablewright.model import Entity, Record
from tablewright.model.errors import TablewrightError
from tablewright.runtime import strict_json


class BadMessage(TablewrightError, ValueError):
    """A message that is not one of ours; repeating it will not help."""


class Message(NamedTuple):
    """News for one user, or for whoever has subscribed to a topic, in order after a user."""

    news: News
    topic: str | None = None
    after: str | None = None
    owner: str | None = None

    @property
    def body(self) -> str:
        content = {n: value for n, value in self.news._asdict().items() if value is not None}
        rest = {n: value for n, value in self._asdict().items() if n != "news" and value}
        return json.dumps({"content": content, **rest}, ensure_ascii=False)


def messages_of(news: News, owner: str) -> list[Message]:
    """One for each topic that subscribers may be found by, or one for the owner."""
    if news.kind == NEW:
        return [Message(news, topic=topic) for topic in news.topics]
    return [Message(news, owner=owner)]


def read(body: str) -> Message:
    """The message in a body; raises BadMessage."""
    try:
        given = strict_json.parse(body)
        message = Message(_news(given.pop("content")), **given)
        if (message.topic is None) == (message.owner is None):
            raise ValueError("either for a topic or for a user")
        _check(SUBSCRIPTION, topic=message.topic, user_id=message.after)
        _check(NOTIFICATION, user_id=message.owner)
    except (TablewrightError, AttributeError, KeyError, TypeError, ValueError) as error:
        # What was sent is not repeated: it may be anything.
        raise BadMessage(f"not a message about content: {type(error).__name__}") from None
    return message


def _news(given: Any) -> News:
    kind, at = given["kind"], given["at"]
    if kind not in KINDS:
        raise ValueError("no kind of news")
    named: Record = {n: value for n, value in given.items() if n not in ("kind", "at")}
    checked = CONTENT.check({**named, "last_updated": at}, partial=True)
    return News.of(kind, checked, checked["last_updated"])


def _check(entity: Entity, **values: Any) -> None:
    entity.check({name: value for name, value in values.items() if value is not None}, partial=True)
