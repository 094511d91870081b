"""What is published for news that wait for their analysis, at first and again."""

import json

from lambdas.sentiment.model import MODEL_VERSION
from tablewright.designs import Record
from tablewright.designs.financial_news import NEWS, news_healing
from tablewright.runtime.healing import Healing, Rules
from tablewright.runtime.store import Store
from tablewright.runtime.topic import Message, Topic

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
