"""Notifier: creates the notifications that a message asks for, one for each user.

Subscribers are read in the order of their ids, page by page, and notified in batches. Notifications
are created and never replaced, so it does not matter who has one already: work that died is done
again from its beginning. When time is short, a message says after whom to go on. Before each page
the content is read: of an approval that was withdrawn, nobody else is notified.
"""

from collections.abc import Callable, Iterator
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple

from lambdas.portal.notification_fan_out.announcements import Announcement, notification
from lambdas.portal.notification_fan_out.messages import Message
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions, matches
from tablewright.runtime.messaging.queue import Queue
from tablewright.runtime.store.store import Store

PAGE = 500


class Notified(NamedTuple):
    """How many users were notified now, how many had been before; `after` whom another goes on."""

    new: int = 0
    before: int = 0
    after: str | None = None


class Notifier:
    """Carries out messages; `page` subscribers are read at once."""

    def __init__(
        self,
        content: Store,
        subscriptions: Store,
        notifications: Store,
        queue: Queue,
        *,
        page: int = PAGE,
    ) -> None:
        self._content = content
        self._subscriptions = subscriptions
        self._notifications = notifications
        self._queue = queue
        self._page = page

    def notify(self, message: Message, in_time: Callable[[], bool] = lambda: True) -> Notified:
        """Do what a message asks for, or one page of it at least: so it comes to an end."""
        if message.owner is not None:
            return self._create(message.announcement, [message.owner])
        done = Notified()
        users = self._users(message)
        while page := list(islice(users, self._page)):
            if not self._is_current(message.announcement):
                return done
            matching = [user for user, asks in page if asks]
            now = self._create(message.announcement, matching)
            done = Notified(done.new + now.new, done.before + now.before)
            if len(page) == self._page and not in_time():
                last, _ = page[-1]
                # Only when that is sure to go on, this is done.
                self._queue.send([message._replace(after=last).body])
                return done._replace(after=last)
        return done

    def _is_current(self, announcement: Announcement) -> bool:
        found = self._content.get(ContentRegistry.get_content, content_id=announcement.content_id)
        return announcement.is_current(found)

    def _users(self, message: Message) -> Iterator[tuple[str, bool]]:
        """Everybody with subscriptions to the topic, each once, and whether one of them matches."""
        content = message.announcement._asdict()
        found = self._subscriptions.each(
            Subscriptions.subscribers,
            topic=message.topic,
            since=message.after,
            at_once=self._page,
        )
        for user, wanted in groupby(found, key=attrgetter("user_id")):
            asks = any(matches(one, content) for one in wanted)
            if user != message.after:
                yield user, asks

    def _create(self, announcement: Announcement, users: list[str]) -> Notified:
        made = [notification(announcement, user) for user in users]
        # One that is there stays as it is: read, if it was read in the meantime.
        new = sum(self._notifications.create_many(Notifications.create_notification, made))
        return Notified(new, len(users) - new)
