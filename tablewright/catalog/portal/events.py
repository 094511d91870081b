"""Events of the portal: what users did, by day and by user.

An event's id tells when it happened, so an event that is sent again has the same key: it is stored
once, and nothing that is sent later replaces it.
"""

from tablewright.catalog.portal.content import content_id, user_id
from tablewright.model import (
    IN_KEY,
    BatchCreate,
    BatchGet,
    Date,
    Document,
    Entity,
    Expiry,
    Index,
    Key,
    Query,
    Shards,
    Table,
    Text,
    TimeId,
    Timestamp,
)
from tablewright.model.time_ids import moment_of

DAYS_KEPT = 90


def events_design(*, shards: int | None = None) -> Table:
    """The design; with `shards`, each day is spread over so many partitions.

    One partition takes a thousand writes a second and no more. Lists are the same either way.
    """
    spread = None if shards is None else Shards(shards, by="event_id")
    event = Entity(
        "Event",
        describes="Something that somebody did.",
        key=Key(
            "{date_bucket}#{shard}" if spread else "{date_bucket}",
            "{timestamp}#{event_id}",
            shards=spread,
        ),
        indexed={"by_user": Key("{user_id}", "{timestamp}#{event_id}")},
        fields=(
            # A key with a shard in it is more than the day.
            Date("date_bucket", IN_KEY if spread else None),
            TimeId("event_id"),
            Text("event_name", max_length=100, pattern="[A-Za-z0-9][A-Za-z0-9._:-]*"),
            user_id(optional=True),
            content_id(optional=True),
            Document("metadata", optional=True, max_bytes=8192),
            Timestamp("timestamp"),
        ),
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
    )
    return Table(
        "events-sharded" if spread else "events",
        describes="What happened, by day and by user, for ninety days.",
        pk="date_bucket",
        sk="ts#event_id",
        ttl="ttl",
        entities=(event,),
        indexes=(Index("by_user", pk="user_id", sk="ts#event_id", sparse=True),),
        patterns=(
            BatchCreate("put_events", "Event", describes="Append events; none is replaced."),
            BatchGet(
                "get_events", "Event", consistent=True, describes="Look what has an id already."
            ),
            Query(
                "events_of_day",
                "Event",
                range="timestamp",
                filters=("event_name",),
                descending=True,
                describes="The events of a day, newest first.",
            ),
            Query(
                "exported_events",
                "Event",
                range="timestamp",
                consistent=True,
                describes="The events of a day in the order in which they happened.",
            ),
            Query(
                "events_of_user",
                "Event",
                index="by_user",
                range="timestamp",
                filters=("event_name",),
                descending=True,
                describes="The events of a user, newest first.",
            ),
        ),
    )


def event_key(event_id: str) -> dict[str, str]:
    """The key fields of an event, all of which its id tells.

    >>> event_key("0194a211-7280-7abc-8def-0123456789ab")["timestamp"]
    '2025-01-26T10:04:00.000Z'
    """
    moment = moment_of(event_id)
    return {"date_bucket": moment[:10], "timestamp": moment, "event_id": event_id}


EVENTS = events_design()
SHARDED_EVENTS = events_design(shards=10)
