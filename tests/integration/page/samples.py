"""Items as the API gives them, in the days before one fixed moment."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

NOW = datetime(2025, 11, 16, 14, 30, tzinfo=UTC)
TEXTS = {
    "positive": (
        "A small town in the Alps heats its school with the waste heat of a server room",
        "Chip maker raises its forecast as orders for data centres outrun supply",
        "The new model writes unit tests that read like specifications, early adopters say",
        "Regulators clear the merger after both companies agree to open their charging network",
    ),
    "neutral": (
        "Quarterly figures come in as expected; analysts keep their targets",
        "The committee meets on Thursday to discuss the draft; a vote is due next month",
        "Open-source maintainers publish the minutes of their yearly meeting",
    ),
    "negative": (
        "Users report outages for the third day in a row, and support does not answer",
        "Grid operator warns of shortages as three plants stay offline for repairs",
    ),
}
TAGS = ("AI", "chips", "climate", "energy", "markets", "open source")
SOURCES = ("newsapi", "twitter", "reddit")
TICKERS = ("ACME", "XYZ", "BRK.B", "GLOBEX", "INIT", "UMB")
WIRES = {"finnhub": "Example Wire", "tiingo": "The Ledger"}
HOSTS = {"newsapi": "news.example", "twitter": "social.example", "reddit": "forum.example"}


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def item(number: int, *, minutes_ago: float = 0, **changes: Any) -> dict[str, Any]:
    """One item, the same for the same number."""
    choose = random.Random(number)
    source = choose.choice(SOURCES)
    tags = choose.sample(TAGS, choose.choice((0, 1, 1, 2, 3)))
    sentiment = choose.choices(tuple(TEXTS), (5, 3, 2))[0]
    made: dict[str, Any] = {
        "source_id": f"{source}#article-{number:04x}",
        "ingested_at": stamp(NOW - timedelta(minutes=minutes_ago)),
        "source_type": source,
        "sentiment": sentiment,
        "score": choose.randint(50, 99) / 100,
        "text_snippet": choose.choice(TEXTS[sentiment]),
        "source_url": f"https://{HOSTS[source]}/stories/{number}",
    }
    made |= {"matched_tags": sorted(tags)} if tags else {}
    return {**made, **changes}


def day(count: int = 60) -> list[dict[str, Any]]:
    """Items over some twenty hours, denser towards the end."""
    return [item(n, minutes_ago=2 + n * 4 + n * n * 0.27) for n in range(count)]


def news(number: int, *, minutes_ago: float = 0, **changes: Any) -> dict[str, Any]:
    """One piece of financial news, the same for the same number."""
    choose = random.Random(number)
    source = choose.choice(tuple(WIRES))
    sentiment = choose.choices(tuple(TEXTS), (5, 3, 2))[0]
    title = choose.choice(TEXTS[sentiment])
    published = NOW - timedelta(minutes=minutes_ago)
    made: dict[str, Any] = {
        "source_id": f"{source}:{number}",
        "timestamp": published.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "sentiment": sentiment,
        "score": choose.randint(50, 99) / 100,
        "model_version": "v3.3.2",
        "source_type": source,
        "text_for_analysis": f"{title}\nThe report came out before the market opened ({number}).",
        "matched_tickers": sorted(choose.sample(TICKERS, choose.choice((1, 1, 2, 3)))),
        "metadata": {
            "title": title,
            "source_name": WIRES[source],
            "source_url": f"https://www.{source}.example/stories/{number}",
        },
        "analyzed_at": stamp(NOW),
    }
    return {**made, **changes}
