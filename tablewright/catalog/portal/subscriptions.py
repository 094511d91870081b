"""Subscriptions of users: the content that they want to be notified of.

Content matches a subscription that asks for nothing that the content has not: its suite, its
concept and all of its tags. So one of what it asks for, its `topic`, is enough to find it by, and
content finds its subscribers by the few topics that it has.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from tablewright.catalog.portal.content import folded, product, tags, user_id
from tablewright.model import (
    IN_KEY,
    Delete,
    Entity,
    Get,
    Index,
    Key,
    Prose,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)

EVERYTHING = "all"

SUBSCRIPTION = Entity(
    "Subscription",
    describes="What one user wants to be told of; without filters, everything.",
    key=Key("{user_id}", "{subscription_id}"),
    indexed={"by_topic": Key("{topic}", "{user_id}")},
    fields=(
        user_id(),
        # Made of what is asked for: asked for twice, it is the same one.
        Text("subscription_id", max_length=36, pattern="[0-9a-f-]{32,36}", form="an id as told"),
        product("product_suite"),
        product("product_concept"),
        tags(optional=True),
        # Made of what people write: see `topic`.
        Prose("topic", max_length=256),
        Timestamp("created_at"),
    ),
    example={
        "user_id": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "subscription_id": "5d41402abc4b2a76b9719d911017c592",
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "tags": ["demo"],
        "topic": "product#Data#Warehouse",
        "created_at": "2025-01-26T10:04:00.000Z",
    },
)

SUBSCRIBER = Entity(
    "Subscriber",
    describes="How often a user has subscribed: whoever counts on is the next, and the only one.",
    # No user's id has a '#', so it is in no user's list.
    key=Key("{user_id}#subscriber", "made"),
    fields=(user_id(stored=IN_KEY), Whole("made")),
    example={"user_id": SUBSCRIPTION.example["user_id"], "made": Decimal(4)},
)

SUBSCRIPTIONS = Table(
    "subscriptions",
    describes="What users want to be told of, and who wants to be told of a topic.",
    pk="user_id",
    sk="subscription_id",
    entities=(SUBSCRIPTION, SUBSCRIBER),
    indexes=(
        Index(
            "by_topic",
            pk="topic",
            sk="user_id",
            projects=("product_suite", "product_concept", "tags"),
        ),
    ),
    patterns=(
        Put("put_subscription", "Subscription", create=True, describes="Subscribe."),
        Get("get_subscription", "Subscription", describes="Read one subscription."),
        Delete("delete_subscription", "Subscription", describes="Unsubscribe."),
        Query(
            "subscriptions",
            "Subscription",
            # Who repeats a request is to find what it did.
            consistent=True,
            describes="The subscriptions of a user.",
        ),
        Query(
            "subscribers",
            "Subscription",
            index="by_topic",
            range="user_id",
            describes="Who is subscribed to a topic, by user.",
        ),
        Put("put_subscriber", "Subscriber", create=True, describes="Begin to count."),
        Get("get_subscriber", "Subscriber", consistent=True, describes="The count of a user."),
        Update("count_subscription", "Subscriber", describes="Count on, as one subscribes."),
    ),
)


def topic(wanted: Mapping[str, Any]) -> str:
    """What a subscription is found by: the narrowest of what it asks for."""
    suite, concept = wanted.get("product_suite"), wanted.get("product_concept")
    if suite or concept:
        return _product(suite, concept)
    named = wanted.get("tags")
    return _tag(min(map(folded, named))) if named else EVERYTHING


def topics(content: Mapping[str, Any]) -> list[str]:
    """The topics of all subscriptions that can match a content."""
    suite, concept = content.get("product_suite"), content.get("product_concept")
    products = [(suite, concept)] if suite and concept else []
    products += [(suite, None)] if suite else []
    products += [(None, concept)] if concept else []
    found = [_product(*named) for named in products]
    found += [_tag(name) for name in dict.fromkeys(map(folded, content.get("tags") or ()))]
    return [*found, EVERYTHING]


def matches(wanted: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Whether a content has everything that a subscription asks for."""
    for name in ("product_suite", "product_concept"):
        if wanted.get(name) and wanted[name] != content.get(name):
            return False
    asked: Iterable[str] = wanted.get("tags") or ()
    return set(map(folded, asked)) <= set(map(folded, content.get("tags") or ()))


def _product(suite: str | None, concept: str | None) -> str:
    # Neither may hold a '#', so no two pairs have one text.
    return f"product#{suite or ''}#{concept or ''}"


def _tag(name: str) -> str:
    return f"tag#{name}"
