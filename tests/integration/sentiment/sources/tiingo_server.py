"""A server that speaks Tiingo's format."""

from typing import Any

from tests.integration.sentiment.sources.server import Answer, Request

TOKEN = "tiingo-token"


def article(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": 81000000 + number,
        "title": f"Title {number}",
        "url": f"https://www.example.com/news/{number}",
        "description": f"Description {number}",
        "publishedDate": "2026-03-01T10:00:00.021000Z",
        "crawlDate": "2026-03-01T10:05:00.123456Z",
        "source": "example.com",
        "tickers": ["aapl", "msft"],
        "tags": ["Earnings", "Technology"],
        **changes,
    }


class TiingoServer:
    """Pages over articles; without tickers it would give those on everything."""

    def __init__(self, articles: list[Any]) -> None:
        self.articles = articles

    def __call__(self, request: Request) -> Answer:
        if request.headers.get("authorization") != f"Token {TOKEN}":
            return Answer({"detail": "Invalid token."}, 401)
        begin = int(request.parameters["offset"])
        return Answer(self.articles[begin : begin + int(request.parameters["limit"])])
