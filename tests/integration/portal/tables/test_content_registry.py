"""Content: stored once, changed as a whole, listed where it says it is."""

from typing import Any

import pytest

from tablewright.catalog.portal.content import CONTENT_REGISTRY as DESIGN
from tablewright.model import Record
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database
from tests.integration.portal.tables.records import content, key_of, moment, pages

APPROVED = {"status": "Approved"}
WAREHOUSE = {"product_suite": "Data", "product_concept": "Warehouse"}


@pytest.fixture
def store(database: Database) -> Store:
    database.create(DESIGN)
    return database.store(DESIGN)


def listed(store: Store, name: str, where: Record, **asked: Any) -> list[str]:
    found = pages(store, DESIGN.patterns[name], where, 3, **asked)
    return [one["content_id"] for one in found]


def ids(*numbers: int) -> list[str]:
    return [content(number)["content_id"] for number in numbers]


def test_content_reads_back_as_it_was_stored_and_is_not_stored_over(store: Store) -> None:
    stored = store.put(DESIGN.create_content, content())
    assert store.get(DESIGN.get_content, key_of(DESIGN, stored)) == stored == content()
    with pytest.raises(AlreadyExists):
        store.put(DESIGN.create_content, content(title="Another"))


def test_content_of_a_status_is_listed_last_changed_first(store: Store) -> None:
    for number in range(7):
        store.put(DESIGN.create_content, content(number))
    store.put(DESIGN.create_content, content(7, status="Draft"))
    assert listed(store, "content_by_status", APPROVED) == ids(6, 5, 4, 3, 2, 1, 0)
    # A range of the moment of change: both ends included.
    between = {"since": moment(2), "until": moment(4)}
    assert listed(store, "content_by_status", APPROVED, **between) == ids(4, 3, 2)
    assert listed(store, "content_by_status", {"status": "Draft"}) == ids(7)
    assert listed(store, "content_by_status", {"status": "Expired"}) == []


def test_a_list_shows_content_without_its_file(store: Store) -> None:
    where = {"s3_bucket": "files", "s3_key": "content/1", "s3_uri": "s3://files/content/1"}
    stored = store.put(DESIGN.create_content, content(0, file_name="one.pdf", **where))
    for name, asked in (("content_by_status", APPROVED), ("content_by_product", WAREHOUSE)):
        (shown,) = pages(store, DESIGN.patterns[name], asked, 3)
        hidden = {*where, "created_at"}
        assert shown == {name: value for name, value in stored.items() if name not in hidden}


def test_content_of_a_product_is_listed_last_changed_first(store: Store) -> None:
    for number in range(4):
        store.put(DESIGN.create_content, content(number, status=("Draft", "Approved")[number % 2]))
    store.put(DESIGN.create_content, content(4, product_concept="Lake"))
    store.put(DESIGN.create_content, content(5, product_concept=None))
    assert listed(store, "content_by_product", WAREHOUSE) == ids(3, 2, 1, 0)
    assert listed(store, "content_by_product", {**WAREHOUSE, "product_concept": "Lake"}) == ids(4)


def test_a_change_of_status_moves_content_to_another_list(store: Store) -> None:
    stored = store.put(DESIGN.create_content, content(1, status="Draft"))
    key = key_of(DESIGN, stored)
    changes = {"status": "Approved", "version": "2", "last_updated": moment(9)}
    store.update(DESIGN.update_content, key, changes, expect={"version": "1"})
    assert listed(store, "content_by_status", {"status": "Draft"}) == []
    assert listed(store, "content_by_status", APPROVED, since=moment(9)) == ids(1)
    assert listed(store, "content_by_product", WAREHOUSE, since=moment(9)) == ids(1)


def test_a_change_of_an_older_version_is_refused_and_changes_nothing(store: Store) -> None:
    stored = store.put(DESIGN.create_content, content())
    key = key_of(DESIGN, stored)
    newer = {"title": "Newer", "version": "2", "last_updated": moment(1)}
    store.update(DESIGN.update_content, key, newer, expect={"version": "1"})
    late = {"title": "Late", "version": "2", "last_updated": moment(2)}
    with pytest.raises(Conflict):
        store.update(DESIGN.update_content, key, late, expect={"version": "1"})
    with pytest.raises(Conflict):
        store.delete(DESIGN.delete_content, key, expect={"version": "1"})
    assert store.get(DESIGN.get_content, key) == {**stored, **newer}


def test_a_change_that_is_in_place_already_is_done(store: Store) -> None:
    key = key_of(DESIGN, store.put(DESIGN.create_content, content()))
    change = {"title": "Newer", "version": "2", "last_updated": moment(1)}
    first = store.update(DESIGN.update_content, key, change, expect={"version": "1"})
    assert store.update(DESIGN.update_content, key, change, expect={"version": "1"}) == first


def test_what_is_due_is_listed_longest_due_first_until_it_is_done(store: Store) -> None:
    for number, due in ((1, 30), (2, 10), (3, 20), (4, None)):
        due_at = None if due is None else moment(due)
        store.put(DESIGN.create_content, content(number, due_at=due_at))
    assert listed(store, "due_content", {}, until=moment(20)) == ids(2, 3)
    store.update(DESIGN.update_content, {"content_id": ids(2)[0]}, {"due_at": None})
    assert listed(store, "due_content", {}) == ids(3, 1)


def test_removed_content_is_in_no_list(store: Store, database: Database) -> None:
    key = key_of(DESIGN, store.put(DESIGN.create_content, content(due_at=moment(1))))
    store.delete(DESIGN.delete_content, key, expect={"version": "1"})
    store.delete(DESIGN.delete_content, key, expect={"version": "1"})
    for name, where in (
        ("content_by_status", APPROVED),
        ("content_by_product", WAREHOUSE),
        ("due_content", {}),
    ):
        assert listed(store, name, where) == []
    assert database.items() == []
