"""Whatever is done to items, each index holds what the items say, and nothing else."""

from collections.abc import Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.catalog.portal.content import STATUSES, Content, ContentRegistry
from tablewright.catalog.portal.events import Events, ShardedEvents
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.model import BatchCreate, Delete, Entity, Put, Query, Table, Update, key_of
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.portal.tables.records import (
    USER,
    content,
    event,
    moment,
    notification,
    subscription,
)

E = TypeVar("E", bound=Entity)
Step = tuple[str, int, dict[str, Any]]
Entries = list[dict[str, Any]]

few = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
numbers = st.integers(0, 2)
moments = st.sampled_from([moment(n) for n in (100, 200, 300)])


def anything(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields).filter(bool)


def steps(*verbs: str, change: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[Step]]:
    return st.lists(st.tuples(st.sampled_from(verbs), numbers, change), min_size=1, max_size=8)


def ordered(entries: Entries) -> Entries:
    return sorted(entries, key=lambda entry: sorted((n, str(value)) for n, value in entry.items()))


def found(store: Store, pattern: Query[Content], where: Mapping[str, Any]) -> set[str]:
    """The ids of what a list gives."""
    return {one.content_id for one in store.each(pattern, where)}


class Kept:
    """The records that there should be, changed alongside those that there are."""

    def __init__(self, database: Database, table: type[Table]) -> None:
        self.client = database.client()
        self.database = database
        self.table = database.table(table)
        self.design = table.__design__
        self.store = database.store(table)
        self.records: dict[str, Entity] = {}

    def clear(self) -> None:
        """One table serves all examples of a test."""
        self.records.clear()
        self.database.empty()

    def _scan(self, **index: str) -> list[dict[str, Any]]:
        pages = self.client.get_paginator("scan").paginate(TableName=self.table, **index)
        return [item for page in pages for item in page["Items"]]

    def stored(self, **index: str) -> Entries:
        """Everything that the table holds, or an index."""
        items = self._scan(**index)
        return ordered([{name: decode(wire) for name, wire in item.items()} for item in items])

    def agree(self) -> None:
        """The table and each index hold what follows from the records, and nothing else."""
        entity, *_ = self.design.entity_list
        items = [self.design.attributes(entity, one) for one in self.records.values()]
        assert self.stored() == ordered(items)
        for index in self.design.index_list:
            entries = (self.design.projected(entity, item, index) for item in items)
            expected = ordered([entry for entry in entries if entry is not None])
            assert self.stored(IndexName=index.name) == expected, index

    def put(self, pattern: Put[E], record: E) -> None:
        key = repr(key_of(record))
        try:
            stored = self.store.put(pattern, record)
        except AlreadyExists:
            assert key in self.records
        else:
            assert key not in self.records
            self.records[key] = stored

    def create(self, pattern: BatchCreate[E], record: E) -> None:
        key = repr(key_of(record))
        (stored,) = self.store.create_many(pattern, [record])
        assert stored is (key not in self.records)
        self.records.setdefault(key, record)

    def update(self, pattern: Update[E], key: dict[str, Any], changes: dict[str, Any]) -> None:
        try:
            self.store.update(pattern, key, changes)
        except NotFound:
            assert repr(key) not in self.records
        else:
            self.records[repr(key)] = pattern.of(**{**self.records[repr(key)], **changes})

    def delete(self, pattern: Delete[E], key: dict[str, Any]) -> None:
        self.store.delete(pattern, key)
        self.records.pop(repr(key), None)


@pytest.fixture
def kept(dynamodb: Database, table: type[Table]) -> Kept:
    return Kept(dynamodb, table)


suites = st.sampled_from([None, "Data", "Cloud"])
content_changes = anything(
    status=st.sampled_from(STATUSES),
    product_suite=suites,
    product_concept=suites,
    last_updated=moments,
    due_at=st.none() | moments,
    title=st.sampled_from(["One", "Two"]),
    effective_date=st.none() | moments,
)


@pytest.mark.parametrize("table", [ContentRegistry], ids=lambda table: table.__design__.id)
@few
@given(steps("put", "update", "update", "delete", change=content_changes))
def test_content_is_in_the_lists_that_it_says_it_is_in(kept: Kept, todo: list[Step]) -> None:
    kept.clear()
    for verb, number, change in todo:
        key = {"content_id": content(number).content_id}
        if verb == "put":
            kept.put(ContentRegistry.create_content, content(number, **change))
        elif verb == "update":
            kept.update(ContentRegistry.update_content, key, change)
        else:
            kept.delete(ContentRegistry.delete_content, key)
    kept.agree()
    _asked_for(kept.store, list(kept.records.values()))


def _asked_for(store: Store, records: list[Entity]) -> None:
    """The same by the patterns: each list, asked for as a reader does."""
    for status in STATUSES:
        of_status = {one["content_id"] for one in records if one["status"] == status}
        assert found(store, ContentRegistry.list_content_by_status, {"status": status}) == of_status
    products = [
        {"product_suite": suite, "product_concept": concept}
        for suite in ("Data", "Cloud")
        for concept in ("Data", "Cloud")
    ]
    for product in products:
        about = {one["content_id"] for one in records if product.items() <= one.items()}
        assert found(store, ContentRegistry.list_content_by_product, product) == about
    due = {one["content_id"] for one in records if "due_at" in one}
    assert found(store, ContentRegistry.due_content, {}) == due


reading = {"read": True, "read_at": moment(9), "unread_by": None}
unread = {"read": False, "read_at": None, "unread_by": USER}


@pytest.mark.parametrize("table", [Notifications], ids=lambda table: table.__design__.id)
@few
@given(steps("put", "read", "unread", change=st.just({})))
def test_a_notification_is_among_the_unread_as_long_as_it_is(kept: Kept, todo: list[Step]) -> None:
    kept.clear()
    for verb, number, _ in todo:
        key = key_of(notification(number))
        if verb == "put":
            kept.create(Notifications.create_notification, notification(number))
        else:
            kept.update(Notifications.mark_as_read, key, reading if verb == "read" else unread)
    kept.agree()
    listed = kept.store.each(Notifications.unread_notifications, {"unread_by": USER})
    expected = {one["notification_id"] for one in kept.records.values() if not one["read"]}
    assert {one.notification_id for one in listed} == expected


@pytest.mark.parametrize("table", [Subscriptions], ids=lambda table: table.__design__.id)
@few
@given(
    steps(
        *("put", "delete"),
        change=anything(
            product_suite=st.sampled_from(["Data", "Cloud"]),
            product_concept=st.just("Lake"),
            tags=st.lists(st.sampled_from(["a", "b"]), max_size=2),
        ),
    )
)
def test_a_subscription_is_under_the_topic_of_what_it_asks_for(
    kept: Kept, todo: list[Step]
) -> None:
    kept.clear()
    for verb, number, wanted in todo:
        one = subscription(number, **wanted)
        if verb == "put":
            kept.put(Subscriptions.create_subscription, one)
        else:
            kept.delete(Subscriptions.delete_subscription, key_of(one))
    kept.agree()


@pytest.mark.parametrize("table", [Events, ShardedEvents], ids=lambda table: table.__design__.id)
def test_an_event_is_in_the_list_of_its_user_if_it_has_one(kept: Kept) -> None:
    for number in range(12):
        user = (USER, "somebody-else", None)[number % 3]
        # Every other one is sent again.
        for _ in range(1 + number % 2):
            kept.create(Events.store_event, event(number, user_id=user))
    kept.agree()
