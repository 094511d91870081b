"""Records of the portal's tables, each like no other of its kind with another number."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeVar

from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.events import Event, event_key
from tablewright.catalog.portal.notifications import Notification
from tablewright.catalog.portal.subscriptions import Subscription, topic
from tablewright.model import Entity, Query
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

E = TypeVar("E", bound=Entity)

USER = "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20"
# Far ahead: the engine deletes what has expired.
NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)
DAY = "2099-03-04"


def moment(number: int) -> str:
    return iso_utc(NOON + timedelta(seconds=number))


def id_of(number: int) -> str:
    """A UUID that is the same in every run."""
    made = NOON + timedelta(milliseconds=number)
    return uuid7(made, Random(number).randbytes(10))


def content(number: int = 0, **changes: Any) -> Content:
    example = Content.__entity__.example
    record = {
        **{name: example[name] for name in ("summary", "owner_user_id", "tags", "status")},
        "content_id": id_of(number),
        "title": f"Content {number}",
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "version": "1",
        "created_at": moment(number),
        "last_updated": moment(number),
    }
    return Content(**{**record, **changes})


def notification(number: int = 0, **changes: Any) -> Notification:
    own = {"notification_id": f"{number:032x}", "created_at": moment(number)}
    record = {**Notification.__entity__.example, **own, **changes}
    unread_by = None if record["read"] else record["user_id"]
    return Notification(**{**record, "unread_by": unread_by})


def subscription(number: int = 0, **changes: Any) -> Subscription:
    plain = {"user_id": USER, "subscription_id": id_of(number), "created_at": moment(number)}
    return Subscription(**{**plain, **changes, "topic": topic(changes)})


def event(number: int = 0, **changes: Any) -> Event:
    key = event_key(id_of(number))
    return Event(**{"event_name": "content.viewed", "user_id": USER, **key, **changes})


def pages(
    store: Store, pattern: Query[E], key: Mapping[str, Any], limit: int, **asked: Any
) -> list[E]:
    """All records of a list, page by page."""
    found: list[E] = []
    cursor = None
    while True:
        page = store.query(pattern, key, limit=limit, cursor=cursor, caller=USER, **asked)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
