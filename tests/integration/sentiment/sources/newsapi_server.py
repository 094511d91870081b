"""A server that speaks NewsAPI's format."""

from typing import Any

from tests.integration.sentiment.sources.server import Answer, Request

KEY = "news-key"


def article(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "source": {"id": "bbc-news", "name": "BBC News"},
        "author": "Jane Smith",
        "title": f"Title {number}",
        "description": f"Description {number}",
        "url": f"https://www.bbc.com/news/{number}",
        "urlToImage": None,
        "publishedAt": "2026-03-01T10:00:00Z",
        "content": "The beginning of it… [+1200 chars]",
        **changes,
    }


class NewsApiServer:
    """Pages over articles; a page beyond the `plan` is refused."""

    def __init__(self, articles: list[Any], plan: int = 10_000) -> None:
        self.articles = articles
        self.plan = plan

    def __call__(self, request: Request) -> Answer:
        if request.headers.get("x-api-key") != KEY:
            return Answer({"status": "error", "code": "apiKeyInvalid", "message": "…"}, 401)
        size, page = int(request.parameters["pageSize"]), int(request.parameters["page"])
        if page * size > self.plan:
            return Answer({"status": "error", "code": "maximumResultsReached"}, 426)
        some = self.articles[(page - 1) * size : page * size]
        return Answer({"status": "ok", "totalResults": len(self.articles), "articles": some})
