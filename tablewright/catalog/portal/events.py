"""Events of the portal: what users did, by day and by user.

An event's key is its day, its timestamp and its id. An event that is sent again has the same
key: it is stored once, and nothing that is sent later replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.catalog.portal.fields import key_id, key_time, path_id
from tablewright.model import (
    BatchCreate,
    BatchGet,
    DateText,
    Document,
    Entity,
    Expiry,
    Field,
    Index,
    Key,
    Prose,
    Query,
    Shards,
    Table,
)
from tablewright.model.time_ids import moment_of

DAYS_KEPT = 90


class Event(
    Entity,
    key=Key("{date_bucket}", "{timestamp}#{event_id}"),
    expires=Expiry("timestamp", days=DAYS_KEPT),
    example={
        "date_bucket": "2025-01-26",
        "event_id": "0194a211-7280-7abc-8def-0123456789ab",
        "event_name": "content.viewed",
        "user_id": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "content_id": "0194a1ff-0000-7abc-8def-0123456789ab",
        "metadata": {"referrer": "search"},
        "timestamp": "2025-01-26T10:04:00.000Z",
    },
):
    """Something that somebody did."""

    date_bucket: Field[str] = DateText()
    event_id: Field[str] = key_id()
    event_name: Field[str] = Prose(max_length=100)
    user_id: Field[str | None] = key_id(default=None)
    content_id: Field[str | None] = path_id(default=None)
    metadata: Field[Mapping[str, Any] | None] = Document(max_bytes=8192, default=None)
    timestamp: Field[str] = key_time()


class Events(Table, pk="date_bucket", sk="ts#event_id", ttl="ttl", stream="NEW_AND_OLD_IMAGES"):
    """What happened, by day and by user, for ninety days."""

    by_user = Index(
        pk="user_id",
        sk="ts#event_id",
        sparse=True,
        keys={Event: Key("{user_id}", "{timestamp}#{event_id}")},
    )

    store_event = BatchCreate(Event, describes="Append events; none is replaced.")
    get_events = BatchGet(Event, consistent=True, describes="Look what has an id already.")
    list_events_for_date = Query(
        Event,
        range=Event.timestamp,
        filters=(Event.event_name,),
        descending=True,
        describes="The events of a day, newest first.",
    )
    query_events_by_user = Query(
        Event,
        by_user,
        range=Event.timestamp,
        filters=(Event.event_name,),
        descending=True,
        describes="The events of a user, newest first.",
    )


def _spread(shards: int) -> Key:
    return Key(
        "{date_bucket}#{shard}", "{timestamp}#{event_id}", shards=Shards(shards, by="event_id")
    )


class ShardedEvents(Events, id="events-sharded", keys={Event: _spread(10)}):
    """What happened, by day and by user, for ninety days."""


def events_table(*, shards: int | None = None, days: int = DAYS_KEPT) -> type[Events]:
    """The table; with `shards`, each day is spread over so many partitions.

    One partition takes a thousand writes a second and no more. Lists are the same either way, and
    so are the access patterns. Events expire after so many `days`.
    """
    if shards is None and days == DAYS_KEPT:
        return Events
    id = Events.__design__.id if shards is None else ShardedEvents.__design__.id
    keys = {} if shards is None else {Event: _spread(shards)}

    class Variant(Events, id=id, keys=keys, expires={Event: Expiry("timestamp", days=days)}):
        __doc__ = Events.__doc__

    return Variant


def event_key(event_id: str, timestamp: str | None = None) -> dict[str, str]:
    """The key fields of an event; without a timestamp, the one that its id tells.

    >>> event_key("e1", "2025-01-26T10:04:00.000Z")["date_bucket"]
    '2025-01-26'
    >>> event_key("0194a211-7280-7abc-8def-0123456789ab")["timestamp"]
    '2025-01-26T10:04:00.000Z'
    """
    timestamp = timestamp or moment_of(event_id)
    return {"date_bucket": timestamp[:10], "timestamp": timestamp, "event_id": event_id}
