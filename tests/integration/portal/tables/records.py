"""Records of the portal's tables, each like no other of its kind with another number."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tablewright.catalog.portal.content import CONTENT
from tablewright.catalog.portal.events import event_key
from tablewright.catalog.portal.notifications import NOTIFICATION
from tablewright.catalog.portal.subscriptions import SUBSCRIPTION, topic
from tablewright.model import Pattern, Record, Table
from tablewright.model.fields.scalars import timestamp
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

USER = "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20"
# Far ahead: the engine deletes what has expired.
NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)
DAY = "2099-03-04"


def moment(number: int) -> str:
    return timestamp(NOON + timedelta(seconds=number))


def id_of(number: int) -> str:
    """A UUID that is the same in every run."""
    made = NOON + timedelta(milliseconds=number)
    return uuid7(made, Random(number).randbytes(10))


def content(number: int = 0, **changes: Any) -> Record:
    record = {
        **{name: CONTENT.example[name] for name in ("summary", "owner_user_id", "tags", "status")},
        "content_id": id_of(number),
        "title": f"Content {number}",
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "version": "1",
        "created_at": moment(number),
        "last_updated": moment(number),
    }
    return CONTENT.check({**record, **changes})


def notification(number: int = 0, **changes: Any) -> Record:
    own = {"notification_id": f"{number:032x}", "created_at": moment(number)}
    record = {**NOTIFICATION.example, **own, **changes}
    unread_by = None if record["read"] else record["user_id"]
    return NOTIFICATION.check({**record, "unread_by": unread_by})


def subscription(number: int = 0, **changes: Any) -> Record:
    plain = {"user_id": USER, "subscription_id": id_of(number), "created_at": moment(number)}
    return SUBSCRIPTION.check({**plain, **changes, "topic": topic(changes)})


def event(design: Table, number: int = 0, **changes: Any) -> Record:
    entity, *_ = design.entity_list
    key = event_key(id_of(number))
    return entity.check({"event_name": "content.viewed", "user_id": USER, **key, **changes})


def key_of(design: Table, record: Record) -> Record:
    entity, *_ = design.entity_list
    return {name: record[name] for name in entity.key.fields}


def pages(store: Store, pattern: Pattern, where: Record, limit: int, **asked: Any) -> list[Record]:
    """All records of a list, page by page."""
    found, cursor = [], None
    while True:
        page = store.query(pattern, where, limit=limit, cursor=cursor, caller=USER, **asked)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
