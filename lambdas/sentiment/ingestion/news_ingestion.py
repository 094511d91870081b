"""Ingestion of news: each article is stored once, and its analysis asked for.

An article is stored before its analysis is asked for. Whoever is interrupted between the two leaves
an article that waits, and healing asks for it: nothing more is needed.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.sentiment.analysis import news_request
from lambdas.sentiment.ingestion.articles import article
from lambdas.sentiment.ingestion.outcome import Outcome, Rejection, put_rejected, source_of
from lambdas.sentiment.sources import RawItem
from tablewright.catalog.news.design import MAX_TICKERS, News, NewsItem
from tablewright.model import Expiry, InvalidRecord, replaced
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound, StoreError
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.parallel import try_in_parallel
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store

# Pollers at the same time name different companies of one article.
_RACE = Backoff(attempts=10, first=0.02, longest=1.0)


class _Sorted(NamedTuple):
    """A batch by what is to become of it."""

    sound: dict[str, NewsItem]
    rejected: list[Rejection]
    repeated: int
    expired: int


class NewsIngestion:
    """Takes batches of raw news into the table of news."""

    def __init__(self, news: Store, dashboard: Store, requests: Topic) -> None:
        self._news = news
        self._expiry = news.design.entities[NewsItem.__entity__.name].expires
        self._dashboard = dashboard
        self._requests = requests

    @staticmethod
    def raw(found: RawItem) -> dict[str, Any]:
        """What a source found, as it is offered."""
        published = found.published and iso_utc(found.published)
        link = {"source_url": found.source_url} if found.source_url else {}
        return {
            "source_id": f"{found.source_type}:{found.stable_id}",
            "source_type": found.source_type,
            "timestamp": published,
            "text_for_analysis": found.text,
            "matched_tickers": list(found.tickers),
            "metadata": {**found.metadata, **link},
        }

    def ingest(self, batch: Iterable[Any], moment: str) -> Outcome:
        """Store what is sound and new at this moment, and ask for its analysis.

        What is known gets the companies that are new to it. What could not be asked for stays
        pending, for healing to find.
        """
        found = _sorted(batch, moment, self._expiry)
        keys = [{"source_id": source_id} for source_id in found.sound]
        known = {one.source_id: one for one in self._news.get_many(News.get_many_news, keys)}
        results = try_in_parallel(
            lambda one: self._write(one, known.get(one.source_id)),
            found.sound.values(),
        )
        failures = tuple(one for one in results if isinstance(one, StoreError))
        new = [one for one in results if isinstance(one, NewsItem)]
        self._requests.offer([news_request(one) for one in new])
        duplicates = len(found.sound) - len(new) - len(failures) + found.repeated
        return Outcome(len(new), duplicates, found.rejected, found.expired, failures)

    def put_rejected(self, rejected: Iterable[Rejection], moment: str) -> None:
        """Keep what was rejected where an operator can see it."""
        put_rejected(self._dashboard, rejected, moment)

    def _write(self, one: NewsItem, known: NewsItem | None) -> NewsItem | None:
        """Store an article; gives it when it is new."""
        if known is None:
            try:
                return self._news.put(News.put_news, one)
            except AlreadyExists:
                known = self._again(one)
        self._add_tickers(known, one.matched_tickers)
        return None

    def _add_tickers(self, known: NewsItem | None, tickers: tuple[str, ...]) -> None:
        for _ in _RACE:
            merged = _merged(known.matched_tickers, tickers) if known else ()
            if known is None or merged == known.matched_tickers:
                return
            expected = {"matched_tickers": known.matched_tickers}
            try:
                self._news.update(
                    News.add_tickers, known, {"matched_tickers": merged}, when=expected
                )
                return
            except NotFound:
                return
            except Conflict:
                known = self._again(known)
        raise Conflict("other writers changed the companies of an article on every attempt")

    def _again(self, one: NewsItem) -> NewsItem | None:
        return self._news.get(News.get_news, source_id=one.source_id)


def _sorted(batch: Iterable[Any], moment: str, expiry: Expiry | None) -> _Sorted:
    sound: dict[str, NewsItem] = {}
    rejected: list[Rejection] = []
    repeated = expired = 0
    for position, raw in enumerate(batch):
        try:
            one = article(raw, moment)
        except InvalidRecord as error:
            problems = tuple((p.field, p.reason) for p in error.problems)
            rejected.append(Rejection(position, source_of(raw), raw, problems))
            continue
        if _has_expired(one, moment, expiry):
            expired += 1
            continue
        first = sound.setdefault(one.source_id, one)
        if first is not one:
            # A source that is asked company by company gives an article once for each.
            repeated += 1
            tickers = _merged(first.matched_tickers, one.matched_tickers)
            sound[one.source_id] = replaced(first, matched_tickers=tickers)
    return _Sorted(sound, rejected, repeated, expired)


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))[:MAX_TICKERS]


def _has_expired(one: NewsItem, moment: str, expiry: Expiry | None) -> bool:
    """Whether an article is older than what is kept: it would be stored anew at each poll."""
    return expiry is not None and expiry.at(one.timestamp) <= _seconds(moment)


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
