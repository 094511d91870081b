"""Which news are stale, and what is published for them."""

import json

from tablewright.designs import Record
from tablewright.designs.financial_news import NEWS
from tablewright.designs.sentiment_items import PENDING
from tablewright.runtime.healing import Healing, Patterns, Rules
from tablewright.runtime.store import Store
from tablewright.runtime.topic import Message, Topic

PATTERNS = Patterns(NEWS.pending_news, NEWS.get_many_news, NEWS.mark_healing)


def healing(store: Store, topic: Topic, model_version: str, rules: Rules | None = None) -> Healing:
    """What heals the table of news."""
    return Healing(
        store,
        topic,
        PATTERNS,
        where={"status": PENDING},
        is_stale=is_stale,
        request=lambda item: request(item, model_version),
        rules=rules,
    )


def is_stale(item: Record) -> bool:
    """Whether an item is still to be analysed: the index that found it lags behind the table."""
    return item["status"] == PENDING and "sentiment" not in item


def request(item: Record, model_version: str) -> Message:
    """The analysis request for an item."""
    body = {
        "source_id": item["source_id"],
        "source_type": item["source_type"],
        "text_for_analysis": item["text_for_analysis"],
        "model_version": model_version,
        "matched_tickers": item["matched_tickers"],
        "timestamp": item["timestamp"],
    }
    return Message(json.dumps(body), {"source_type": item["source_type"]})
