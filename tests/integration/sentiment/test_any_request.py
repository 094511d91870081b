"""Whatever is sent to the sentiment APIs is answered, and never by a 500."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from lambdas.sentiment.handlers import api, ingest, news_api
from tablewright.model import InvalidValue
from tests.integration.anything import ANY_REQUESTS, Sample, answered, bodies, events, not_asked
from tests.integration.http import Context
from tests.integration.sentiment.conftest import World, item
from tests.integration.sentiment.http import ADA, CONTRACT, READER, Http
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.test_news_api import NewsHttp

RAW = {
    "source_id": "reddit#post-1",
    "source_type": "reddit",
    "source_url": "https://example.com/1",
    "text": "So good!",
    "matched_tags": ["AI"],
    "metadata": {"author": "ada", "votes": 5, "more": {"a": [1, None, "x"]}},
}
SOUND = {**RAW, "source_id": "reddit#sound"}
SAMPLES = [
    Sample("POST", "/items", {"items": [RAW, {**RAW, "source_id": "reddit#post-2"}]}),
    Sample("POST", "/items", {"items": [RAW]}),
    Sample("GET", "/items", query={"tag": "AI", "sentiment": "positive"}),
    Sample("GET", "/items", query={"since": NOW.isoformat(), "limit": "5"}),
    Sample("GET", "/summary", query={"hours": "24"}),
    Sample("GET", "/rejected", query={"day": NOW.date().isoformat()}),
    Sample("GET", "/openapi.json"),
    Sample("GET", "/config.json"),
]
NEWS = [
    Sample("GET", "/news", query={"sentiment": "positive"}),
    Sample("GET", "/news", query={"limit": "5"}),
    Sample("GET", "/news/events", query={"sentiment": "positive"}),
]


@pytest.fixture
def http(world: World, monkeypatch: pytest.MonkeyPatch) -> Http:
    world.put(*(item(number) for number in range(5)))
    world.project()
    return Http(world, monkeypatch)


def test_every_route_is_among_the_samples() -> None:
    assert not_asked(CONTRACT, [*SAMPLES, *NEWS]) == set()


@ANY_REQUESTS
@given(event=events(CONTRACT, SAMPLES, [ADA, ADA, READER, {}]))
def test_any_request_is_answered(http: Http, event: dict[str, Any]) -> None:
    post = event["requestContext"]["http"]["method"] == "POST"
    answered(ingest.handler if post else api.handler, event)


@ANY_REQUESTS
@given(event=events(CONTRACT, NEWS, [ADA, READER, {}]))
def test_any_request_for_news_is_answered(
    world: World, monkeypatch: pytest.MonkeyPatch, event: dict[str, Any]
) -> None:
    NewsHttp(world, monkeypatch)
    answered(news_api.handler, event)


def as_lambda_reads(text: str) -> Any:
    """What Lambda makes of an event's JSON: floats, of which large ones are infinite."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@ANY_REQUESTS
@given(text=bodies({"items": [RAW, {**RAW, "source_id": "reddit#post-3"}]}))
def test_any_event_is_taken_or_refused_in_words(http: Http, text: str) -> None:
    event = as_lambda_reads(text)
    if isinstance(event, dict):
        with suppress(InvalidValue):
            ingest.handler(event, Context())


@ANY_REQUESTS
@given(strange=bodies(RAW))
def test_a_strange_item_of_an_event_costs_no_other(http: Http, world: World, strange: str) -> None:
    world.clear_items()
    ingest.handler({"items": [as_lambda_reads(strange), SOUND]}, Context())
    assert SOUND["source_id"] in {one["source_id"]["S"] for one in world.stored()}
