"""One run of each access pattern of the portal's notifications and subscriptions."""

from decimal import Decimal

from tablewright.catalog.portal.notifications import NOTIFICATION, NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIBER, SUBSCRIPTION, SUBSCRIPTIONS
from tablewright.model import Record, Table
from tablewright.model.capacity import read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.pages.metering import TRANSACTION_WRITES, Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.store import Store

PAGE = 50
UNREAD = 100
SUBSCRIBERS = 200
SAYS = (
    "A small portal has a hundred users, a large one ten thousand. Each is told of five pieces of "
    "content a day, and looks at the list and the number of unread notifications ten times on each "
    "of twenty days."
)
LEAVES_OUT = (
    "Notifications stay: storage is that of a year. Backups and contributor insights are not in "
    "these figures."
)
SUBSCRIPTIONS_SAY = (
    "A small portal has a hundred users, a large one ten thousand, with three subscriptions each, "
    "of which a twentieth is made anew every month. 1,100 and 110,000 versions of content are made "
    "known a month. Each has six topics, half of them without subscribers; for each notification "
    "two subscriptions are read."
)
SUBSCRIPTIONS_LEAVE_OUT = (
    "Who subscribed to everything is read for each version. Backups and contributor insights "
    "are not in these figures."
)
OWN = {"user_id": NOTIFICATION.example["user_id"]}
READ = {"read": True, "read_at": "2025-01-26T12:00:00.000Z", "unread_by": None}


def notification(number: int) -> Record:
    moment = f"2025-01-26T{number // 60:02}:{number % 60:02}:00.000Z"
    own = {"notification_id": f"{number:032x}", "created_at": moment}
    return NOTIFICATION.check({**NOTIFICATION.example, **own})


def subscription(number: int, **changes: str) -> Record:
    id = f"0194a211-7280-7abc-8def-{number:012x}"
    return SUBSCRIPTION.check({**SUBSCRIPTION.example, "subscription_id": id, **changes})


def _bytes(design: Table, record: Record, index: str | None = None) -> int:
    entity, *_ = design.entity_list
    stored = design.attributes(entity, record)
    return item_bytes(
        design.projected(entity, stored, design.indexes[index]) or {} if index else stored
    )


def _store(design: Table, table: str, measuring: Measuring) -> Store:
    return Store(design, table, measuring.meter, cursors=Cursors(lambda: KeyRing([b"m" * 32])))


def measure_notifications(caller: Caller, table: str) -> list[Measurement]:
    """Run each pattern for a user with a hundred unread notifications."""
    measuring = Measuring(caller, NOTIFICATIONS)
    store = _store(NOTIFICATIONS, table, measuring)
    store.create_many(
        NOTIFICATIONS.put_notifications, [notification(number) for number in range(UNREAD)]
    )
    told = notification(UNREAD)
    key = {name: told[name] for name in NOTIFICATION.key.fields}
    whole = _bytes(NOTIFICATIONS, told)
    measuring.run(
        "put_notifications",
        "one notification",
        lambda: store.create_many(NOTIFICATIONS.put_notifications, [told]),
        write=write_floor(NOTIFICATIONS, NOTIFICATION, told),
    )
    measuring.run(
        "get_notification",
        "one notification",
        lambda: store.get(NOTIFICATIONS.get_notification, key),
        read=read_floor([whole]),
    )
    measuring.run(
        "notification_by_id",
        "one notification",
        lambda: store.query(
            NOTIFICATIONS.notification_by_id,
            {"notification_id": told["notification_id"]},
            limit=1,
            caller="meter",
        ),
        read=2 * read_floor([whole]),
    )
    measuring.run(
        "mark_read",
        "one notification",
        lambda: store.update(NOTIFICATIONS.mark_read, key, READ, expect={"read": False}),
        write=update_floor(NOTIFICATIONS, NOTIFICATION, told, {**told, **READ}),
    )
    _notification_lists(measuring, store)
    return measuring.found


def _notification_lists(measuring: Measuring, store: Store) -> None:
    newest = [notification(UNREAD - 1 - number) for number in range(PAGE)]
    whole = [_bytes(NOTIFICATIONS, one) for one in newest]
    keys = [_bytes(NOTIFICATIONS, one, "by_unread") for one in newest]
    unread = {"unread_by": OWN["user_id"]}
    measuring.run(
        "notifications",
        f"a page of {PAGE}",
        lambda: store.query(NOTIFICATIONS.notifications, OWN, limit=PAGE, caller="meter"),
        read=read_floor(whole),
    )
    measuring.run(
        "unread_in_full",
        f"a page of {PAGE}",
        lambda: store.query(NOTIFICATIONS.unread_in_full, unread, limit=PAGE, caller="meter"),
        read=read_floor(keys) + sum(read_floor([size]) for size in whole),
    )
    measuring.run(
        "unread_notifications",
        f"how many of {UNREAD} are unread",
        lambda: list(store.each(NOTIFICATIONS.unread_notifications, unread)),
        read=read_floor(_bytes(NOTIFICATIONS, notification(n), "by_unread") for n in range(UNREAD)),
    )


def measure_subscriptions(caller: Caller, table: str) -> list[Measurement]:
    """Run each pattern on a topic with two hundred subscribers."""
    measuring = Measuring(caller, SUBSCRIPTIONS)
    store = _store(SUBSCRIPTIONS, table, measuring)
    others = [subscription(n, user_id=f"user-{n:031}") for n in range(SUBSCRIBERS)]
    for one in others:
        store.put(SUBSCRIPTIONS.put_subscription, one)
    new = subscription(SUBSCRIBERS)
    key = {name: new[name] for name in SUBSCRIPTION.key.fields}
    written = write_floor(SUBSCRIPTIONS, SUBSCRIPTION, new)
    whole = _bytes(SUBSCRIPTIONS, new)
    _subscribe(measuring, store, new)
    measuring.run(
        "get_subscription",
        "one subscription",
        lambda: store.get(SUBSCRIPTIONS.get_subscription, key),
        read=read_floor([whole]),
    )
    measuring.run(
        "subscriptions",
        "those of one user",
        lambda: list(store.each(SUBSCRIPTIONS.subscriptions, OWN)),
        read=read_floor([whole], consistent=True),
    )
    measuring.run(
        "delete_subscription",
        "one subscription",
        lambda: store.delete(SUBSCRIPTIONS.delete_subscription, key),
        write=written,
    )
    measuring.run(
        "subscribers",
        f"{SUBSCRIBERS} subscribers of a topic",
        lambda: list(store.each(SUBSCRIPTIONS.subscribers, {"topic": new["topic"]})),
        read=read_floor(_bytes(SUBSCRIPTIONS, one, "by_topic") for one in others),
        many=SUBSCRIBERS,
    )
    measuring.run(
        "subscribers",
        "a topic that nobody subscribed to",
        lambda: list(store.each(SUBSCRIPTIONS.subscribers, {"topic": "tag#none"})),
        read=read_floor([]),
    )
    return measuring.found


def _subscribe(measuring: Measuring, store: Store, new: Record) -> None:
    """The count of whoever subscribes, then his subscription along with it."""
    none = {**OWN, "made": 0}
    counted = write_floor(SUBSCRIPTIONS, SUBSCRIBER, SUBSCRIBER.check(none))
    measuring.run(
        "put_subscriber",
        "one count",
        lambda: store.put(SUBSCRIPTIONS.put_subscriber, none),
        write=counted,
    )
    measuring.run(
        "get_subscriber",
        "one count",
        lambda: store.get(SUBSCRIPTIONS.get_subscriber, OWN),
        read=read_floor([1], consistent=True),
    )
    measuring.run(
        "put_subscription",
        "one subscription, by itself",
        lambda: store.put(SUBSCRIPTIONS.put_subscription, new),
        write=write_floor(SUBSCRIPTIONS, SUBSCRIPTION, new),
    )
    other = subscription(SUBSCRIBERS + 1)
    indexed = Decimal(len(SUBSCRIPTION.indexed))
    whole = write_floor(SUBSCRIPTIONS, SUBSCRIPTION, other) - indexed
    measuring.run(
        "count_subscription",
        "a subscription with it",
        lambda: store.put_along(
            SUBSCRIPTIONS.put_subscription,
            other,
            SUBSCRIPTIONS.count_subscription,
            OWN,
            {"made": 1},
            expect={"made": 0},
        ),
        write=TRANSACTION_WRITES * (whole + counted) + indexed,
    )
    key = {name: other[name] for name in SUBSCRIPTION.key.fields}
    store.delete(SUBSCRIPTIONS.delete_subscription, key)


def _notifications(name: str, users: int) -> Scale:
    told, looks = 30 * 5 * users, 20 * 10 * users
    return Scale(
        name,
        uses=(
            Use("put_notifications", "one notification", told),
            Use("mark_read", "one notification", told),
            Use("notification_by_id", "one notification", told // 2),
            Use("notifications", f"a page of {PAGE}", looks),
            Use("unread_notifications", f"how many of {UNREAD} are unread", looks),
        ),
        kept=(Kept("Notification", notification(0), 12 * told),),
    )


def _subscriptions(name: str, users: int, versions: int) -> Scale:
    kept, told = 3 * users, 30 * 5 * users
    return Scale(
        name,
        uses=(
            Use("get_subscriber", "one count", kept // 20),
            Use("count_subscription", "a subscription with it", kept // 20),
            Use("delete_subscription", "one subscription", kept // 20),
            Use("subscriptions", "those of one user", users),
            Use("subscribers", f"{SUBSCRIBERS} subscribers of a topic", 2 * told),
            Use("subscribers", "a topic that nobody subscribed to", 3 * versions),
        ),
        kept=(Kept("Subscription", subscription(0), kept),),
    )


NOTIFICATION_SCALES = (_notifications("small", 100), _notifications("large", 10_000))
SUBSCRIPTION_SCALES = (
    _subscriptions("small", 100, 1_100),
    _subscriptions("large", 10_000, 110_000),
)
