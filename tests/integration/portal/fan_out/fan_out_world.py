"""From content to its readers: the portal's tables on the real engine, a queue, a bucket."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from lambdas.portal.content.calendar import Calendar
from lambdas.portal.content.lifecycle import next_due, revision
from lambdas.portal.handlers.publish_announcements import publish
from lambdas.portal.notification_fan_out.messages import message_from
from lambdas.portal.notification_fan_out.notifier import Notified, Notifier
from tablewright.catalog.portal.content import APPROVED, DRAFT, Content, ContentRegistry
from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscription, Subscriptions, topic
from tablewright.model import Table
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.ids import uuid7
from tablewright.runtime.messaging.queue import Queue
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Crash, Database
from tests.integration.conftest import CURSORS
from tests.integration.forms.metrics.streaming import everything

Json = dict[str, Any]

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
OWNER = "olga"
BUCKET = "files"
CONTENT_TABLE = "content-registry"
SEARCH_TABLE = "search"


class Cloud:
    """SQS and S3, as far as the functions need them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.messages: list[str] = []
        self.sent: list[str] = []  # ever
        self.objects: set[str] = set()
        self.removals: list[str] = []
        self.refuses = 0  # so many entries, one of each batch
        self.broken = False  # the bucket

    def call(self, operation: str, params: Json) -> Json:
        with self._lock:
            answer: Json = getattr(self, f"_{operation}")(**params)
            return answer

    def _SendMessageBatch(self, QueueUrl: str, Entries: list[Json]) -> Json:  # noqa: N802, N803
        assert QueueUrl == "queue"
        assert 1 <= len(Entries) <= 10
        assert sum(len(entry["MessageBody"].encode()) for entry in Entries) <= 256 * 1024
        refused = Entries[:1] if self.refuses else []
        self.refuses -= len(refused)
        taken = Entries[len(refused) :]
        self.messages += [entry["MessageBody"] for entry in taken]
        self.sent += [entry["MessageBody"] for entry in taken]
        return {
            "Successful": [{"Id": entry["Id"]} for entry in taken],
            "Failed": [{"Id": entry["Id"], "Code": "ServiceUnavailable"} for entry in refused],
        }

    def _DeleteObject(self, Bucket: str, Key: str) -> Json:  # noqa: N802, N803
        assert Bucket == BUCKET
        if self.broken:
            raise Unavailable("injected")
        self.objects.discard(Key)
        self.removals.append(Key)
        return {}


class Edge:
    """All that the functions call, through one seam."""

    def __init__(self, dynamo: Caller, cloud: Cloud) -> None:
        self._dynamo = dynamo
        self._cloud = cloud

    def call(self, operation: str, params: Json) -> Json:
        to: Caller = self._cloud if hasattr(self._cloud, f"_{operation}") else self._dynamo
        return to.call(operation, params)


class FanOutWorld:
    """Content, subscriptions and notifications, and the functions between them over one edge."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.table(ContentRegistry, CONTENT_TABLE, stream=True)
        database.table(Subscriptions, "subscriptions")
        database.table(Notifications, "notifications")
        database.table(ContentSearch, SEARCH_TABLE)
        self.dynamo = database.caller
        self.cloud = Cloud()
        self.edge: Caller = Edge(self.dynamo, self.cloud)
        self.content = self.content_store()
        self._numbers = iter(range(1_000_000))

    def content_store(self, caller: Caller | None = None) -> Store:
        return self._store(ContentRegistry, CONTENT_TABLE, caller)

    def notifications_store(self, caller: Caller | None = None) -> Store:
        return self._store(Notifications, "notifications", caller)

    def subscriptions_store(self, caller: Caller | None = None) -> Store:
        return self._store(Subscriptions, "subscriptions", caller)

    def _store(self, table: type[Table], name: str, caller: Caller | None) -> Store:
        cursors = CURSORS
        return Store(table, name, caller or self.edge, cursors=cursors)

    # Content.

    def write(self, content_id: str = "c1", **changes: Any) -> Content:
        """New content, a draft unless it is said otherwise; nothing is checked but its form."""
        made = content(content_id, **changes)
        return self.content.put(ContentRegistry.create_content, made)

    def change(self, before: Content, now: datetime = NOW, **changes: Any) -> Content:
        """A new version of content, as the portal writes it."""
        made, unchanged = revision(before, changes, now), Content.version == before.version
        return self.content.update(ContentRegistry.update_content, before, made, when=unchanged)

    def approved(self, content_id: str = "c1", **changes: Any) -> Content:
        return self.change(self.write(content_id, **changes), status=APPROVED)

    def read(self, content_id: str = "c1") -> Content:
        found = self.content.get(ContentRegistry.get_content, content_id=content_id)
        assert found is not None
        return found

    def records(self) -> list[Json]:
        return everything(self.database, CONTENT_TABLE)

    # Subscriptions.

    def subscribe(self, *users: str, **filters: Any) -> None:
        records = Records(Subscriptions.__design__, Subscription.__entity__)
        self.database.write(
            [records.to_item(self._subscription(user, filters)) for user in users], "subscriptions"
        )

    def _subscription(self, user: str, filters: Json) -> Subscription:
        id = uuid7(NOW, next(self._numbers).to_bytes(10, "big"))
        ours = {"user_id": user, "subscription_id": id, "created_at": iso_utc(NOW)}
        return Subscription(**{**filters, **ours, "topic": topic(filters)})

    # From content to notifications.

    def publish(self, records: Sequence[Json] | None = None, caller: Caller | None = None) -> Json:
        queue = Queue(caller or self.edge, "queue", backoff=Backoff(attempts=4, first=0))
        return publish(self.records() if records is None else records, queue, lambda *_: None)

    def notifier(self, caller: Caller | None = None, **settings: Any) -> Notifier:
        return Notifier(
            self.content_store(caller),
            self.subscriptions_store(caller),
            self.notifications_store(caller),
            Queue(caller or self.edge, "queue"),
            **settings,
        )

    def drain(
        self, caller: Caller | None = None, *, hurried: bool = False, **settings: Any
    ) -> list[Notified]:
        """Consume the queue; a message is gone only when it was carried out."""
        notifier = self.notifier(caller, **settings)
        done = []
        while self.cloud.messages:
            message = message_from(self.cloud.messages[0])
            done.append(notifier.notify(message, lambda: not hurried))
            self.cloud.messages.pop(0)
        return done

    def drain_with_crashes(self, edges: Iterator[Caller], **settings: Any) -> int:
        """Consume the queue to its end, each attempt over another edge; gives how many died."""
        died = 0
        while self.cloud.messages:
            try:
                self.drain(next(edges), **settings)
            except Crash:
                died += 1
        return died

    def notifications(self) -> list[Notification]:
        records = Records(Notifications.__design__, Notification.__entity__)
        return [records.to_record(item) for item in self.items("notifications")]

    def told(self) -> list[tuple[str, str]]:
        """Who was told what of which version, each as often as it is stored."""
        return sorted((one.user_id, one.message) for one in self.notifications())

    def forget(self) -> None:
        """No notifications, no messages."""
        self.cloud.messages.clear()
        self.database.empty("notifications")

    def clear_content(self) -> None:
        self.database.empty(CONTENT_TABLE)

    def items(self, table: str) -> list[Json]:
        return self.database.items(table)

    # The calendar.

    def calendar(self, caller: Caller | None = None, **settings: Any) -> Calendar:
        return Calendar(self.content_store(caller), caller or self.edge, BUCKET, **settings)

    def due(self) -> list[str]:
        """What is due at any time, in order."""
        return [c.content_id for c in self.content.each(ContentRegistry.due_content)]


def content(content_id: str = "c1", **changes: Any) -> Content:
    plain: Json = {
        "content_id": content_id,
        "status": DRAFT,
        "title": f"About {content_id}",
        "summary": "What to say.",
        "owner_user_id": OWNER,
        "tags": [],
        "version": "1",
        "created_at": iso_utc(NOW),
        "last_updated": iso_utc(NOW),
        **{n: iso_utc(v) if isinstance(v, datetime) else v for n, v in changes.items()},
    }
    made = Content(**plain)
    return Content(**{**made, "due_at": next_due(made)})


def users(count: int) -> list[str]:
    return [f"user-{number:05}" for number in range(count)]
