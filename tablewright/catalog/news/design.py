"""Financial news, waiting to be analysed or analysed, and what heals those that wait too long.

An item that was stored but never analysed stays pending; `by_status` finds the pending ones by age.
How often one was asked for again, and when it may be next, is kept on the item itself; one that was
asked for too often is parked. `by_arrival` has the analysed ones in the order in which they were
analysed, which is not that in which they were published.
"""

from decimal import Decimal

from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Choice,
    Document,
    Entity,
    Expiry,
    Fraction,
    Get,
    Index,
    Key,
    Prose,
    Put,
    Query,
    Table,
    Text,
    TextList,
    Timestamp,
    Update,
)
from tablewright.model.healing import HealingPlan, healing_fields

SOURCE_TYPES = ("tiingo", "finnhub")
DAYS_KEPT = 30
MAX_TEXT = 5000
MAX_TICKERS = 50
PENDING, ANALYZED, PARKED = "pending", "analyzed", "parked"
SENTIMENTS = ("positive", "neutral", "negative")


def financial_news_design(*, sparse_status: bool = False) -> Table:
    """The design; with `sparse_status` only items that are not analysed are in `by_status`.

    Otherwise every analysed item is in one partition of that index, which takes a thousand writes
    a second and no more. The sparse index is keyed by `waiting`, which an analysed item has not.
    """
    waiting = (Choice("waiting", (PENDING, PARKED), optional=True),) if sparse_status else ()
    status_key = "waiting" if sparse_status else "status"
    item = Entity(
        "NewsItem",
        describes="One article.",
        key=Key("{source_id}"),
        indexed={
            "by_status": Key(f"{{{status_key}}}", "{timestamp}"),
            "by_sentiment": Key("{sentiment}", "{timestamp}"),
            "by_arrival": Key("{sentiment}", "{analyzed_at}"),
        },
        fields=(
            Text(
                "source_id",
                max_length=256,
                pattern="[a-z]+:[a-zA-Z0-9_.-]+",
                form="a source, ':' and an id of letters, digits, '_', '.' and '-'",
            ),
            Timestamp("timestamp", seconds=True),
            Choice("status", (PENDING, ANALYZED, PARKED)),
            *waiting,
            Choice("sentiment", SENTIMENTS, optional=True),
            Fraction("score", optional=True),
            Text("model_version", optional=True, pattern=r"v\d+\.\d+\.\d+", form="like v1.0.0"),
            Timestamp("analyzed_at", optional=True),
            Choice("source_type", SOURCE_TYPES),
            Prose("text_for_analysis", max_length=MAX_TEXT),
            TextList("matched_tickers", of=Text("ticker", max_length=12), max_items=MAX_TICKERS),
            Document("metadata", optional=True),
            *healing_fields(),
        ),
        expires=Expiry("timestamp", days=DAYS_KEPT),
        example={
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
        },
    )
    return Table(
        "financial-news",
        describes="Financial news of the last thirty days, by status and by sentiment.",
        pk="source_id",
        ttl="ttl_timestamp",
        entities=(item,),
        indexes=(
            Index(
                "by_status",
                pk=status_key,
                sk="timestamp",
                projects=KEYS_ONLY,
                sparse=sparse_status,
            ),
            Index("by_sentiment", pk="sentiment", sk="timestamp", sparse=True),
            Index(
                "by_arrival", pk="sentiment", sk="analyzed_at", projects=("timestamp",), sparse=True
            ),
        ),
        patterns=(
            Put("put_news", "NewsItem", create=True, describes="Store an article that is new."),
            Get("get_news", "NewsItem", consistent=True, describes="Read an article as it is now."),
            BatchGet("get_many_news", "NewsItem", describes="Read many articles."),
            Update("add_tickers", "NewsItem", describes="Add companies to a known article."),
            Update("record_analysis", "NewsItem", describes="Record what an analysis found."),
            Update("mark_healing", "NewsItem", describes="Note that an article was asked for."),
            Query(
                "pending_news",
                "NewsItem",
                index="by_status",
                range="timestamp",
                describes="Keys of the articles of a status, oldest first.",
            ),
            Query(
                "news_by_sentiment",
                "NewsItem",
                index="by_sentiment",
                range="timestamp",
                descending=True,
                describes="Articles of a sentiment, newest first.",
            ),
            Query(
                "arrived_news",
                "NewsItem",
                index="by_arrival",
                range="analyzed_at",
                describes="Keys of a sentiment's articles, in the order of their analysis.",
            ),
        ),
    )


NEWS = financial_news_design()
SPARSE_NEWS = financial_news_design(sparse_status=True)


def news_healing(design: Table = NEWS) -> HealingPlan:
    """How the news of either variant are healed."""
    sparse = design.indexes["by_status"].sparse

    def state(status: str) -> dict[str, str | None]:
        waiting = {"waiting": None if status == ANALYZED else status} if sparse else {}
        return {"status": status, **waiting}

    return HealingPlan(
        design,
        waiting=design.pending_news,
        read=design.get_many_news,
        mark=design.mark_healing,
        pending=state(PENDING),
        parked=state(PARKED),
        done=state(ANALYZED),
        result="sentiment",
    )
