"""The OpenAPI document of the dashboard is valid and says what the API does."""

import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from lambdas.sentiment import contract
from lambdas.sentiment.handlers import api, ingest, news_api
from lambdas.sentiment.ingestion.items import MAX_ITEMS, offered
from lambdas.sentiment.openapi import document
from tablewright.model import InvalidRecord
from toolchain.paths import ROOT

DOCUMENT = document()
MOMENT = "2025-11-16T14:30:15.000Z"


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


def test_the_document_and_the_routes_are_the_same() -> None:
    documented = {(method.upper(), p) for p, item in DOCUMENT["paths"].items() for method in item}
    apps = (api.app, ingest.app, news_api.app)
    served = {
        (r.method, r.path) for app in apps for r in (*app._static_routes, *app._dynamic_routes)
    }
    assert served | {("GET", contract.PAGE_CONFIG.path)} == documented


def test_the_document_needs_no_more_than_the_function_that_serves_it_has() -> None:
    served_by = {"CURSOR_SECRET_ARN": "arn", "DASHBOARD_TABLE": "table"}
    command = [sys.executable, "-c", "from lambdas.sentiment import openapi; openapi.document()"]
    environment = {"PYTHONPATH": str(ROOT), "AWS_DEFAULT_REGION": "eu-west-1", **served_by}
    made = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def test_only_the_settings_of_the_page_need_no_token() -> None:
    assert DOCUMENT["security"] == [{"token": []}]
    unlocked = {
        p for p, item in DOCUMENT["paths"].items() for o in item.values() if "security" in o
    }
    assert unlocked == {"/config.json"}


def valid(schema: str, value: Any) -> bool:
    resolved = {**DOCUMENT["components"]["schemas"][schema], "components": DOCUMENT["components"]}
    return bool(Draft202012Validator(resolved).is_valid(value))


def new_item(**changes: Any) -> dict[str, Any]:
    return {
        "source_id": "reddit#post-1",
        "source_type": "reddit",
        "text": "So good!",
        "source_url": "https://example.com/1",
        "matched_tags": ["AI"],
        "metadata": {"author": "ada", "upvotes": 3},
        **changes,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"source_url": None, "matched_tags": None, "metadata": None},
        {"matched_tags": []},
        {"metadata": {}},
        {"text": "x" * 10_000},
        {"text": None},
        {"text": " "},
        {"text": None, "text_snippet": "x" * 300},
        {"source_url": ""},
        {"sentiment": "positive", "score": 0.85, "model_version": "v1.0.0"},
        {"sentiment": None},
        {"score": 1},
        {"metadata": {"published_at": "2025-11-16T10:00:00Z"}},
        {"source_id": "reddit#" + "x" * 249},
    ],
)
def test_what_is_taken_is_valid_by_the_document(changes: dict[str, Any]) -> None:
    offered(new_item(**changes), MOMENT)
    assert valid("NewItem", new_item(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"text": 5},
        {"text_snippet": 5},
        {"sentiment": "happy", "model_version": "v1.0.0"},
        {"sentiment": "positive"},
        {"sentiment": "positive", "model_version": None},
        {"score": 1.5},
        {"score": "0.5"},
        {"model_version": "1.0"},
        {"source_id": "reddit#"},
        {"source_id": "reddit#" + "x" * 250},
        {"source_id": "Reddit#1"},
        {"source_id": None},
        {"source_type": "rss"},
        {"source_url": "http://example.com"},
        {"matched_tags": list("abcdef")},
        {"matched_tags": ["a|b"]},
        {"metadata": []},
        {"status": "analyzed"},
    ],
)
def test_what_is_refused_is_not_valid_by_the_document(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidRecord):
        offered(new_item(**changes), MOMENT)
    assert not valid("NewItem", new_item(**changes))


def test_a_batch_has_one_to_a_hundred_items() -> None:
    for count in (1, MAX_ITEMS):
        assert valid("NewItems", {"items": [new_item()] * count})
    for count in (0, MAX_ITEMS + 1):
        assert not valid("NewItems", {"items": [new_item()] * count})


@pytest.mark.parametrize("schema", ["ItemPage", "RejectedPage", "Summary"])
def test_every_answer_with_data_must_say_how_old_it_may_be(schema: str) -> None:
    shape = DOCUMENT["components"]["schemas"][schema]
    assert "stale_seconds" in shape["required"]
    assert shape["properties"]["stale_seconds"]["type"] == "integer"
