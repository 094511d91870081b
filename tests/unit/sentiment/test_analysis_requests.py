"""Requests for analyses, as they were published."""

import json
from typing import Any

from lambdas.sentiment.analysis import news_request
from tablewright.catalog.news.design import NewsItem
from tablewright.runtime.messaging.topic import Topic

ARTICLE = NewsItem(
    source_id="finnhub:137825212",
    timestamp="2025-12-19T20:14:12Z",
    status="pending",
    source_type="finnhub",
    text_for_analysis="Company XYZ reports record earnings...",
    matched_tickers=("XYZ",),
)


class Sns:
    """Takes whatever is published."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "PublishBatch"
        self.entries += params["PublishBatchRequestEntries"]
        return {"Successful": [], "Failed": []}


def test_a_request_for_news_has_the_published_parts_and_attribute() -> None:
    sns = Sns()
    assert Topic(sns, "arn:of-the-topic").offer([news_request(ARTICLE)]) == [None]
    (entry,) = sns.entries
    sent = json.loads(entry["Message"])
    assert sent.pop("model_version").startswith("v")
    assert sent == {
        "source_id": "finnhub:137825212",
        "source_type": "finnhub",
        "text_for_analysis": "Company XYZ reports record earnings...",
        "matched_tickers": ["XYZ"],
        "timestamp": "2025-12-19T20:14:12Z",
    }
    assert entry["MessageAttributes"] == {
        "source_type": {"DataType": "String", "StringValue": "finnhub"}
    }
