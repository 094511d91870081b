"""One run of each access pattern of the portal's notifications and subscriptions."""

from decimal import Decimal

from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.catalog.portal.subscriptions import Subscriber, Subscription, Subscriptions
from tablewright.costs.measuring import Measuring
from tablewright.model import Entity, Table, key_of
from tablewright.model.capacity import TRANSACTION_WRITES, read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
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
_NOTIFICATION, _SUBSCRIPTION = Notification.__entity__, Subscription.__entity__
OWN = {"user_id": _NOTIFICATION.example["user_id"]}
READ = {"read": True, "read_at": "2025-01-26T12:00:00.000Z", "unread_by": None}


def notification(number: int) -> Notification:
    moment = f"2025-01-26T{number // 60:02}:{number % 60:02}:00.000Z"
    own = {"notification_id": f"{number:032x}", "created_at": moment}
    return Notification(**{**_NOTIFICATION.example, **own})


def subscription(number: int, **changes: str) -> Subscription:
    id = f"0194a211-7280-7abc-8def-{number:012x}"
    return Subscription(**{**_SUBSCRIPTION.example, "subscription_id": id, **changes})


def _bytes(table: type[Table], record: Entity, index: str | None = None) -> int:
    design = table.__design__
    entity, *_ = design.entity_list
    stored = design.attributes(entity, record)
    return item_bytes(
        design.projected(entity, stored, design.indexes[index]) or {} if index else stored
    )


def measure_notifications(measuring: Measuring) -> None:
    """Run each pattern for a user with a hundred unread notifications."""
    store = measuring.store()
    store.create_many(
        Notifications.create_notification, [notification(number) for number in range(UNREAD)]
    )
    told = notification(UNREAD)
    whole = _bytes(Notifications, told)
    measuring.run(
        "create_notification",
        "one notification",
        lambda: store.create_many(Notifications.create_notification, [told]),
        write=write_floor(Notifications.__design__, _NOTIFICATION, told),
    )
    measuring.run(
        "get_notification",
        "one notification",
        lambda: store.query(
            Notifications.get_notification,
            {"notification_id": told.notification_id},
            limit=1,
            caller="meter",
        ),
        read=2 * read_floor([whole]),
    )
    measuring.run(
        "mark_as_read",
        "one notification",
        lambda: store.update(Notifications.mark_as_read, told, READ, when={"read": False}),
        write=update_floor(
            Notifications.__design__, _NOTIFICATION, told, Notification(**{**told, **READ})
        ),
    )
    _notification_lists(measuring, store)


def _notification_lists(measuring: Measuring, store: Store) -> None:
    newest = [notification(UNREAD - 1 - number) for number in range(PAGE)]
    whole = [_bytes(Notifications, one) for one in newest]
    keys = [_bytes(Notifications, one, "by_unread") for one in newest]
    unread = {"unread_by": OWN["user_id"]}
    measuring.run(
        "list_notifications",
        f"a page of {PAGE}",
        lambda: store.query(Notifications.list_notifications, OWN, limit=PAGE, caller="meter"),
        read=read_floor(whole),
    )
    measuring.run(
        "unread_in_full",
        f"a page of {PAGE}",
        lambda: store.query(Notifications.unread_in_full, unread, limit=PAGE, caller="meter"),
        read=read_floor(keys) + sum(read_floor([size]) for size in whole),
    )
    measuring.run(
        "unread_notifications",
        f"how many of {UNREAD} are unread",
        lambda: list(store.each(Notifications.unread_notifications, unread)),
        read=read_floor(_bytes(Notifications, notification(n), "by_unread") for n in range(UNREAD)),
    )


def measure_subscriptions(measuring: Measuring) -> None:
    """Run each pattern on a topic with two hundred subscribers."""
    store = measuring.store()
    others = [subscription(n, user_id=f"user-{n:031}") for n in range(SUBSCRIBERS)]
    for one in others:
        store.put(Subscriptions.create_subscription, one)
    new = subscription(SUBSCRIBERS)
    written = write_floor(Subscriptions.__design__, _SUBSCRIPTION, new)
    whole = _bytes(Subscriptions, new)
    _subscribe(measuring, store, new)
    measuring.run(
        "get_subscription",
        "one subscription",
        lambda: store.get(Subscriptions.get_subscription, key_of(new)),
        read=read_floor([whole]),
    )
    measuring.run(
        "list_subscriptions",
        "those of one user",
        lambda: list(store.each(Subscriptions.list_subscriptions, OWN)),
        read=read_floor([whole], consistent=True),
    )
    measuring.run(
        "delete_subscription",
        "one subscription",
        lambda: store.delete(Subscriptions.delete_subscription, new),
        write=written,
    )
    measuring.run(
        "subscribers",
        f"{SUBSCRIBERS} subscribers of a topic",
        lambda: list(store.each(Subscriptions.subscribers, {"topic": new.topic})),
        read=read_floor(_bytes(Subscriptions, one, "by_topic") for one in others),
        many=SUBSCRIBERS,
    )
    measuring.run(
        "subscribers",
        "a topic that nobody subscribed to",
        lambda: list(store.each(Subscriptions.subscribers, {"topic": "tag#none"})),
        read=read_floor([]),
    )


def _subscribe(measuring: Measuring, store: Store, new: Subscription) -> None:
    """The count of whoever subscribes, then his subscription along with it."""
    none = Subscriber(user_id=new.user_id, made=0)
    counted = write_floor(Subscriptions.__design__, Subscriber.__entity__, none)
    measuring.run(
        "put_subscriber",
        "one count",
        lambda: store.put(Subscriptions.put_subscriber, none),
        write=counted,
    )
    measuring.run(
        "get_subscriber",
        "one count",
        lambda: store.get(Subscriptions.get_subscriber, OWN),
        read=read_floor([1], consistent=True),
    )
    measuring.run(
        "create_subscription",
        "one subscription, by itself",
        lambda: store.put(Subscriptions.create_subscription, new),
        write=write_floor(Subscriptions.__design__, _SUBSCRIPTION, new),
    )
    other = subscription(SUBSCRIBERS + 1)
    indexed = Decimal(len(_SUBSCRIPTION.indexed))
    whole = write_floor(Subscriptions.__design__, _SUBSCRIPTION, other) - indexed
    measuring.run(
        "count_subscription",
        "a subscription with it",
        lambda: store.transact_write(
            store.to_put(Subscriptions.create_subscription, other),
            store.to_update(Subscriptions.count_subscription, OWN, {"made": 1}, when={"made": 0}),
        ),
        write=TRANSACTION_WRITES * (whole + counted) + indexed,
    )
    store.delete(Subscriptions.delete_subscription, other)


def _notifications(name: str, users: int) -> Scale:
    told, looks = 30 * 5 * users, 20 * 10 * users
    return Scale(
        name,
        uses=(
            Use("create_notification", "one notification", told),
            Use("mark_as_read", "one notification", told),
            Use("get_notification", "one notification", told // 2),
            Use("list_notifications", f"a page of {PAGE}", looks),
            Use("unread_notifications", f"how many of {UNREAD} are unread", looks),
        ),
        kept=(Kept("Notification", dict(notification(0)), 12 * told),),
    )


def _subscriptions(name: str, users: int, versions: int) -> Scale:
    kept, told = 3 * users, 30 * 5 * users
    return Scale(
        name,
        uses=(
            Use("get_subscriber", "one count", kept // 20),
            Use("count_subscription", "a subscription with it", kept // 20),
            Use("delete_subscription", "one subscription", kept // 20),
            Use("list_subscriptions", "those of one user", users),
            Use("subscribers", f"{SUBSCRIBERS} subscribers of a topic", 2 * told),
            Use("subscribers", "a topic that nobody subscribed to", 3 * versions),
        ),
        kept=(Kept("Subscription", dict(subscription(0)), kept),),
    )


NOTIFICATION_SCALES = (_notifications("small", 100), _notifications("large", 10_000))
SUBSCRIPTION_SCALES = (
    _subscriptions("small", 100, 1_100),
    _subscriptions("large", 10_000, 110_000),
)
