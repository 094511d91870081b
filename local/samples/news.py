"""Financial news to look at: some of the last hours, and another one now and then."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from local.deployment import Deployment
from local.emulator.connection import Connection
from local.samples.items import ingest

HOURS = 12

_COMPANIES = {
    "AAPL": "Apple",
    "AMZN": "Amazon",
    "GOOGL": "Alphabet",
    "MSFT": "Microsoft",
    "NVDA": "Nvidia",
    "TSLA": "Tesla",
}
_ENDINGS = (
    "beats expectations, and investors celebrate a brilliant quarter",
    "wins a great contract, its best success in years",
    "raises its outlook: strong demand, happy customers",
    "warns of a terrible quarter, and its shares crash",
    "faces an ugly lawsuit after a damaging failure",
    "disappoints: weak sales, angry shareholders",
    "names a new head of its European business",
    "will publish its quarterly figures on Thursday",
)
_SOURCES = {"tiingo": "The Example", "finnhub": "Example Wire"}


def article(name: str, published: datetime, chance: random.Random) -> dict[str, Any]:
    """An article of this name, as a source gives it."""
    source = chance.choice(list(_SOURCES))
    ticker, other = chance.sample(list(_COMPANIES), 2)
    title = f"{_COMPANIES[ticker]} {chance.choice(_ENDINGS)}."
    both = chance.random() < 0.3
    return {
        "source_id": f"{source}:{name}",
        "source_type": source,
        "timestamp": f"{published.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z",
        "text_for_analysis": f"{title} {_COMPANIES[other]} looks on." if both else title,
        "matched_tickers": [ticker, other] if both else [ticker],
        "metadata": {
            "title": title,
            "source_name": _SOURCES[source],
            "source_url": f"https://example.com/news/{name}",
        },
    }


def history(now: datetime) -> Iterator[dict[str, Any]]:
    """Two articles of each of the last hours."""
    this_hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    for hour in range(1, HOURS):
        moment = this_hour - timedelta(hours=hour)
        # Of the hour itself, so that a second load finds them all known.
        chance = random.Random(moment.isoformat())
        for number in range(2):
            at = moment + timedelta(minutes=chance.randrange(60))
            yield article(f"{moment:%Y%m%d%H}-{number}", at, chance)


def load(connection: Connection, deployment: Deployment, now: datetime) -> int:
    """Hand the history to the ingest function; gives how many articles were new."""
    return ingest(connection, deployment, {"news": list(history(now))})
