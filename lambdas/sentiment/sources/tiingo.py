"""Tiingo: articles of financial news sites and blogs, marked with the tickers they are about."""

import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from lambdas.sentiment.sources.errors import BadAnswer
from lambdas.sentiment.sources.moments import iso_moment
from lambdas.sentiment.sources.source import (
    MAX_ITEMS,
    Feed,
    RawItem,
    fields_of,
    joined,
    needed,
    numeric_id,
    present,
    texts,
    words,
)
from lambdas.sentiment.sources.tickers import asked_for, tickers
from lambdas.sentiment.sources.web import Web
from tablewright.model.fields.time import iso_utc

URL = "https://api.tiingo.com"

_PAGE = 100


class Tiingo(Feed):
    """Finds articles on tickers.

    Example::

        Tiingo(Web(), token).fetch("AAPL,MSFT")
    """

    source_type = "tiingo"

    def __init__(self, web: Web, token: str, *, url: str = URL, max_items: int = MAX_ITEMS) -> None:
        super().__init__(max_items)
        self._web = web
        self._headers = {"Authorization": f"Token {token}"}
        self._address = f"{url}/tiingo/news"

    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        asked: dict[str, str | int] = {
            "tickers": ",".join(asked_for(query)).lower(),
            "limit": _PAGE,
            "sortBy": "publishedDate",
        }
        # An article that comes meanwhile moves the others on, so one may be given twice.
        for offset in itertools.count(0, _PAGE):
            asked["offset"] = offset
            articles = self._web.get(self._address, asked, self._headers, deadline)
            if not isinstance(articles, list):
                raise BadAnswer("tiingo answered something else than a list of articles")
            yield from articles
            if len(articles) < _PAGE:
                return

    def _item(self, entry: Any) -> RawItem:
        article = fields_of(entry)
        id = numeric_id(article, "id")
        title = needed(article, "title")
        published = iso_moment(article, "publishedDate")
        return RawItem(
            self.source_type,
            id,
            joined(title, words(article, "description")),
            words(article, "url"),
            present(
                title=title,
                source_name=words(article, "source"),
                published_at=iso_utc(published),
                tags=", ".join(texts(article, "tags")) or None,
            ),
            tickers(texts(article, "tickers")),
            published,
        )
