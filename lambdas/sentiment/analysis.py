"""Analysis: its requests, and their results, recorded once however often they are asked for.

A request travels through the topic and the queue as JSON; it is written and read here alone.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from lambdas.sentiment.sentiment_model import MODEL_VERSION, Model
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.catalog.news.design import News, NewsItem, news_healing
from tablewright.catalog.sentiment.items import ANALYZED, PENDING, SOURCE_TYPES, Item, Items
from tablewright.catalog.sentiment.validation import exact_score
from tablewright.model import Table, Update
from tablewright.model.fields.time import iso_utc
from tablewright.runtime import strict_json
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.messaging.topic import Message
from tablewright.runtime.store.store import Store


class BadRequest(ValueError):
    """A message that is no analysis request; repeating it will not help."""


class Kind(NamedTuple):
    """What can be analysed: where it is kept, its key in a request, and the states it waits in.

    `done` are the fields that tell that it is analysed, `stamped` the one that says when.
    """

    table: type[Table]
    pattern: Update[Any]
    key: tuple[str, ...]
    waits: tuple[Mapping[str, Any], ...]
    done: Mapping[str, Any]
    stamped: str | None = None


HEALING = news_healing(News)
ITEM_KIND = Kind(
    Items,
    Items.record_analysis,
    ("source_id", "ingested_at"),
    ({"status": PENDING},),
    {"status": ANALYZED},
)
# Parked news were asked for too often, and may still be answered.
NEWS_KIND = Kind(
    News,
    News.record_analysis,
    ("source_id",),
    (HEALING.pending, HEALING.parked),
    HEALING.done,
    stamped="analyzed_at",
)
KINDS = {**dict.fromkeys(SOURCE_TYPES, ITEM_KIND), **dict.fromkeys(NEWS_SOURCES, NEWS_KIND)}


class Request(NamedTuple):
    """Something to be analysed, and by which text."""

    kind: Kind
    key: dict[str, Any]
    text: str

    @classmethod
    def parse(cls, body: str) -> "Request":
        try:
            message = strict_json.parse(body)
            kind = KINDS[message["source_type"]]
            request = cls(
                kind, {name: message[name] for name in kind.key}, message["text_for_analysis"]
            )
        except (ValueError, KeyError, TypeError) as error:
            raise BadRequest(f"not an analysis request: {error}") from None
        if not all(isinstance(part, str) for part in (*request.key.values(), request.text)):
            raise BadRequest("not an analysis request: its parts must be texts")
        return request


def item_request(item: Item, text: str) -> Message:
    """The request for the analysis of an item, which keeps only the beginning of its text."""
    return _message(item, text)


def news_request(article: NewsItem) -> Message:
    """The request for the analysis of an article, at first and again."""
    return _message(
        article,
        article.text_for_analysis,
        model_version=MODEL_VERSION,
        matched_tickers=article.matched_tickers,
        timestamp=article.timestamp,
    )


def _message(record: Item | NewsItem, text: str, **also: Any) -> Message:
    source_type = record.source_type
    key = {name: record[name] for name in KINDS[source_type].key}
    body = {**key, "source_type": source_type, "text_for_analysis": text, **also}
    return Message(json.dumps(body), {"source_type": source_type})


class Analysis:
    """Judges texts and records the judgement on their items and news."""

    def __init__(
        self,
        stores: Iterable[Store],
        model: Model,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._stores = {store.design.id: store for store in stores}
        self._model = model
        self._now = now

    def carry_out(self, request: Request) -> bool:
        """Analyze one item. Return False if it is not pending any more."""
        found: dict[str, Any] = asdict(self._model.assess(request.text))
        if request.kind is ITEM_KIND:
            return self.update_with_sentiment(**request.key, **found)
        return self._record(request.kind, request.key, found)

    def update_with_sentiment(
        self,
        source_id: str,
        ingested_at: str,
        sentiment: str,
        score: Decimal | float,
        model_version: str,
    ) -> bool:
        """Record the analysis of an item. Return False if the item is not pending, or deleted."""
        key = {"source_id": source_id, "ingested_at": ingested_at}
        found = {"sentiment": sentiment, "score": exact_score(score)}
        return self._record(ITEM_KIND, key, {**found, "model_version": model_version})

    def _record(self, kind: Kind, key: Mapping[str, str], found: Mapping[str, Any]) -> bool:
        changes = {**found, **kind.done}
        if kind.stamped:
            changes[kind.stamped] = iso_utc(self._now())
        store = self._stores[kind.table.__design__.id]
        for state in kind.waits:
            try:
                store.update(kind.pattern, key, changes, when=state)
            except NotFound:
                return False
            except Conflict as error:
                if not error.is_own(changes):
                    continue
            return True
        return False
