"""Articles that the tests of financial news are about."""

from datetime import datetime, timedelta
from typing import Any

from tablewright.catalog.news.design import NewsItem
from tablewright.catalog.sentiment.items import ANALYZED, SENTIMENTS
from tablewright.model.fields.time import iso_utc
from tests.integration.sentiment.moments import NOW


def seconds(moment: datetime) -> str:
    return f"{iso_utc(moment)[:19]}Z"


def raw(number: int, **changes: Any) -> dict[str, Any]:
    """An article as it is offered."""
    return {
        "source_id": f"tiingo:{number}",
        "source_type": "tiingo",
        "timestamp": seconds(NOW - timedelta(hours=1)),
        "text_for_analysis": f"A great success for company number {number}.",
        "matched_tickers": ["XYZ"],
        **changes,
    }


def analysed(number: int, arrived: datetime, **changes: Any) -> NewsItem:
    """An article that was analysed at a moment."""
    return NewsItem(
        **{
            **NewsItem.__entity__.example,
            "source_id": f"finnhub:{number}",
            "timestamp": NOW - timedelta(hours=1),
            "analyzed_at": arrived,
            "sentiment": SENTIMENTS[number % 3],
            "status": ANALYZED,
            **changes,
        }
    )
