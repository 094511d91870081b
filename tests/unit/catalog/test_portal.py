"""The portal's designs: what its items are found by, under the names that were published."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.events import Events, ShardedEvents, event_key, events_table
from tablewright.catalog.portal.fields import folded
from tablewright.catalog.portal.notifications import Notification, Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscription, Subscriptions
from tablewright.model import ALL, KEYS_ONLY, Design, DesignError, InvalidRecord, Table
from tablewright.model.sharding.epochs import UNDIVIDED
from tablewright.model.validation.design import check, validate
from tablewright.runtime.ids import uuid7

TABLES = (ContentRegistry, ContentSearch, Notifications, Subscriptions, Events, ShardedEvents)
CONTENT, NOTIFICATION = Content.__entity__, Notification.__entity__
USER = "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20"
UUID = "0194a211-7280-7abc-8def-0123456789ab"
DIGEST = "5d41402abc4b2a76b9719d911017c592"
MOMENT = "2025-01-26T10:04:00.000Z"
NINETY_DAYS_LATER = 1737885840 + 90 * 86400
# By hand, on purpose: each attribute that an item is found by, by its published name.
KEYS: list[tuple[type[Table], dict[str, Any]]] = [
    (
        ContentRegistry,
        {
            "content_id": UUID,
            "status": "Approved",
            "status#last_updated#content_id": f"Approved#{MOMENT}#{UUID}",
            "product_suite#product_concept": "Data#Warehouse",
            "last_updated#content_id": f"{MOMENT}#{UUID}",
            "owner_user_id": USER,
            "last_updated": MOMENT,
            "due": "due",
            "due_at#content_id": f"2025-07-26T00:00:00.000Z#{UUID}",
        },
    ),
    (
        Notifications,
        {
            "user_id": USER,
            "created_at#notification_id": f"{MOMENT}#9f86d081884c7d659a2feaa0c55ad015",
            "notification_id": "9f86d081884c7d659a2feaa0c55ad015",
            "unread_by": USER,
        },
    ),
    (
        Subscriptions,
        {"user_id": USER, "subscription_id": DIGEST, "topic": "product#Data#Warehouse"},
    ),
    (
        Events,
        {
            "date_bucket": "2025-01-26",
            "ts#event_id": f"{MOMENT}#{UUID}",
            "user_id": USER,
            "ttl": NINETY_DAYS_LATER,
        },
    ),
    (
        ShardedEvents,
        {
            "date_bucket": "2025-01-26#9",
            "ts#event_id": f"{MOMENT}#{UUID}",
            "user_id": USER,
            "ttl": NINETY_DAYS_LATER,
        },
    ),
]
OPTIONAL_OF_CONTENT = {
    *("product_suite", "product_concept", "audience_role", "lifecycle_stage"),
    *("review_due_date", "effective_date", "expiry_date", "expiry_policy", "s3_uri", "file_name"),
    *("content_type", "size_bytes", "s3_bucket", "s3_key", "uploaded_at"),
}
# The published attributes, of which these may be missing.
PUBLISHED: list[tuple[type[Table], set[str], set[str]]] = [
    (
        ContentRegistry,
        {"content_id", "status", "title", "summary", "owner_user_id", "tags", "version"}
        | {"last_updated", *OPTIONAL_OF_CONTENT},
        OPTIONAL_OF_CONTENT,
    ),
    (
        Notifications,
        {"user_id", "notification_id", "type", "title", "message", "read", "created_at"}
        | {"content_id"},
        {"content_id"},
    ),
    (
        Subscriptions,
        {"user_id", "subscription_id", "product_suite", "product_concept", "tags", "created_at"},
        {"product_suite", "product_concept", "tags"},
    ),
    (
        Events,
        {"date_bucket", "event_id", "event_name", "user_id", "content_id", "metadata", "timestamp"},
        {"user_id", "content_id", "metadata"},
    ),
]


def ids(value: Any) -> str | None:
    return value.__design__.id if isinstance(value, type) and issubclass(value, Table) else None


def key_names(design: Design) -> set[str]:
    keys = (design.key_attributes(index) for index in (None, *design.indexes))
    names = {name for key in keys for name in key.names}
    return {name for name in (*names, design.ttl) if name}


@pytest.mark.parametrize("table", TABLES, ids=ids)
def test_the_design_is_sound(table: type[Table]) -> None:
    check(table)


@pytest.mark.parametrize(("table", "keys"), KEYS, ids=ids)
def test_an_item_is_found_by_the_keys_that_were_published(
    table: type[Table], keys: dict[str, Any]
) -> None:
    design = table.__design__
    entity, *_ = design.entity_list
    stored = design.attributes(entity, entity.check(entity.example))
    assert {name: stored[name] for name in key_names(design)} == keys


@pytest.mark.parametrize(("table", "published", "optional"), PUBLISHED, ids=ids)
def test_every_published_attribute_is_stored_under_its_name(
    table: type[Table], published: set[str], optional: set[str]
) -> None:
    entity, *_ = table.__design__.entity_list
    assert published <= entity.by_stored.keys()
    assert {name for name in published if entity.by_stored[name].optional} == optional


@pytest.mark.parametrize("missing", ["product_suite", "product_concept"])
def test_content_without_a_suite_or_a_concept_is_in_no_product_s_list(missing: str) -> None:
    design = ContentRegistry.__design__
    stored = design.attributes(CONTENT, Content(**{**CONTENT.example, missing: None}))
    assert design.projected(CONTENT, stored, ContentRegistry.by_product) is None
    assert not {"product_suite#product_concept", "last_updated#content_id"} & stored.keys()


def test_no_list_of_content_says_where_a_file_is() -> None:
    design = ContentRegistry.__design__
    stored = design.attributes(CONTENT, Content(**CONTENT.example))
    for index in design.index_list:
        entry = design.projected(CONTENT, stored, index)
        assert entry
        assert not {"s3_uri", "s3_bucket", "s3_key"} & entry.keys()


def test_what_has_been_read_is_not_among_the_unread() -> None:
    design = Notifications.__design__
    notification = Notification(**{**NOTIFICATION.example, "read": True, "unread_by": None})
    stored = design.attributes(NOTIFICATION, notification)
    assert stored["read"] is True
    assert design.projected(NOTIFICATION, stored, Notifications.by_unread) is None


def test_a_notification_is_marked_without_reading_it_first() -> None:
    """What its unread list is sorted by is the table's own key, which never changes."""
    assert Notifications.__design__.derives_from(NOTIFICATION) == ()


def test_an_event_of_nobody_is_in_no_user_s_list() -> None:
    for design in (Events.__design__, ShardedEvents.__design__):
        entity, *_ = design.entity_list
        stored = design.attributes(entity, entity.check({**entity.example, "user_id": None}))
        assert design.projected(entity, stored, Events.by_user) is None


def test_both_variants_of_events_have_the_same_patterns_and_indexes() -> None:
    plain, sharded = Events.__design__, ShardedEvents.__design__
    assert plain.pattern_list == sharded.pattern_list
    assert [i.name for i in plain.index_list] == [i.name for i in sharded.index_list]
    assert (plain.pk, plain.sk) == (sharded.pk, sharded.sk)
    assert Events.by_user.projects == ALL


def test_the_key_of_an_event_is_in_its_id() -> None:
    (entity,) = Events.__design__.entity_list
    example = {name: entity.example[name] for name in entity.key.fields}
    assert event_key(UUID) == example


def test_a_day_of_events_is_spread_evenly_over_its_shards() -> None:
    """A hundred seconds at a thousand events a second: ids of one millisecond after another."""
    (entity,) = ShardedEvents.__design__.entity_list
    noise, begin = Random(7), datetime(2099, 3, 4, 12, tzinfo=UTC)
    made = (uuid7(begin + timedelta(milliseconds=n), noise.randbytes(10)) for n in range(100_000))
    assert entity.key.shards
    buckets = Counter(entity.key.shards.place({"event_id": id}, UNDIVIDED) for id in made)
    assert len(buckets) == 10
    assert max(buckets.values()) <= 1.1 * 100_000 / 10


@pytest.mark.parametrize("shards", [0, -1])
def test_events_are_spread_over_one_shard_at_the_least(shards: int) -> None:
    with pytest.raises(DesignError, match="at least 1 is needed"):
        check(events_table(shards=shards))


def test_one_shard_is_not_the_same_as_none() -> None:
    assert validate(events_table(shards=1)) == []
    assert events_table(shards=1).__design__.id == "events-sharded"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "approved"}, "must be one of Draft, Approved, Deprecated, Expired"),
        ({"expiry_policy": "expire"}, "must be one of soft_expire, hard_expire"),
        ({"product_suite": "C#"}, "product_suite must be text without '#'"),
        ({"product_concept": "  "}, "product_concept must have 1 to 100 characters"),
        ({"tags": ["demo", " "]}, "tags has an entry that must be text that is not blank"),
        ({"tags": [f"t{n}" for n in range(21)]}, "tags must have at most 20 entries"),
        ({"version": "1\n"}, "version must not contain control characters"),
        ({"content_id": "a#b"}, "content_id must be letters"),
        ({"approved_by": "a#b"}, "approved_by must be text without '#'"),
        ({"review_due_date": "31.12.2025"}, "time with its zone"),
    ],
)
def test_content_that_does_not_fit_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidRecord, match=reason):
        Content(**{**CONTENT.example, **change})


def test_notifications_are_of_the_published_types() -> None:
    for type in ("info", "success", "warning", "error"):
        Notification(**{**NOTIFICATION.example, "type": type})
    with pytest.raises(InvalidRecord, match="type must be one of info, success, warning, error"):
        Notification(**{**NOTIFICATION.example, "type": "fatal"})


def test_a_notification_is_found_by_id_in_an_index_of_keys() -> None:
    for index in Notifications.__design__.index_list:
        assert index.projects == KEYS_ONLY


def test_a_subscription_may_ask_for_nothing() -> None:
    plain = {**Subscription.__entity__.example, "topic": "all"}
    for name in ("product_suite", "product_concept", "tags"):
        plain[name] = None
    assert Subscription(**plain).topic == "all"


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert folded(folded(text)) == folded(text)
