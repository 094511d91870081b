"""Every way to write to the portal's tables, with every fault at every call, then the retry."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import pytest

from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events, ShardedEvents
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.model import BatchCreate, Entity, Get, Put, Table, Update, key_of
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, survives_every_fault
from tests.integration.portal.tables.records import (
    content,
    event,
    moment,
    notification,
    subscription,
)

E = TypeVar("E", bound=Entity)
Values = Mapping[str, Any]


class Path(NamedTuple):
    """A way to write: what is stored before it, and what it does."""

    table: type[Table]
    before: Callable[[Store], object] | None
    work: Callable[[Store], object]


def create(table: type[Table], put: Put[E], get: Get[E], record: E) -> Path:
    def work(store: Store) -> None:
        try:
            store.put(put, record)
        except AlreadyExists:
            # Stored by the attempt whose answer was lost.
            assert store.get(get, key_of(record)) == record

    return Path(table, None, work)


def change(
    table: type[Table],
    before: Callable[[Store], object],
    update: Update[E],
    record: E,
    new: Values,
    when: Values,
) -> Path:
    def work(store: Store) -> None:
        try:
            store.update(update, key_of(record), new, when=when)
        except Conflict as conflict:
            # Changed by the attempt whose answer was lost, or by an earlier delivery.
            current = conflict.current or {}
            assert {name: current.get(name) for name in new} == dict(new)

    return Path(table, before, work)


def append(table: type[Table], pattern: BatchCreate[E], *records: E) -> Path:
    """Many in one call; what an attempt stored whose answer was lost is there already."""
    return Path(table, None, lambda store: store.create_many(pattern, records))


OLD, TOLD, WANTED = content(due_at=moment(9)), notification(), subscription(tags=["demo"])
APPROVAL = {"status": "Deprecated", "version": "2", "last_updated": moment(5), "due_at": None}
READ = {"read": True, "read_at": moment(5), "unread_by": None}
PATHS = {
    "create content": create(
        ContentRegistry, ContentRegistry.create_content, ContentRegistry.get_content, OLD
    ),
    "change content": change(
        ContentRegistry,
        lambda store: store.put(ContentRegistry.create_content, OLD),
        ContentRegistry.update_content,
        *(OLD, APPROVAL, {"version": "1"}),
    ),
    "remove content": Path(
        ContentRegistry,
        lambda store: store.put(ContentRegistry.create_content, OLD),
        lambda store: store.delete(ContentRegistry.delete_content, OLD, when={"version": "1"}),
    ),
    "tell": append(Notifications, Notifications.create_notification, TOLD, notification(1)),
    "mark": change(
        Notifications,
        lambda store: store.create_many(Notifications.create_notification, [TOLD]),
        Notifications.mark_as_read,
        *(TOLD, READ, {"read": False}),
    ),
    "subscribe": create(
        Subscriptions, Subscriptions.create_subscription, Subscriptions.get_subscription, WANTED
    ),
    "unsubscribe": Path(
        Subscriptions,
        lambda store: store.put(Subscriptions.create_subscription, WANTED),
        lambda store: store.delete(Subscriptions.delete_subscription, WANTED),
    ),
    "append an event": append(Events, Events.store_event, event(), event(1)),
    "append to a shard": append(ShardedEvents, Events.store_event, *map(event, range(30))),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_write_ends_the_same_whatever_fails_on_the_way(name: str, dynamodb: Database) -> None:
    table, before, work = PATHS[name]
    dynamodb.table(table)

    def fresh() -> Caller:
        dynamodb.empty()
        if before:
            before(Store(table, dynamodb.table(table), dynamodb.caller))
        return dynamodb.caller

    def on(caller: Caller) -> None:
        work(Store(table, dynamodb.table(table), caller))

    calls = survives_every_fault(on, dynamodb.items, fresh=fresh)
    assert len(calls) >= 1
