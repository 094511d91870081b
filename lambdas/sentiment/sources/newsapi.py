"""NewsAPI: articles of news sites and blogs (newsapi.org, version 2)."""

import hashlib
import itertools
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from lambdas.sentiment.sources.errors import BadAnswer
from lambdas.sentiment.sources.source import (
    MAX_ITEMS,
    Feed,
    RawItem,
    Unmappable,
    fields_of,
    joined,
    present,
    words,
)
from lambdas.sentiment.sources.web import Web

URL = "https://newsapi.org"

_PAGE = 100
# What stands in the fields of an article that its publisher has withdrawn.
_REMOVED = "[Removed]"
# The status for a page beyond what the key's plan includes.
_BEYOND_PLAN = 426
# How a reader came to an article, which makes no other article of it.
_TRACKING = re.compile(r"(utm_[^=]*|fbclid|gclid|mc_cid|mc_eid)(=.*)?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class NewsApi(Feed):
    """Searches all articles in English.

    Example::

        NewsApi(Web(), api_key).fetch("climate change")
    """

    source_type = "newsapi"

    def __init__(
        self, web: Web, api_key: str, *, url: str = URL, max_items: int = MAX_ITEMS
    ) -> None:
        super().__init__(max_items)
        self._web = web
        self._headers = {"X-Api-Key": api_key}
        self._address = f"{url}/v2/everything"

    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        asked: dict[str, str | int] = {
            "q": query,
            "pageSize": _PAGE,
            "sortBy": "publishedAt",
            "language": "en",
        }
        for page in itertools.count(1):
            asked["page"] = page
            try:
                answer = self._web.get(self._address, asked, self._headers, deadline)
            except BadAnswer as error:
                if error.status == _BEYOND_PLAN and page > 1:
                    return
                raise
            articles, total = _page(answer)
            yield from articles
            if len(articles) < _PAGE or page * _PAGE >= total:
                return

    def _item(self, entry: Any) -> RawItem | None:
        article = fields_of(entry)
        title, description = words(article, "title"), words(article, "description")
        if title == _REMOVED:
            return None
        url = words(article, "url")
        source = article.get("source")
        return RawItem(
            self.source_type,
            article_id(url),
            joined(title, description),
            url,
            present(
                author=words(article, "author"),
                title=title,
                published_at=words(article, "publishedAt"),
                source_name=words(source, "name") if isinstance(source, dict) else None,
            ),
        )


def article_id(url: str | None) -> str:
    """An id for what has none of its own: the same for all spellings of an article's address."""
    if url is None:
        raise Unmappable("has no url, which its id is made of")
    try:
        address = urlsplit(url)
        host, port = address.hostname, address.port
    except ValueError:
        host, port = None, None
    if not host:
        raise Unmappable("url is no web address")
    if port not in (None, _DEFAULT_PORTS.get(address.scheme)):
        host = f"{host}:{port}"
    kept = [part for part in address.query.split("&") if part and not _TRACKING.fullmatch(part)]
    query = "?" + "&".join(kept) if kept else ""
    canonical = f"{host}{address.path or '/'}{query}"
    return f"article-{hashlib.sha256(canonical.encode()).hexdigest()[:20]}"


def _page(answer: Any) -> tuple[list[Any], int]:
    """The articles of a page, and how many there are on all of them."""
    good = isinstance(answer, dict) and answer.get("status") == "ok"
    articles = answer.get("articles") if good else None
    total = answer.get("totalResults") if good else None
    if not isinstance(articles, list) or not isinstance(total, int):
        raise BadAnswer("newsapi answered without articles and totalResults")
    return articles, total
