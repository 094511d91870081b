"""Dashboard of analysed items, laid out as it is read: by day, sentiment and tag.

Made of the stream of the items' table and kept for a week. An item is one row in the partition of
its day and one more for each of its tags in a partition of its own, so that a list by day or by
sentiment has each item once. Counters by hour answer what would otherwise be counted at each look.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    Computed,
    Count,
    DateText,
    Entity,
    Expiry,
    Field,
    Fraction,
    Index,
    Key,
    Number,
    Prose,
    Query,
    SetOf,
    Table,
    Tally,
    Text,
    TimestampText,
)

DAYS_SHOWN = 7
COUNTED_PARTS = 4

# The moment alone is not unique: two sources may be ingested in the same millisecond.
_MOMENT = "{ingested_at}|{source_id}"

_EXAMPLE = {
    "day": "2025-11-16",
    "ingested_at": "2025-11-16T14:30:15.000Z",
    "timestamp": "2025-11-16T14:30:15.000Z",
    "source_id": "newsapi#bbc-news-ai-regulation-2025-11-16",
    "source_type": "newsapi",
    "sentiment": "neutral",
    "score": Decimal("0.72"),
    "matched_tags": {"AI", "regulation", "europe"},
    "text_snippet": "European Union announces sweeping AI regulation framework targeting tech "
    "giants. The new rules will require transparency in algorithmic decision-making.",
    "source_url": "https://www.bbc.com/news/technology-12345678",
}


def _rounded(score: Decimal) -> str:
    return str(score.quantize(Decimal("0.01")))


class Row(
    Entity,
    key=Key("{day}", _MOMENT, delimiter="|"),
    expires=Expiry("ingested_at", days=DAYS_SHOWN),
    example=_EXAMPLE,
):
    """An item as the list of its day shows it; there is one of each item."""

    day: Field[str] = DateText("day_partition")
    ingested_at: Field[str] = TimestampText(IN_KEY, resolution="ms")
    # The same, for whoever reads without the store: in the sort key a source follows it.
    timestamp: Field[str | None] = TimestampText(default=None, resolution="ms")
    source_id: Field[str] = source_id()
    source_type: Field[str] = Choice(SOURCE_TYPES)
    sentiment: Field[str] = Choice(SENTIMENTS)
    score: Field[Decimal] = Fraction()
    # Several rows may share it: the index does not tell items apart.
    rounded_score = Computed(_rounded, score, max_length=4)
    matched_tags: Field[set[str] | None] = matched_tags()
    text_snippet: Field[str | None] = text_snippet()
    source_url: Field[str | None] = source_url()


class TagRow(
    Entity,
    key=Key("tag|{tag}|{day}", _MOMENT, delimiter="|"),
    expires=Expiry("ingested_at", days=DAYS_SHOWN),
    example={**_EXAMPLE, "tag": "AI"},
):
    """The same item as the list of a tag shows it; there is one for each of its tags."""

    tag: Field[str] = tag()
    day: Field[str] = DateText(IN_KEY)
    ingested_at: Field[str] = TimestampText(IN_KEY, resolution="ms")
    timestamp: Field[str | None] = TimestampText(default=None, resolution="ms")
    source_id: Field[str] = source_id()
    source_type: Field[str] = Choice(SOURCE_TYPES)
    sentiment: Field[str] = Choice(SENTIMENTS)
    score: Field[Decimal] = Fraction()
    matched_tags: Field[set[str] | None] = matched_tags()
    text_snippet: Field[str | None] = text_snippet()
    source_url: Field[str | None] = source_url()


class Hour(
    Entity,
    key=Key("counts|{day}", "{hour}|{source_type}", delimiter="|"),
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
):
    """How many items of a source had which sentiment and which tags in one hour."""

    day: Field[str] = DateText(IN_KEY)
    hour: Field[str] = TimestampText(IN_KEY, resolution="ms")
    source_type: Field[str] = Choice(SOURCE_TYPES, IN_KEY)
    # One for each of the sentiments.
    positive: Field[Decimal | None] = Number(default=None)
    neutral: Field[Decimal | None] = Number(default=None)
    negative: Field[Decimal | None] = Number(default=None)
    tags: Field[Mapping[str, Decimal] | None] = Tally(prefix="tag:", default=None)


class Counted(
    Entity,
    # Items that are taken in together come in the same second: a batch adds to few such items. In
    # parts, because what is added to an item rewrites all of it.
    key=Key("events|{second}|{part}", "events", delimiter="|"),
    # Not before the counters: a replay would otherwise count again.
    expires=Expiry("second", days=DAYS_SHOWN + 2),
    example={
        "second": "2025-11-16T14:30:15.000Z",
        "part": "0",
        "events": {"7de3041dd709b024af6f29e4fa13d34c"},
    },
):
    """Which changes of the items of one second have been counted, a quarter of them."""

    second: Field[str] = TimestampText(IN_KEY, resolution="ms")
    part: Field[str] = Choice(tuple(map(str, range(COUNTED_PARTS))), IN_KEY)
    events: Field[set[str] | None] = SetOf(Text(max_length=128), max_items=10_000, default=None)


class Rejected(
    Entity,
    key=Key("rejected|{day}", "{source}|{digest}", delimiter="|"),
    expires=Expiry("day", days=DAYS_SHOWN),
    example={
        "day": "2025-11-16",
        "source": "newsapi",
        "digest": "0" * 32,
        "reason": "source_url must be an HTTPS address",
        "item": '{"source_url": "ftp://example.com"}',
    },
):
    """Something that could not be ingested, and why."""

    day: Field[str] = DateText(IN_KEY)
    source: Field[str] = Text(IN_KEY, max_length=64)
    digest: Field[str] = Text(IN_KEY, pattern="[0-9a-f]{32}")
    reason: Field[str] = Prose(max_length=2000)
    item: Field[str] = Text(max_length=4000, secret=True)


class Dashboard(
    Table, pk="day_partition", sk="ingested_at", ttl="expires_at", id="sentiment-dashboard"
):
    """Analysed items of the last seven days, by day, sentiment and tag; counts by hour."""

    by_sentiment = Index(
        pk="day_partition",
        sk="sentiment_score_combined",
        keys={Row: Key("{day}", "{sentiment}#{rounded_score}")},
    )
    by_tag = Index(pk="tag", sk="ingested_at", keys={TagRow: Key("{tag}", _MOMENT, delimiter="|")})

    project_items = BatchWrite(Row, TagRow, describes="Keep rows as the items are.")
    count_items = Count(Hour, marker=Counted, describes="Count items by hour, once each.")
    put_rejected = BatchPut(Rejected, describes="Park what could not be ingested.")
    recent_items = Query(
        Row,
        range=Row.ingested_at,
        filters=(Row.source_type,),
        descending=True,
        describes="Items of a day, newest first.",
    )
    items_by_sentiment = Query(
        Row,
        by_sentiment,
        filters=(Row.source_type,),
        descending=True,
        describes="Items of a day and sentiment, surest first.",
    )
    items_by_tag = Query(
        TagRow,
        by_tag,
        range=TagRow.ingested_at,
        filters=(TagRow.source_type, TagRow.sentiment),
        descending=True,
        describes="Items with a tag, newest first.",
    )
    hourly_counts = Query(
        Hour,
        range=Hour.hour,
        filters=(Hour.source_type,),
        describes="Sentiments and tags of a day, counted by hour.",
    )
    rejected_items = Query(Rejected, describes="What could not be ingested on a day.")
