"""Finnhub: news on companies, asked for by ticker (finnhub.io, version 1)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from lambdas.sentiment.sources.errors import BadAnswer
from lambdas.sentiment.sources.moments import unix_moment
from lambdas.sentiment.sources.source import (
    MAX_ITEMS,
    Feed,
    RawItem,
    count,
    fields_of,
    joined,
    needed,
    numeric_id,
    present,
    words,
)
from lambdas.sentiment.sources.tickers import asked_for, tickers
from lambdas.sentiment.sources.web import Web
from tablewright.model.fields.time import iso_utc

URL = "https://finnhub.io"

# How far back is asked for.
_SPAN = timedelta(days=2)


class Finnhub(Feed):
    """Finds the news of the last two days on tickers, one ticker after the other.

    `now` is the client's clock unless another is given.

    Example::

        Finnhub(Web(), token).fetch("AAPL,MSFT")
    """

    source_type = "finnhub"

    def __init__(
        self,
        web: Web,
        token: str,
        *,
        url: str = URL,
        max_items: int = MAX_ITEMS,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        super().__init__(max_items)
        self._web = web
        self._headers = {"X-Finnhub-Token": token}
        self._address = f"{url}/api/v1/company-news"
        self._now = now or web.now

    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        symbols = asked_for(query)
        today = self._now().astimezone(UTC).date()
        span = {"from": (today - _SPAN).isoformat(), "to": today.isoformat()}
        left = self._max_items
        for number, symbol in enumerate(symbols):
            # An equal part each of what is left: much news on one leaves room for the others.
            share = -(-left // (len(symbols) - number))
            asked = {"symbol": symbol, **span}
            news = _newest(self._web.get(self._address, asked, self._headers, deadline), share)
            yield from news
            left -= len(news)

    def _item(self, entry: Any) -> RawItem:
        news = fields_of(entry)
        id = numeric_id(news, "id")
        headline = needed(news, "headline")
        published = unix_moment(news, "datetime")
        return RawItem(
            self.source_type,
            id,
            joined(headline, words(news, "summary")),
            words(news, "url"),
            present(
                title=headline,
                source_name=words(news, "source"),
                published_at=iso_utc(published),
                category=words(news, "category"),
            ),
            tickers((words(news, "related") or "").split(",")),
            published,
        )


def _newest(answer: Any, most: int) -> list[Any]:
    """The newest entries of an answer, which comes whole and promises no order."""
    if not isinstance(answer, list):
        raise BadAnswer("finnhub answered something else than a list of news")
    return sorted(answer, key=_seconds, reverse=True)[:most]


def _seconds(entry: Any) -> int:
    return (count(entry, "datetime") if isinstance(entry, dict) else None) or 0
