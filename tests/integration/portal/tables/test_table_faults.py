"""Every way to write to the portal's tables, with every fault at every call, then the retry."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.events import EVENTS, SHARDED_EVENTS
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.model import BatchCreate, Record, Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import AlreadyExists
from tablewright.runtime.store.store import Store
from tablewright.testing.faults import survives_every_fault
from tests.integration.conftest import Database
from tests.integration.portal.tables.records import (
    content,
    event,
    key_of,
    moment,
    notification,
    subscription,
)


class Path(NamedTuple):
    """A way to write: what is stored before it, and what it does."""

    design: Table
    before: tuple[str, Record] | None
    work: Callable[[Store], Any]


def create(design: Table, pattern: str, record: Record) -> Path:
    def work(store: Store) -> None:
        try:
            store.put(design.patterns[pattern], record)
        except AlreadyExists:
            # Stored by the attempt whose answer was lost.
            assert store.get(_get(design), key_of(design, record)) == record

    return Path(design, None, work)


def _get(design: Table) -> Any:
    return next(p for p in design.pattern_list if p.verb == "GetItem")


def append(design: Table, pattern: str, *records: Record) -> Path:
    """Many in one call; what an attempt stored whose answer was lost is there already."""
    return Path(design, None, lambda store: store.create_many(design.patterns[pattern], records))


def _store(store: Store, name: str, record: Record) -> None:
    pattern = store.design.patterns[name]
    if isinstance(pattern, BatchCreate):
        store.create_many(pattern, [record])
    else:
        store.put(pattern, record)


OLD, TOLD, WANTED = content(due_at=moment(9)), notification(), subscription(tags=["demo"])
APPROVAL = {"status": "Deprecated", "version": "2", "last_updated": moment(5), "due_at": None}
READ = {"read": True, "read_at": moment(5), "unread_by": None}
PATHS = {
    "create content": create(CONTENT_REGISTRY, "create_content", OLD),
    "change content": Path(
        CONTENT_REGISTRY,
        ("create_content", OLD),
        lambda store: store.update(
            *(CONTENT_REGISTRY.update_content, key_of(CONTENT_REGISTRY, OLD), APPROVAL),
            expect={"version": "1"},
        ),
    ),
    "remove content": Path(
        CONTENT_REGISTRY,
        ("create_content", OLD),
        lambda store: store.delete(
            *(CONTENT_REGISTRY.delete_content, key_of(CONTENT_REGISTRY, OLD)),
            expect={"version": "1"},
        ),
    ),
    "tell": append(NOTIFICATIONS, "put_notifications", TOLD, notification(1)),
    "mark": Path(
        NOTIFICATIONS,
        ("put_notifications", TOLD),
        lambda store: store.update(
            *(NOTIFICATIONS.mark_read, key_of(NOTIFICATIONS, TOLD), READ), expect={"read": False}
        ),
    ),
    "subscribe": create(SUBSCRIPTIONS, "put_subscription", WANTED),
    "unsubscribe": Path(
        SUBSCRIPTIONS,
        ("put_subscription", WANTED),
        lambda store: store.delete(
            SUBSCRIPTIONS.delete_subscription, key_of(SUBSCRIPTIONS, WANTED)
        ),
    ),
    "append an event": append(EVENTS, "put_events", event(EVENTS), event(EVENTS, 1)),
    "append to a shard": append(
        SHARDED_EVENTS, "put_events", *(event(SHARDED_EVENTS, n) for n in range(30))
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_write_ends_the_same_whatever_fails_on_the_way(name: str, database: Database) -> None:
    design, before, work = PATHS[name]
    database.create(design)

    def fresh() -> Caller:
        database.empty()
        if before:
            _store(Store(design, "table", database.dynamo), *before)
        return database.dynamo

    def on(caller: Caller) -> None:
        work(Store(design, "table", caller))

    calls = survives_every_fault(fresh, on, database.items)
    assert calls >= 1
