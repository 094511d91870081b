"""The portal's tables as they are deployed, and what each of their patterns is granted."""

from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import aws_iam as iam

from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    ContentSearchTable,
    EventsTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events, events_table
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.constructs import DesignTable, Protection
from tablewright.model import DesignError, Table
from tablewright.model.table_form import TableForm
from tests.infrastructure.synthesis import allowed, id_of, new_stack, one, template_of

TYPE = "AWS::DynamoDB::GlobalTable"
TABLES: dict[str, tuple[Callable[..., DesignTable], type[Table]]] = {
    "Content": (ContentRegistryTable, ContentRegistry),
    "Notifications": (NotificationsTable, Notifications),
    "Subscriptions": (SubscriptionsTable, Subscriptions),
    "Events": (EventsTable, Events),
    "Search": (ContentSearchTable, ContentSearch),
}
LISTED = {
    *("title", "summary", "product_suite", "product_concept", "audience_role", "lifecycle_stage"),
    *("owner_user_id", "tags", "version", "last_updated", "effective_date", "expiry_date"),
    *("expiry_policy", "file_name", "draft_by"),
}
Keys = tuple[str, ...]
Indexes = dict[str, tuple[Keys, str | set[str]]]
# By hand, on purpose: keys, indexes with what they carry, expiry and stream.
DEPLOYED: dict[str, tuple[str, Keys, Indexes, str | None, str | None]] = {
    "Content": (
        "content_registry",
        ("content_id",),
        {
            "by_status_updated": (("status", "status#last_updated#content_id"), LISTED),
            "by_product": (
                ("product_suite#product_concept", "last_updated#content_id"),
                {*LISTED, "status"},
            ),
            "by_owner": (
                ("owner_user_id", "last_updated"),
                {*LISTED, "status"} - {"owner_user_id", "last_updated"},
            ),
            "by_due": (("due", "due_at#content_id"), "KEYS_ONLY"),
        },
        None,
        "NEW_AND_OLD_IMAGES",
    ),
    "Notifications": (
        "notifications",
        ("user_id", "created_at#notification_id"),
        {
            "by_notification_id": (("notification_id",), "KEYS_ONLY"),
            "by_unread": (("unread_by", "created_at#notification_id"), "KEYS_ONLY"),
        },
        None,
        None,
    ),
    "Subscriptions": (
        "subscriptions",
        ("user_id", "subscription_id"),
        {"by_topic": (("topic", "user_id"), {"product_suite", "product_concept", "tags"})},
        None,
        None,
    ),
    "Events": (
        "events",
        ("date_bucket", "ts#event_id"),
        {"by_user": (("user_id", "ts#event_id"), "ALL")},
        "ttl",
        # Not published: the archive follows it.
        "NEW_AND_OLD_IMAGES",
    ),
    "Search": ("content_search", ("PK", "SK"), {}, None, None),
}
# What each pattern calls, index None being the table.
CALLS: dict[str, dict[str, set[tuple[str, str | None]]]] = {
    "Content": {
        "create_content": {("PutItem", None)},
        "get_content": {("GetItem", None)},
        "update_content": {("GetItem", None), ("UpdateItem", None)},
        "delete_content": {("DeleteItem", None)},
        "list_content_by_status": {("Query", "by_status_updated")},
        "list_content_by_product": {("Query", "by_product")},
        "list_content_by_owner": {("Query", "by_owner")},
        "contents_by_id": {("BatchGetItem", None)},
        "check_content": {("ConditionCheckItem", None)},
        "scan_contents": {("Scan", None)},
        "due_content": {("Query", "by_due")},
    },
    "Notifications": {
        "create_notification": {("PartiQLInsert", None)},
        "list_notifications": {("Query", None)},
        "get_notification": {("Query", "by_notification_id"), ("BatchGetItem", None)},
        "unread_notifications": {("Query", "by_unread")},
        "unread_in_full": {("Query", "by_unread"), ("BatchGetItem", None)},
        "mark_as_read": {("UpdateItem", None)},
    },
    "Subscriptions": {
        "create_subscription": {("PutItem", None)},
        "get_subscription": {("GetItem", None)},
        "delete_subscription": {("DeleteItem", None)},
        "list_subscriptions": {("Query", None)},
        "subscribers": {("Query", "by_topic")},
        "put_subscriber": {("PutItem", None)},
        "get_subscriber": {("GetItem", None)},
        "count_subscription": {("UpdateItem", None)},
    },
    "Events": {
        "store_event": {("PartiQLInsert", None)},
        "get_events": {("BatchGetItem", None)},
        "list_events_for_date": {("Query", None)},
        "query_events_by_user": {("Query", "by_user")},
    },
    "Search": {
        "postings": {("Query", None)},
        "put_posting": {("PutItem", None)},
        "remove_posting": {("DeleteItem", None)},
        "get_document": {("GetItem", None)},
        "create_document": {("PutItem", None)},
        "update_document": {("UpdateItem", None)},
        "delete_document": {("DeleteItem", None)},
        "look_up_postings": {("BatchGetItem", None)},
        "documents_by_id": {("BatchGetItem", None)},
        "scan_postings": {("Scan", None)},
        "scan_documents": {("Scan", None)},
    },
}


def role_name(pattern: str) -> str:
    return "May" + pattern.title().replace("_", "")


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    """All tables, and a role for each of their patterns."""
    stack = new_stack()
    for id, (construct, design) in TABLES.items():
        name = f"dev-{DEPLOYED[id][0]}"
        table = construct(stack, id, table_name=name, protection=Protection.recoverable())
        assert table.design is design.__design__
        for name, pattern in table.design.patterns.items():
            principal = iam.ServicePrincipal("lambda.amazonaws.com")
            table.grant(iam.Role(stack, role_name(name), assumed_by=principal), pattern)
    return template_of(stack)


def keys_of(schema: dict[str, Any]) -> Keys:
    return tuple(key["AttributeName"] for key in schema["KeySchema"])


def carried(index: dict[str, Any]) -> str | set[str]:
    projection = index["Projection"]
    named = projection.get("NonKeyAttributes")
    return set(named) if named else str(projection["ProjectionType"])


@pytest.mark.parametrize("id", TABLES)
def test_a_table_is_deployed_as_it_was_published(template: dict[str, Any], id: str) -> None:
    table = one(template, TYPE, id)
    name, keys, indexes, ttl, stream = DEPLOYED[id]
    assert table["TableName"] == f"dev-{name}"
    assert keys_of(table) == keys
    assert {
        index["IndexName"]: (keys_of(index), carried(index))
        for index in table.get("GlobalSecondaryIndexes", ())
    } == indexes
    assert {attribute["AttributeType"] for attribute in table["AttributeDefinitions"]} == {"S"}
    assert table.get("TimeToLiveSpecification", {}).get("AttributeName") == ttl
    assert table.get("StreamSpecification", {}).get("StreamViewType") == stream


@pytest.mark.parametrize("id", TABLES)
def test_the_table_of_the_tests_is_the_table_that_is_deployed(
    template: dict[str, Any], id: str
) -> None:
    deployed = one(template, TYPE, id)
    tested = TableForm.of(TABLES[id][1].__design__).definition(deployed["TableName"])
    assert keys_of(tested) == keys_of(deployed)
    indexes = tested.get("GlobalSecondaryIndexes", [])
    assert [(i["IndexName"], keys_of(i), carried(i)) for i in indexes] == [
        (i["IndexName"], keys_of(i), carried(i)) for i in deployed.get("GlobalSecondaryIndexes", ())
    ]


@pytest.mark.parametrize(
    ("id", "pattern"), [(id, pattern) for id, calls in CALLS.items() for pattern in calls]
)
def test_a_pattern_is_granted_what_it_calls_and_nothing_else(
    template: dict[str, Any], id: str, pattern: str
) -> None:
    arn = f"{{{id_of(template, TYPE, id)}.Arn}}"
    assert allowed(template, role_name(pattern)) == {
        (f"dynamodb:{action}", f"{arn}/index/{index}" if index else arn)
        for action, index in CALLS[id][pattern]
    }


def test_every_pattern_is_one_of_these() -> None:
    for id, (_, design) in TABLES.items():
        assert set(design.__design__.patterns) == set(CALLS[id])


@pytest.mark.parametrize(
    ("protection", "guarded", "recovered", "policy"),
    [
        (None, True, True, "RetainExceptOnCreate"),
        (Protection.protected(), True, True, "RetainExceptOnCreate"),
        (Protection.recoverable(), False, True, "RetainExceptOnCreate"),
        (Protection.throw_away(), False, False, "Delete"),
    ],
    ids=["by default", "protected", "recoverable", "thrown away"],
)
def test_what_stands_before_its_loss_is_chosen_once(
    protection: Protection | None, guarded: bool, recovered: bool, policy: str
) -> None:
    stack = new_stack()
    for id, (construct, _) in TABLES.items():
        options: dict[str, Any] = {"protection": protection} if protection else {}
        construct(stack, id, **options)
    template = template_of(stack)
    for id in TABLES:
        (replica,) = one(template, TYPE, id)["Replicas"]
        assert replica["DeletionProtectionEnabled"] is guarded
        recovery = replica["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
        assert recovery is recovered
        assert template["Resources"][id_of(template, TYPE, id)]["DeletionPolicy"] == policy


def test_a_table_may_have_a_name_of_its_own() -> None:
    stack = new_stack()
    EventsTable(stack, "Events", table_name="mine", shards=3)
    assert one(template_of(stack), TYPE, "Events")["TableName"] == "mine"


def test_events_are_spread_over_as_many_shards_as_asked_for() -> None:
    """Only the values of the keys differ: the table is the same."""
    stack = new_stack()
    plain = EventsTable(stack, "Events", protection=Protection.recoverable())
    spread = EventsTable(stack, "Spread", shards=7, protection=Protection.recoverable())
    assert plain.design.key_of(Events.list_events_for_date).shards is None
    shards = spread.design.key_of(Events.list_events_for_date).shards
    assert shards is not None
    assert str(shards) == str(events_table(shards=7).__design__.entity_list[0].key.shards)
    made = template_of(stack)
    assert one(made, TYPE, "Events") == one(made, TYPE, "Spread")


def test_events_cannot_be_spread_over_nothing() -> None:
    with pytest.raises(DesignError, match="at least 1 is needed"):
        EventsTable(new_stack(), "Events", shards=0)
