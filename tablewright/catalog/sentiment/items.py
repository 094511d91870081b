"""Items from news and social media, as they are ingested and analysed.

Written often and read seldom, so it has no indexes; its stream feeds what reads it. A source is
stored once, ever: a guard in the item's own partition is claimed before the item is stored, names
the moment under which it is, and is settled when all is done. A claim holds what was offered, so
whoever finds one that is not settled finishes that, under the same key.
"""

from decimal import Decimal

from tablewright.model import (
    BatchGet,
    BatchPut,
    Choice,
    Document,
    Entity,
    Fraction,
    Get,
    Key,
    Prose,
    Put,
    Table,
    Text,
    TextSet,
    Timestamp,
    Update,
)

SOURCE_TYPES = ("newsapi", "twitter", "reddit")
SENTIMENTS = ("positive", "neutral", "negative")
PENDING, ANALYZED = "pending", "analyzed"
CLAIMED, SETTLED = "claimed", "settled"
MAX_TAGS = 5
SNIPPET_LENGTH = 200
# What an analysis request carries of a text.
MAX_TEXT = 5000

# What an item holds until it is analysed.
UNKNOWN = {"sentiment": "neutral", "score": Decimal("0.5"), "model_version": "v0.0.0"}


def source_id() -> Text:
    return Text(
        "source_id",
        max_length=256,
        pattern="[a-z]+#[a-zA-Z0-9_-]+",
        form="a source type, '#' and an id of letters, digits, '_' and '-'",
    )


def source_url() -> Text:
    return Text(
        "source_url",
        optional=True,
        max_length=2048,
        pattern=r"https://[^\s/]+\S*",
        form="an HTTPS address",
    )


def text_snippet() -> Prose:
    return Prose("text_snippet", optional=True, max_length=SNIPPET_LENGTH)


def matched_tags() -> TextSet:
    return TextSet("matched_tags", of=tag(), max_items=MAX_TAGS)


def tag() -> Prose:
    # Part of keys in which '|' sets fields apart.
    return Prose("tag", max_length=50, pattern=r"[^|]*[^|\s][^|]*", form="text without '|'")


ITEM = Entity(
    "Item",
    describes="What one source said, with what its analysis found.",
    key=Key("{source_id}", "{ingested_at}"),
    fields=(
        source_id(),
        Timestamp("ingested_at"),
        Choice("source_type", SOURCE_TYPES),
        source_url(),
        text_snippet(),
        Choice("sentiment", SENTIMENTS),
        Fraction("score"),
        Text("model_version", pattern=r"v\d+\.\d+\.\d+", form="a version such as v1.0.0"),
        matched_tags(),
        Document("metadata", optional=True),
        Choice("status", (PENDING, ANALYZED)),
    ),
    example={
        "source_id": "newsapi#bbc-news-ai-regulation-2025-11-16",
        "ingested_at": "2025-11-16T14:30:15.000Z",
        "source_type": "newsapi",
        "source_url": "https://www.bbc.com/news/technology-12345678",
        "text_snippet": "European Union announces sweeping AI regulation framework targeting tech "
        "giants. The new rules will require transparency in algorithmic decision-making.",
        "sentiment": "neutral",
        "score": Decimal("0.72"),
        "model_version": "v1.0.0",
        "matched_tags": {"AI", "regulation", "europe"},
        "metadata": {
            "author": "Jane Smith",
            "title": "EU Announces AI Regulation Framework",
            "published_at": "2025-11-16T10:00:00Z",
            "source_name": "BBC News",
        },
        "status": ANALYZED,
    },
)

GUARD = Entity(
    "Guard",
    describes="Says that a source is taken, under which moment, and whether all is done. "
    "Until then it holds what was offered.",
    key=Key("{source_id}", "guard"),
    fields=(
        source_id(),
        Timestamp("item_ingested_at"),
        Choice("state", (CLAIMED, SETTLED)),
        Prose("text", optional=True, max_length=MAX_TEXT),
        source_url(),
        matched_tags(),
        Document("metadata", optional=True),
    ),
    example={
        "source_id": "newsapi#bbc-news-ai-regulation-2025-11-16",
        "item_ingested_at": "2025-11-16T14:30:15.000Z",
        "state": SETTLED,
    },
)

ITEMS = Table(
    "sentiment-items",
    describes="Items from news and social media: each source once, first pending, then analysed.",
    pk="source_id",
    sk="ingested_at",
    stream="NEW_AND_OLD_IMAGES",
    entities=(ITEM, GUARD),
    patterns=(
        BatchGet("known_sources", "Guard", describes="Which of many sources are stored already."),
        Put("claim_source", "Guard", create=True, describes="Claim a source that is new."),
        Get("claimed_source", "Guard", consistent=True, describes="Read another's claim."),
        Put("put_item", "Item", create=True, describes="Store an item, still to be analysed."),
        BatchPut("settle_sources", "Guard", describes="Say that nothing is left to be done."),
        Update("record_analysis", "Item", describes="Record what the analysis of an item found."),
        Get("get_item", "Item", consistent=True, describes="Read an item as it is now."),
    ),
)
