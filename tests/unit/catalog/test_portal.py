"""The portal's designs: what its items are found by, under the names that were published."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.catalog.portal.content import CONTENT, CONTENT_REGISTRY, folded
from tablewright.catalog.portal.events import EVENTS, SHARDED_EVENTS, event_key, events_design
from tablewright.catalog.portal.notifications import NOTIFICATION, NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTION, SUBSCRIPTIONS
from tablewright.model import ALL, KEYS_ONLY, DesignError, InvalidRecord, Table
from tablewright.model.sharding.epochs import UNDIVIDED
from tablewright.model.validation.design import check, validate
from tablewright.runtime.ids import uuid7

DESIGNS = (CONTENT_REGISTRY, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS, SHARDED_EVENTS)
USER = "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20"
UUID = "0194a211-7280-7abc-8def-0123456789ab"
DIGEST = "5d41402abc4b2a76b9719d911017c592"
MOMENT = "2025-01-26T10:04:00.000Z"
NINETY_DAYS_LATER = 1737885840 + 90 * 86400
# By hand, on purpose: each attribute that an item is found by, by its published name.
KEYS: list[tuple[Table, dict[str, Any]]] = [
    (
        CONTENT_REGISTRY,
        {
            "content_id": UUID,
            "status": "Approved",
            "status#last_updated#content_id": f"Approved#{MOMENT}#{UUID}",
            "product_suite#product_concept": "Data#Warehouse",
            "last_updated#content_id": f"{MOMENT}#{UUID}",
            "due": "due",
            "due_at#content_id": f"2025-07-26T00:00:00.000Z#{UUID}",
        },
    ),
    (
        NOTIFICATIONS,
        {
            "user_id": USER,
            "created_at#notification_id": f"{MOMENT}#9f86d081884c7d659a2feaa0c55ad015",
            "notification_id": "9f86d081884c7d659a2feaa0c55ad015",
            "unread_by": USER,
        },
    ),
    (
        SUBSCRIPTIONS,
        {"user_id": USER, "subscription_id": DIGEST, "topic": "product#Data#Warehouse"},
    ),
    (
        EVENTS,
        {
            "date_bucket": "2025-01-26",
            "ts#event_id": f"{MOMENT}#{UUID}",
            "user_id": USER,
            "ttl": NINETY_DAYS_LATER,
        },
    ),
    (
        SHARDED_EVENTS,
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
PUBLISHED: list[tuple[Table, set[str], set[str]]] = [
    (
        CONTENT_REGISTRY,
        {"content_id", "status", "title", "summary", "owner_user_id", "tags", "version"}
        | {"last_updated", *OPTIONAL_OF_CONTENT},
        OPTIONAL_OF_CONTENT,
    ),
    (
        NOTIFICATIONS,
        {"user_id", "notification_id", "type", "title", "message", "read", "created_at"}
        | {"content_id"},
        {"content_id"},
    ),
    (
        SUBSCRIPTIONS,
        {"user_id", "subscription_id", "product_suite", "product_concept", "tags", "created_at"},
        {"product_suite", "product_concept", "tags"},
    ),
    (
        EVENTS,
        {"date_bucket", "event_id", "event_name", "user_id", "content_id", "metadata", "timestamp"},
        {"user_id", "content_id", "metadata"},
    ),
]


def ids(value: Any) -> str | None:
    return value.id if isinstance(value, Table) else None


def key_names(design: Table) -> set[str]:
    names = {name for index in (None, *design.indexes) for name in design.key_attributes(index)}
    return {name for name in (*names, design.ttl) if name}


@pytest.mark.parametrize("design", DESIGNS, ids=ids)
def test_the_design_is_sound(design: Table) -> None:
    check(design)


@pytest.mark.parametrize(("design", "keys"), KEYS, ids=ids)
def test_an_item_is_found_by_the_keys_that_were_published(
    design: Table, keys: dict[str, Any]
) -> None:
    entity, *_ = design.entity_list
    stored = design.attributes(entity, entity.check(entity.example))
    assert {name: stored[name] for name in key_names(design)} == keys


@pytest.mark.parametrize(("design", "published", "optional"), PUBLISHED, ids=ids)
def test_every_published_attribute_is_stored_under_its_name(
    design: Table, published: set[str], optional: set[str]
) -> None:
    entity, *_ = design.entity_list
    assert published <= entity.by_stored.keys()
    assert {name for name in published if entity.by_stored[name].optional} == optional


@pytest.mark.parametrize("missing", ["product_suite", "product_concept"])
def test_content_without_a_suite_or_a_concept_is_in_no_product_s_list(missing: str) -> None:
    content = CONTENT.check({**CONTENT.example, missing: None})
    stored = CONTENT_REGISTRY.attributes(CONTENT, content)
    index = CONTENT_REGISTRY.indexes["by_product"]
    assert CONTENT_REGISTRY.projected(CONTENT, stored, index) is None
    assert not {"product_suite#product_concept", "last_updated#content_id"} & stored.keys()


def test_no_list_of_content_says_where_a_file_is() -> None:
    stored = CONTENT_REGISTRY.attributes(CONTENT, CONTENT.check(CONTENT.example))
    for index in CONTENT_REGISTRY.index_list:
        entry = CONTENT_REGISTRY.projected(CONTENT, stored, index)
        assert entry
        assert not {"s3_uri", "s3_bucket", "s3_key"} & entry.keys()


def test_what_has_been_read_is_not_among_the_unread() -> None:
    notification = NOTIFICATION.check({**NOTIFICATION.example, "read": True, "unread_by": None})
    stored = NOTIFICATIONS.attributes(NOTIFICATION, notification)
    index = NOTIFICATIONS.indexes["by_unread"]
    assert stored["read"] is True
    assert NOTIFICATIONS.projected(NOTIFICATION, stored, index) is None


def test_a_notification_is_marked_without_reading_it_first() -> None:
    """What its unread list is sorted by is the table's own key, which never changes."""
    assert NOTIFICATIONS.derives_from(NOTIFICATION) == ()


def test_an_event_of_nobody_is_in_no_user_s_list() -> None:
    for design in (EVENTS, SHARDED_EVENTS):
        entity, *_ = design.entity_list
        stored = design.attributes(entity, entity.check({**entity.example, "user_id": None}))
        assert design.projected(entity, stored, design.indexes["by_user"]) is None


def test_both_variants_of_events_have_the_same_patterns_and_indexes() -> None:
    for name, pattern in EVENTS.patterns.items():
        assert SHARDED_EVENTS.patterns[name].actions == pattern.actions
    assert [i.name for i in EVENTS.index_list] == [i.name for i in SHARDED_EVENTS.index_list]
    assert (EVENTS.pk, EVENTS.sk) == (SHARDED_EVENTS.pk, SHARDED_EVENTS.sk)
    assert EVENTS.indexes["by_user"].projects == ALL


def test_the_key_of_an_event_is_in_its_id() -> None:
    (entity,) = EVENTS.entity_list
    example = {name: entity.example[name] for name in entity.key.fields}
    assert event_key(UUID) == example


def test_a_day_of_events_is_spread_evenly_over_its_shards() -> None:
    """A hundred seconds at a thousand events a second: ids of one millisecond after another."""
    (entity,) = SHARDED_EVENTS.entity_list
    noise, begin = Random(7), datetime(2099, 3, 4, 12, tzinfo=UTC)
    made = (uuid7(begin + timedelta(milliseconds=n), noise.randbytes(10)) for n in range(100_000))
    assert entity.key.shards
    buckets = Counter(entity.key.shards.place({"event_id": id}, UNDIVIDED) for id in made)
    assert len(buckets) == 10
    assert max(buckets.values()) <= 1.1 * 100_000 / 10


@pytest.mark.parametrize("shards", [0, -1])
def test_events_are_spread_over_one_shard_at_the_least(shards: int) -> None:
    with pytest.raises(DesignError, match="at least 1 is needed"):
        check(events_design(shards=shards))


def test_one_shard_is_not_the_same_as_none() -> None:
    assert validate(events_design(shards=1)) == []
    assert events_design(shards=1).id == "events-sharded"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "approved"}, "must be one of Draft, Approved, Deprecated, Expired"),
        ({"expiry_policy": "expire"}, "must be one of soft_expire, hard_expire"),
        ({"product_suite": "C#"}, "product_suite must be text without '#'"),
        ({"product_concept": "  "}, "product_concept must have 1 to 100 characters"),
        ({"tags": ["demo", " "]}, "tags has an entry that must have 1 to 50 characters"),
        ({"tags": [f"t{n}" for n in range(21)]}, "tags must have at most 20 entries"),
        ({"version": "01"}, "version must be a whole number from 1"),
        ({"content_id": "a#b"}, "content_id must be letters"),
        ({"approved_by": "a b"}, "approved_by must be letters"),
    ],
)
def test_content_that_does_not_fit_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidRecord, match=reason):
        CONTENT.check({**CONTENT.example, **change})


def test_notifications_are_of_the_published_types() -> None:
    for type in ("info", "success", "warning", "error"):
        NOTIFICATION.check({**NOTIFICATION.example, "type": type})
    with pytest.raises(InvalidRecord, match="type must be one of info, success, warning, error"):
        NOTIFICATION.check({**NOTIFICATION.example, "type": "fatal"})


def test_a_notification_is_found_by_id_in_an_index_of_keys() -> None:
    for index in NOTIFICATIONS.index_list:
        assert index.projects == KEYS_ONLY


def test_a_subscription_may_ask_for_nothing() -> None:
    plain = {**SUBSCRIPTION.example, "topic": "all"}
    for name in ("product_suite", "product_concept", "tags"):
        plain[name] = None
    assert SUBSCRIPTION.check(plain)["topic"] == "all"


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert folded(folded(text)) == folded(text)
