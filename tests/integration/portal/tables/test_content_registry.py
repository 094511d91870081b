"""Content: stored once, changed as a whole, listed where it says it is."""

from collections.abc import Mapping
from typing import Any

import pytest

from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.model import Query, key_of
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.portal.tables.records import content, moment, pages

APPROVED = {"status": "Approved"}
WAREHOUSE = {"product_suite": "Data", "product_concept": "Warehouse"}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    return dynamodb.store(ContentRegistry)


def listed(
    store: Store, pattern: Query[Content], where: Mapping[str, Any], **asked: Any
) -> list[str]:
    return [one.content_id for one in pages(store, pattern, where, 3, **asked)]


def ids(*numbers: int) -> list[str]:
    return [content(number).content_id for number in numbers]


def test_content_reads_back_as_it_was_stored_and_is_not_stored_over(store: Store) -> None:
    stored = store.put(ContentRegistry.create_content, content())
    assert store.get(ContentRegistry.get_content, key_of(stored)) == stored == content()
    with pytest.raises(AlreadyExists):
        store.put(ContentRegistry.create_content, content(title="Another"))


def test_content_of_a_status_is_listed_last_changed_first(store: Store) -> None:
    for number in range(7):
        store.put(ContentRegistry.create_content, content(number))
    store.put(ContentRegistry.create_content, content(7, status="Draft"))
    assert listed(store, ContentRegistry.list_content_by_status, APPROVED) == ids(
        6, 5, 4, 3, 2, 1, 0
    )
    # A range of the moment of change: both ends included.
    between = {"since": moment(2), "until": moment(4)}
    assert listed(store, ContentRegistry.list_content_by_status, APPROVED, **between) == ids(
        4, 3, 2
    )
    assert listed(store, ContentRegistry.list_content_by_status, {"status": "Draft"}) == ids(7)
    assert listed(store, ContentRegistry.list_content_by_status, {"status": "Expired"}) == []


def test_a_list_shows_content_without_its_file(store: Store) -> None:
    where = {"s3_bucket": "files", "s3_key": "content/1", "s3_uri": "s3://files/content/1"}
    stored = store.put(ContentRegistry.create_content, content(0, file_name="one.pdf", **where))
    for pattern, asked in (
        (ContentRegistry.list_content_by_status, APPROVED),
        (ContentRegistry.list_content_by_product, WAREHOUSE),
    ):
        (shown,) = pages(store, pattern, asked, 3)
        hidden = {*where, "created_at"}
        assert shown == {name: value for name, value in stored.items() if name not in hidden}


def test_content_of_a_product_is_listed_last_changed_first(store: Store) -> None:
    for number in range(4):
        store.put(
            ContentRegistry.create_content,
            content(number, status=("Draft", "Approved")[number % 2]),
        )
    store.put(ContentRegistry.create_content, content(4, product_concept="Lake"))
    store.put(ContentRegistry.create_content, content(5, product_concept=None))
    assert listed(store, ContentRegistry.list_content_by_product, WAREHOUSE) == ids(3, 2, 1, 0)
    assert listed(
        store, ContentRegistry.list_content_by_product, {**WAREHOUSE, "product_concept": "Lake"}
    ) == ids(4)


def test_a_change_of_status_moves_content_to_another_list(store: Store) -> None:
    stored = store.put(ContentRegistry.create_content, content(1, status="Draft"))
    key = key_of(stored)
    changes = {"status": "Approved", "version": "2", "last_updated": moment(9)}
    store.update(ContentRegistry.update_content, key, changes, when={"version": "1"})
    assert listed(store, ContentRegistry.list_content_by_status, {"status": "Draft"}) == []
    assert listed(store, ContentRegistry.list_content_by_status, APPROVED, since=moment(9)) == ids(
        1
    )
    assert listed(
        store, ContentRegistry.list_content_by_product, WAREHOUSE, since=moment(9)
    ) == ids(1)


def test_a_change_of_an_older_version_is_refused_and_changes_nothing(store: Store) -> None:
    stored = store.put(ContentRegistry.create_content, content())
    key = key_of(stored)
    newer = {"title": "Newer", "version": "2", "last_updated": moment(1)}
    store.update(ContentRegistry.update_content, key, newer, when={"version": "1"})
    late = {"title": "Late", "version": "2", "last_updated": moment(2)}
    with pytest.raises(Conflict):
        store.update(ContentRegistry.update_content, key, late, when={"version": "1"})
    with pytest.raises(Conflict):
        store.delete(ContentRegistry.delete_content, key, when={"version": "1"})
    assert store.get(ContentRegistry.get_content, key) == {**stored, **newer}


def test_a_change_of_a_version_succeeds_once(store: Store) -> None:
    key = key_of(store.put(ContentRegistry.create_content, content()))
    change = {"title": "Newer", "version": "2", "last_updated": moment(1)}
    first = store.update(ContentRegistry.update_content, key, change, when={"version": "1"})
    with pytest.raises(Conflict) as refused:
        store.update(ContentRegistry.update_content, key, change, when={"version": "1"})
    assert refused.value.current == first


def test_what_is_due_is_listed_longest_due_first_until_it_is_done(store: Store) -> None:
    for number, due in ((1, 30), (2, 10), (3, 20), (4, None)):
        due_at = None if due is None else moment(due)
        store.put(ContentRegistry.create_content, content(number, due_at=due_at))
    assert listed(store, ContentRegistry.due_content, {}, until=moment(20)) == ids(2, 3)
    store.update(ContentRegistry.update_content, {"content_id": ids(2)[0]}, {"due_at": None})
    assert listed(store, ContentRegistry.due_content, {}) == ids(3, 1)


def test_removed_content_is_in_no_list(store: Store, dynamodb: Database) -> None:
    key = key_of(store.put(ContentRegistry.create_content, content(due_at=moment(1))))
    store.delete(ContentRegistry.delete_content, key, when={"version": "1"})
    store.delete(ContentRegistry.delete_content, key, when={"version": "1"})
    assert listed(store, ContentRegistry.list_content_by_status, APPROVED) == []
    assert listed(store, ContentRegistry.list_content_by_product, WAREHOUSE) == []
    assert listed(store, ContentRegistry.due_content, {}) == []
    assert dynamodb.items() == []
