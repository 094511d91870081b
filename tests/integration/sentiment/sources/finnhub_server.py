"""A server that speaks Finnhub's format."""

from typing import Any

from tests.integration.sentiment.sources.clock import START
from tests.integration.sentiment.sources.server import Answer, Request

TOKEN = "finnhub-token"
WINDOW = 60


def news(number: int, **changes: Any) -> dict[str, Any]:
    """The greater the number, the older."""
    return {
        "category": "company",
        "datetime": int(START.timestamp()) - 60 * number,
        "headline": f"Headline {number}",
        "id": 137000000 + number,
        "image": "https://www.example.com/image.jpg",
        "related": "AAPL",
        "source": "Example Wire",
        "summary": f"Summary {number}",
        "url": f"https://finnhub.io/api/news?id={number}",
        **changes,
    }


class FinnhubServer:
    """Gives all the news on a symbol at once; `remaining` requests until the window ends."""

    def __init__(self, by_symbol: dict[str, list[Any]], remaining: int = 60) -> None:
        self.by_symbol = by_symbol
        self.remaining = remaining

    def __call__(self, request: Request) -> Answer:
        if request.headers.get("x-finnhub-token") != TOKEN:
            return Answer({"error": "Invalid API key"}, 401)
        limits = {
            "X-Ratelimit-Limit": "60",
            "X-Ratelimit-Remaining": str(max(self.remaining - 1, 0)),
            "X-Ratelimit-Reset": str(int(START.timestamp()) + WINDOW),
        }
        if self.remaining == 0:
            return Answer({"error": "API limit reached."}, 429, limits)
        self.remaining -= 1
        return Answer(self.by_symbol.get(request.parameters["symbol"], []), headers=limits)
