"""Items from news and social media, as they are ingested and analysed.

Written often and read seldom, so it has no indexes; its stream feeds what reads it. A source is
stored once, ever: a guard in the item's own partition is claimed before the item is stored, names
the moment under which it is, and is settled when all is done. A claim holds what was offered, so
whoever finds one that is not settled finishes that, under the same key.

Keys that other programs wrote (`utcnow().isoformat() + "Z"`) keep their decimals; ours have three.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.model import (
    BatchGet,
    BatchPut,
    Choice,
    Document,
    Entity,
    Expiry,
    Field,
    Fraction,
    Get,
    Key,
    Prose,
    Put,
    SetOf,
    Table,
    Text,
    TimestampText,
    Update,
)

SOURCE_TYPES = ("newsapi", "twitter", "reddit")
SENTIMENTS = ("positive", "neutral", "negative")
PENDING, ANALYZED = "pending", "analyzed"
CLAIMED, SETTLED = "claimed", "settled"
# In place of a moment, in the key of a guard.
GUARD_KEY = "guard"
MAX_TAGS = 5
SNIPPET_LENGTH = 200
# What an analysis request carries of a text.
MAX_TEXT = 5000

# Where an item says when it expires, in tables whose items do.
EXPIRES = "expires_at"
# A source that is offered again is known for so much longer than its item is kept.
GUARD_DAYS = 365

# What an item holds until it is analysed, unless its sender said otherwise.
UNKNOWN = {"sentiment": "neutral", "score": Decimal("0.5"), "model_version": "v0.0.0"}


def source_id() -> Field[str]:
    return Text(
        max_length=256,
        pattern="[a-z]+#[a-zA-Z0-9_-]+",
        form="a source type, '#' and an id of letters, digits, '_' and '-'",
    )


def source_url() -> Field[str | None]:
    return Text(
        max_length=2048,
        pattern=r"https://[^\s/]+\S*",
        form="an HTTPS address",
        default=None,
    )


def text_snippet() -> Field[str | None]:
    return Prose(max_length=SNIPPET_LENGTH, default=None, secret=True)


def matched_tags() -> Field[set[str] | None]:
    return SetOf(tag(), max_items=MAX_TAGS, default=None)


def tag() -> Field[str]:
    # Part of keys in which '|' sets fields apart.
    return Prose(max_length=50, pattern=r"[^|]*[^|\s][^|]*", form="text without '|'")


def model_version(**options: Any) -> Any:
    return Text(pattern=r"v\d+\.\d+\.\d+", form="a version such as v1.0.0", **options)


class Item(
    Entity,
    key=Key("{source_id}", "{ingested_at}"),
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
):
    """What one source said, with what its analysis found."""

    source_id: Field[str] = source_id()
    ingested_at: Field[str] = TimestampText(any_precision=True)
    source_type: Field[str] = Choice(SOURCE_TYPES)
    source_url: Field[str | None] = source_url()
    text_snippet: Field[str | None] = text_snippet()
    sentiment: Field[str] = Choice(SENTIMENTS)
    score: Field[Decimal] = Fraction()
    model_version: Field[str] = model_version()
    matched_tags: Field[set[str] | None] = matched_tags()
    metadata: Field[Mapping[str, Any] | None] = Document(default=None, secret=True)
    # Items of the first version have none.
    status: Field[str | None] = Choice((PENDING, ANALYZED), default=None)


class Guard(
    Entity,
    key=Key("{source_id}", GUARD_KEY),
    example={
        "source_id": "newsapi#bbc-news-ai-regulation-2025-11-16",
        "item_ingested_at": "2025-11-16T14:30:15.000Z",
        "state": SETTLED,
    },
):
    """Says that a source is taken, under which moment, and whether all is done. Until then it
    holds what was offered, with a sentiment if its sender gave one."""

    source_id: Field[str] = source_id()
    item_ingested_at: Field[str] = TimestampText(any_precision=True)
    state: Field[str] = Choice((CLAIMED, SETTLED))
    text: Field[str | None] = Prose(max_length=MAX_TEXT, default=None, secret=True)
    source_url: Field[str | None] = source_url()
    sentiment: Field[str | None] = Choice(SENTIMENTS, default=None)
    score: Field[Decimal | None] = Fraction(default=None)
    model_version: Field[str | None] = model_version(default=None)
    matched_tags: Field[set[str] | None] = matched_tags()
    metadata: Field[Mapping[str, Any] | None] = Document(default=None, secret=True)


class Items(
    Table, pk="source_id", sk="ingested_at", stream="NEW_AND_OLD_IMAGES", id="sentiment-items"
):
    """Items from news and social media: each source once, first pending, then analysed."""

    known_sources = BatchGet(Guard, describes="Which of many sources are stored already.")
    claim_source = Put(Guard, create=True, describes="Claim a source that is new.")
    claimed_source = Get(Guard, consistent=True, describes="Read another's claim.")
    put_item = Put(Item, create=True, describes="Store an item, still to be analysed.")
    settle_sources = BatchPut(Guard, describes="Say that nothing is left to be done.")
    record_analysis = Update(Item, describes="Record what the analysis of an item found.")
    get_item = Get(Item, consistent=True, describes="Read an item as it is now.")


def items_table(*, days: int | None = None) -> type[Items]:
    """The table; with `days`, of items that expire so long after they were taken in.

    Access patterns are the same either way.
    """
    if days is None:
        return Items
    expires: dict[type[Any], Expiry] = {
        Item: Expiry("ingested_at", days=days),
        Guard: Expiry("item_ingested_at", days=days + GUARD_DAYS),
    }

    class Expiring(Items, id=Items.__design__.id, ttl=EXPIRES, expires=expires):
        __doc__ = Items.__doc__

    return Expiring
