"""Financial news, waiting to be analysed or analysed, and what heals those that wait too long.

An item that was stored but never analysed stays pending; `by_status` finds the pending ones by age.
How often one was asked for again, and when it may be next, is kept on the item itself; one that was
asked for too often is parked. `by_arrival` has the analysed ones in the order in which they were
analysed, which is not that in which they were published.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Choice,
    Document,
    Entity,
    Expiry,
    Field,
    Fraction,
    Get,
    Index,
    Key,
    ListOf,
    Prose,
    Put,
    Query,
    Table,
    Text,
    TimestampText,
    Update,
)
from tablewright.model.healing import Healable, HealingPlan

SOURCE_TYPES = ("tiingo", "finnhub")
DAYS_KEPT = 30
MAX_TEXT = 5000
MAX_TICKERS = 50
PENDING, ANALYZED, PARKED = "pending", "analyzed", "parked"
SENTIMENTS = ("positive", "neutral", "negative")


_KEY = Key("{source_id}")
_EXPIRES = Expiry("timestamp", days=DAYS_KEPT)
_EXAMPLE = {
    "source_id": "finnhub:137825212",
    "timestamp": "2025-12-19T20:14:12Z",
    "status": ANALYZED,
    "sentiment": "positive",
    "score": Decimal("0.81"),
    "model_version": "v1.0.0",
    "analyzed_at": "2025-12-19T20:15:01.250Z",
    "source_type": "finnhub",
    "text_for_analysis": "Company XYZ reports record earnings, and expects more to come.",
    "matched_tickers": ["XYZ"],
    "metadata": {"source_name": "Example Wire"},
}


class Article(Entity):
    """What is kept of an article, beside what heals it."""

    source_id: Field[str] = Text(
        max_length=512,
        pattern="[a-z]+:.+",
        form="a source, ':' and an id",
    )
    timestamp: Field[str] = TimestampText(resolution="s")
    status: Field[str] = Choice((PENDING, ANALYZED, PARKED))
    sentiment: Field[str | None] = Choice(SENTIMENTS, default=None)
    score: Field[Decimal | None] = Fraction(default=None)
    model_version: Field[str | None] = Text(
        pattern=r"v\d+\.\d+\.\d+", form="like v1.0.0", default=None
    )
    analyzed_at: Field[str | None] = TimestampText(default=None, resolution="ms")
    source_type: Field[str] = Choice(SOURCE_TYPES)
    text_for_analysis: Field[str] = Prose(max_length=MAX_TEXT)
    matched_tickers: Field[tuple[str, ...]] = ListOf(Text(max_length=12), max_items=MAX_TICKERS)
    metadata: Field[Mapping[str, Any] | None] = Document(default=None)


class NewsItem(Healable, Article, key=_KEY, expires=_EXPIRES, example=_EXAMPLE):
    """One article."""


class News(Table, pk="source_id", ttl="ttl_timestamp", id="financial-news"):
    """Financial news of the last thirty days, by status and by sentiment."""

    by_status = Index(
        pk="status",
        sk="timestamp",
        projects=KEYS_ONLY,
        keys={NewsItem: Key("{status}", "{timestamp}")},
    )
    by_sentiment = Index(
        pk="sentiment",
        sk="timestamp",
        sparse=True,
        keys={NewsItem: Key("{sentiment}", "{timestamp}")},
    )
    by_arrival = Index(
        pk="sentiment",
        sk="analyzed_at",
        projects=(NewsItem.timestamp,),
        sparse=True,
        keys={NewsItem: Key("{sentiment}", "{analyzed_at}")},
    )

    put_news = Put(NewsItem, create=True, describes="Store an article that is new.")
    get_news = Get(NewsItem, consistent=True, describes="Read an article as it is now.")
    get_many_news = BatchGet(NewsItem, describes="Read many articles.")
    add_tickers = Update(NewsItem, describes="Add companies to a known article.")
    record_analysis = Update(NewsItem, describes="Record what an analysis found.")
    mark_healing = Update(NewsItem, describes="Note that an article was asked for.")
    pending_news = Query(
        NewsItem,
        by_status,
        range=NewsItem.timestamp,
        describes="Keys of the articles of a status, oldest first.",
    )
    news_by_sentiment = Query(
        NewsItem,
        by_sentiment,
        range=NewsItem.timestamp,
        descending=True,
        describes="Articles of a sentiment, newest first.",
    )
    arrived_news = Query(
        NewsItem,
        by_arrival,
        range=NewsItem.analyzed_at,
        describes="Keys of a sentiment's articles, in the order of their analysis.",
    )


class SparseNewsItem(NewsItem, key=_KEY, expires=_EXPIRES, example=_EXAMPLE, name="NewsItem"):
    """One article."""

    # What an analysed item has not.
    waiting: Field[str | None] = Choice((PENDING, PARKED), default=None)


class SparseNews(News, id="financial-news", entities={NewsItem: SparseNewsItem}):
    """Financial news of the last thirty days, by status and by sentiment.

    Only items that are not analysed are in `by_status`. Otherwise every analysed item is in one
    partition of that index, which takes a thousand writes a second and no more.
    """

    by_status = Index(
        pk="waiting",
        sk="timestamp",
        projects=KEYS_ONLY,
        sparse=True,
        keys={NewsItem: Key("{waiting}", "{timestamp}")},
    )


def news_table(*, days: int = DAYS_KEPT) -> type[News]:
    """The table of news that expire after so many days; its access patterns are the same."""
    if days == DAYS_KEPT:
        return News

    class Variant(News, id=News.__design__.id, expires={NewsItem: Expiry("timestamp", days=days)}):
        __doc__ = News.__doc__

    return Variant


def news_healing(table: type[News] = News) -> HealingPlan[NewsItem]:
    """How the news of either variant are healed."""
    sparse = table.by_status.sparse

    def state(status: str) -> dict[str, str | None]:
        waiting = {"waiting": None if status == ANALYZED else status} if sparse else {}
        return {"status": status, **waiting}

    return HealingPlan(
        table,
        waiting=table.pending_news,
        read=table.get_many_news,
        mark=table.mark_healing,
        pending=state(PENDING),
        parked=state(PARKED),
        done=state(ANALYZED),
        result="sentiment",
    )
