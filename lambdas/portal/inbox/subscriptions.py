"""The subscriptions of one user: what he wants to be told of."""

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from lambdas.http.given import new_record
from lambdas.http.problems import Problem
from tablewright.designs import Record
from tablewright.designs.fields import timestamp
from tablewright.designs.subscriptions import EVERYTHING, SUBSCRIPTION, SUBSCRIPTIONS, topic
from tablewright.runtime.errors import NotFound
from tablewright.runtime.ids import uuid7
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store

# Who is told of content has all of his subscriptions to a topic looked at, at once.
MOST = 100

FILTERS = ("product_suite", "product_concept", "tags")
# What a subscription is found by is a matter of the index.
SHOWN = tuple(field for field in SUBSCRIPTION.fields if field.name != "topic")


class Subscriptions:
    """What a user has subscribed to."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def create(self, body: Any, now: datetime) -> tuple[Record, bool]:
        """Subscribe; gives the subscription and whether it is new.

        Whoever asks for what he has subscribed to gets that subscription: repeating a request
        changes nothing.
        """
        wanted = self._wanted(body, now)
        mine = list(islice(self._store.each(SUBSCRIPTIONS.subscriptions, self._own), MOST))
        for one in mine:
            if _filters(one) == _filters(wanted):
                return one, False
        if len(mine) == MOST:
            raise Problem(409, f"There are {MOST} subscriptions already: remove one first.")
        return self._store.put(SUBSCRIPTIONS.put_subscription, wanted), True

    def one(self, subscription_id: str) -> Record:
        key = {**self._own, "subscription_id": subscription_id}
        found = self._store.get(SUBSCRIPTIONS.get_subscription, key)
        if found is None:
            raise NotFound("You have no such subscription.")
        return found

    def remove(self, subscription_id: str) -> None:
        key = {**self._own, "subscription_id": subscription_id}
        self._store.delete(SUBSCRIPTIONS.delete_subscription, key)

    def page(self, *, limit: int, cursor: str | None) -> Page:
        return self._store.query(
            SUBSCRIPTIONS.subscriptions,
            self._own,
            limit=limit,
            cursor=cursor,
            caller=self._user_id,
        )

    @property
    def _own(self) -> Record:
        return {"user_id": self._user_id}

    def _wanted(self, body: Any, now: datetime) -> Record:
        ours = {
            **self._own,
            "subscription_id": uuid7(now),
            "topic": EVERYTHING,
            "created_at": timestamp(now),
        }
        given = new_record(SUBSCRIPTION, body, FILTERS, ours, lambda values: [])
        tags = sorted(set(given.pop("tags", ())))
        wanted = {**given, **({"tags": tags} if tags else {})}
        return {**wanted, "topic": topic(wanted)}


def _filters(subscription: Mapping[str, Any]) -> dict[str, Any]:
    return {name: subscription.get(name) for name in FILTERS}
