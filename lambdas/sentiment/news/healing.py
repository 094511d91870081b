"""What is published for news that wait for their analysis, at first and again."""

import json

from lambdas.sentiment.model import MODEL_VERSION
from tablewright.catalog.news.design import NEWS, news_healing
from tablewright.model import Record
from tablewright.runtime.healing.healing import Healing, Rules
from tablewright.runtime.messaging.topic import Message, Topic
from tablewright.runtime.store.store import Store

PLAN = news_healing(NEWS)


def healing(store: Store, topic: Topic, rules: Rules | None = None) -> Healing:
    """What heals the table of news."""
    return Healing(store, topic, PLAN, request=request, rules=rules)


def request(item: Record) -> Message:
    """The analysis request for an item."""
    body = {
        "source_id": item["source_id"],
        "source_type": item["source_type"],
        "text_for_analysis": item["text_for_analysis"],
        "model_version": MODEL_VERSION,
        "matched_tickers": item["matched_tickers"],
        "timestamp": item["timestamp"],
    }
    return Message(json.dumps(body), {"source_type": item["source_type"]})
