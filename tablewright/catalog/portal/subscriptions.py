"""Subscriptions of users: the content that they want to be notified of.

Content matches a subscription that asks for nothing that the content has not: its suite, its
concept and all of its tags. So one of what it asks for, its `topic`, is enough to find it by, and
content finds its subscribers by the few topics that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.catalog.portal.content import MAX_TAGS
from tablewright.catalog.portal.fields import TAG, folded, key_id, moment, path_id, product
from tablewright.model import (
    IN_KEY,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Prose,
    Put,
    Query,
    Table,
    Update,
    Whole,
)

EVERYTHING = "all"


class Subscription(
    Entity,
    key=Key("{user_id}", "{subscription_id}"),
    example={
        "user_id": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "subscription_id": "5d41402abc4b2a76b9719d911017c592",
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "tags": ["demo"],
        "topic": "product#Data#Warehouse",
        "created_at": "2025-01-26T10:04:00.000Z",
    },
):
    """What one user wants to be told of; without filters, everything."""

    user_id: Field[str] = key_id()
    # Unless the caller gives one, it is derived from the filters.
    subscription_id: Field[str] = path_id()
    product_suite: Field[str | None] = product()
    product_concept: Field[str | None] = product()
    tags: Field[tuple[str, ...] | None] = ListOf(TAG, max_items=MAX_TAGS, default=None)
    # Made of what people write: see `topic`. Subscriptions of the first version have none.
    topic: Field[str | None] = Prose(max_length=256, default=None)
    created_at: Field[str] = moment()


class Subscriber(
    Entity,
    # No id has a '#', so it is in no user's list.
    key=Key("{user_id}#subscriber", "#made"),
    example={"user_id": Subscription.__entity__.example["user_id"], "made": 4},
):
    """How often a user has subscribed: whoever counts on is the next, and the only one."""

    user_id: Field[str] = key_id(IN_KEY)
    made: Field[int] = Whole()


class Subscriptions(Table, pk="user_id", sk="subscription_id"):
    """What users want to be told of, and who wants to be told of a topic."""

    by_topic = Index(
        pk="topic",
        sk="user_id",
        projects=(
            Subscription.product_suite,
            Subscription.product_concept,
            Subscription.tags,
        ),
        keys={Subscription: Key("{topic}", "{user_id}")},
        sparse=True,
    )

    create_subscription = Put(Subscription, create=True, describes="Subscribe.")
    get_subscription = Get(Subscription, describes="Read one subscription.")
    delete_subscription = Delete(Subscription, describes="Unsubscribe.")
    list_subscriptions = Query(
        Subscription,
        # Who repeats a request is to find what it did.
        consistent=True,
        describes="The subscriptions of a user.",
    )
    subscribers = Query(
        Subscription,
        by_topic,
        range=Subscription.user_id,
        describes="Who is subscribed to a topic, by user.",
    )
    put_subscriber = Put(Subscriber, create=True, describes="Begin to count.")
    get_subscriber = Get(Subscriber, consistent=True, describes="The count of a user.")
    count_subscription = Update(Subscriber, describes="Count on, as one subscribes.")


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
