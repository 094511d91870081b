"""Subscriptions of one user: the content that he wants to be notified of."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from lambdas.errors import NotThere, RequestConflict
from lambdas.http.bodies import new_record
from tablewright.catalog.portal.fields import folded, unique_tags
from tablewright.catalog.portal.subscriptions import (
    EVERYTHING,
    Subscriber,
    Subscription,
    Subscriptions,
    topic,
)
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# To notify a user, all of his subscriptions to a topic are read at once.
MOST = 100

FILTERS = ("product_suite", "product_concept", "tags")
GIVEN = ("subscription_id", *FILTERS)
# What a subscription is found by is a matter of the index.
SHOWN = tuple(field for field in Subscription.__entity__.fields if field.name != "topic")


class UserSubscriptions:
    """What a user has subscribed to."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def create_subscription(self, body: Any, now: datetime) -> tuple[Subscription, bool]:
        """Subscribe; gives the subscription and whether it is new.

        Whoever asks for what he has subscribed to gets that subscription: repeating a request
        changes nothing.
        """
        wanted = self._wanted(body, now)
        named = isinstance(body, dict) and "subscription_id" in body
        for _ in Backoff():
            # Read before the list, and counted on with the subscription: what others have added
            # to the list since is noticed, so the bound holds. What they have removed may go.
            made = self._made()
            mine = list(islice(self._store.each(Subscriptions.list_subscriptions, self._own), MOST))
            for one in mine:
                same = _filters(one) == _filters(wanted)
                if named and one.subscription_id == wanted.subscription_id and not same:
                    raise RequestConflict("another subscription has this subscription_id")
                if same and (not named or one.subscription_id == wanted.subscription_id):
                    return one, False
            if len(mine) == MOST:
                raise RequestConflict(f"There are {MOST} subscriptions already: remove one first.")
            with suppress(Conflict):
                self._add(wanted, made)
                return wanted, True
        raise Throttled("the user subscribed to something else on every attempt")

    def get_subscription(self, subscription_id: str) -> Subscription:
        key = {**self._own, "subscription_id": subscription_id}
        found = self._store.get(Subscriptions.get_subscription, key)
        if found is None:
            raise NotThere("You have no such subscription.")
        return found

    def delete_subscription(self, subscription_id: str) -> None:
        key = {**self._own, "subscription_id": subscription_id}
        self._store.delete(Subscriptions.delete_subscription, key)

    def list_subscriptions(self, *, limit: int, cursor: str | None) -> Page[Subscription]:
        return self._store.query(
            Subscriptions.list_subscriptions,
            self._own,
            limit=limit,
            cursor=cursor,
            caller=self._user_id,
        )

    @property
    def _own(self) -> dict[str, str]:
        return {"user_id": self._user_id}

    def _made(self) -> int:
        """How many subscriptions the user has ever made, of which some may be gone."""
        found = self._store.get(Subscriptions.get_subscriber, self._own)
        if found is None:
            first = Subscriber(user_id=self._user_id, made=0)
            with suppress(AlreadyExists):
                self._store.put(Subscriptions.put_subscriber, first)
            return 0
        return found.made

    def _add(self, wanted: Subscription, made: int) -> None:
        store, one_more = self._store, Subscriber.made.set(made + 1)
        same = Subscriber.made == made
        store.transact_write(
            store.to_put(Subscriptions.create_subscription, wanted),
            store.to_update(Subscriptions.count_subscription, self._own, one_more, when=same),
        )

    def _wanted(self, body: Any, now: datetime) -> Subscription:
        ours = {**self._own, "topic": EVERYTHING, "created_at": iso_utc(now)}
        if isinstance(body, dict):
            body = {"subscription_id": _id({}), **body}
        given = new_record(Subscription, body, GIVEN, ours, lambda values: [])
        tags = sorted(unique_tags(given.tags or ()), key=folded) or None
        wanted = {**given, "tags": tags, "topic": topic({**given, "tags": tags})}
        if given.subscription_id == _id({}):
            wanted["subscription_id"] = _id(wanted)
        return Subscription(**wanted)


def _id(wanted: Mapping[str, Any]) -> str:
    """Always the same one for the same filters of a user."""
    return sha256(json.dumps(_filters(wanted)).encode()).hexdigest()[:32]


def _filters(subscription: Mapping[str, Any]) -> dict[str, Any]:
    """The filters, with tags as they are compared."""
    tags = sorted(map(folded, subscription.get("tags") or ())) or None
    return {**{name: subscription.get(name) for name in FILTERS}, "tags": tags}
