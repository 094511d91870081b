"""Dashboard of analysed items, laid out as it is read: by day, sentiment and tag.

Made of the stream of the items' table and kept for a week. An item is one row in the partition of
its day and one more for each of its tags in a partition of its own, so that a list by day or by
sentiment has each item once. Counters by hour answer what would otherwise be counted at each look.
"""

from decimal import Decimal

from tablewright.catalog.sentiment.items import (
    SENTIMENTS,
    SOURCE_TYPES,
    matched_tags,
    source_id,
    source_url,
    tag,
    text_snippet,
)
from tablewright.model import (
    IN_KEY,
    BatchPut,
    BatchWrite,
    Choice,
    Count,
    Date,
    Entity,
    Expiry,
    Field,
    Fraction,
    Index,
    Key,
    Number,
    Prose,
    Query,
    Table,
    Tally,
    Text,
    TextSet,
    Timestamp,
)

DAYS_SHOWN = 7
COUNTED_PARTS = 4

# The moment alone is not unique: two sources may be ingested in the same millisecond.
_MOMENT = "{ingested_at}|{source_id}"

_EXAMPLE = {
    "day": "2025-11-16",
    "ingested_at": "2025-11-16T14:30:15.000Z",
    "source_id": "newsapi#bbc-news-ai-regulation-2025-11-16",
    "source_type": "newsapi",
    "sentiment": "neutral",
    "score": Decimal("0.72"),
    "matched_tags": {"AI", "regulation", "europe"},
    "text_snippet": "European Union announces sweeping AI regulation framework targeting tech "
    "giants. The new rules will require transparency in algorithmic decision-making.",
    "source_url": "https://www.bbc.com/news/technology-12345678",
}


def _shown() -> tuple[Field, ...]:
    return (
        Timestamp("ingested_at", IN_KEY),
        source_id(),
        Choice("source_type", SOURCE_TYPES),
        Choice("sentiment", SENTIMENTS),
        Fraction("score"),
        matched_tags(),
        text_snippet(),
        source_url(),
    )


ROW = Entity(
    "Row",
    describes="An item as the list of its day shows it; there is one of each item.",
    key=Key("{day}", _MOMENT, delimiter="|"),
    indexed={"by_sentiment": Key("{day}", "{sentiment}#{score}")},
    fields=(Date("day", "day_partition"), *_shown()),
    expires=Expiry("ingested_at", days=DAYS_SHOWN),
    example=_EXAMPLE,
)

TAG_ROW = Entity(
    "TagRow",
    describes="The same item as the list of a tag shows it; there is one for each of its tags.",
    key=Key("tag|{tag}|{day}", _MOMENT, delimiter="|"),
    indexed={"by_tag": Key("{tag}", _MOMENT, delimiter="|")},
    fields=(tag(), Date("day", IN_KEY), *_shown()),
    expires=Expiry("ingested_at", days=DAYS_SHOWN),
    example={**_EXAMPLE, "tag": "AI"},
)

HOUR = Entity(
    "Hour",
    describes="How many items of a source had which sentiment and which tags in one hour.",
    key=Key("counts|{day}", "{hour}|{source_type}", delimiter="|"),
    fields=(
        Date("day", IN_KEY),
        Timestamp("hour", IN_KEY),
        Choice("source_type", SOURCE_TYPES, IN_KEY),
        *(Number(sentiment, optional=True) for sentiment in SENTIMENTS),
        Tally("tags", prefix="tag:"),
    ),
    # A day longer than the rows: the first hour shown is shown whole.
    expires=Expiry("hour", days=DAYS_SHOWN + 1),
    example={
        "day": "2025-11-16",
        "hour": "2025-11-16T14:00:00.000Z",
        "source_type": "newsapi",
        "positive": Decimal(12),
        "neutral": Decimal(30),
        "negative": Decimal(7),
        "tags": {"AI": Decimal(21), "regulation": Decimal(3), "europe": Decimal(9)},
    },
)

COUNTED = Entity(
    "Counted",
    describes="Which changes of the items of one second have been counted, a quarter of them.",
    # Items that are taken in together come in the same second: a batch adds to few such items. In
    # parts, because what is added to an item rewrites all of it.
    key=Key("events|{second}|{part}", "events", delimiter="|"),
    fields=(
        Timestamp("second", IN_KEY),
        Choice("part", tuple(map(str, range(COUNTED_PARTS))), IN_KEY),
        TextSet("events", of=Text("event", max_length=128), max_items=10_000),
    ),
    # Not before the counters: a replay would otherwise count again.
    expires=Expiry("second", days=DAYS_SHOWN + 2),
    example={
        "second": "2025-11-16T14:30:15.000Z",
        "part": "0",
        "events": {"7de3041dd709b024af6f29e4fa13d34c"},
    },
)

REJECTED = Entity(
    "Rejected",
    describes="Something that could not be ingested, and why.",
    key=Key("rejected|{day}", "{source}|{digest}", delimiter="|"),
    fields=(
        Date("day", IN_KEY),
        Text("source", IN_KEY, max_length=64),
        Text("digest", IN_KEY, pattern="[0-9a-f]{32}"),
        Prose("reason", max_length=2000),
        Text("item", max_length=4000),
    ),
    expires=Expiry("day", days=DAYS_SHOWN),
    example={
        "day": "2025-11-16",
        "source": "newsapi",
        "digest": "0" * 32,
        "reason": "source_url must be an HTTPS address",
        "item": '{"source_url": "ftp://example.com"}',
    },
)

DASHBOARD = Table(
    "sentiment-dashboard",
    describes="Analysed items of the last seven days, by day, sentiment and tag; counts by hour.",
    pk="day_partition",
    sk="ingested_at",
    ttl="expires_at",
    entities=(ROW, TAG_ROW, HOUR, COUNTED, REJECTED),
    indexes=(
        Index("by_sentiment", pk="day_partition", sk="sentiment_score_combined"),
        Index("by_tag", pk="tag", sk="ingested_at"),
    ),
    patterns=(
        BatchWrite("project_items", "Row", "TagRow", describes="Keep rows as the items are."),
        Count("count_items", "Hour", marker="Counted", describes="Count items by hour, once each."),
        BatchPut("put_rejected", "Rejected", describes="Park what could not be ingested."),
        Query(
            "recent_items",
            "Row",
            range="ingested_at",
            filters=("source_type",),
            descending=True,
            describes="Items of a day, newest first.",
        ),
        Query(
            "items_by_sentiment",
            "Row",
            index="by_sentiment",
            filters=("source_type",),
            descending=True,
            describes="Items of a day and sentiment, surest first.",
        ),
        Query(
            "items_by_tag",
            "TagRow",
            index="by_tag",
            range="ingested_at",
            filters=("source_type", "sentiment"),
            descending=True,
            describes="Items with a tag, newest first.",
        ),
        Query(
            "hourly_counts",
            "Hour",
            range="hour",
            filters=("source_type",),
            describes="Sentiments and tags of a day, counted by hour.",
        ),
        Query("rejected_items", "Rejected", describes="What could not be ingested on a day."),
    ),
)
