"""The portal's OpenAPI document is valid and says what the APIs do."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from lambdas.contract import Route
from lambdas.errors import RequestError
from lambdas.http.bodies import changes, new_record
from lambdas.portal.content import openapi as openapi_content
from lambdas.portal.content.registry import CHANGEABLE, GIVEN
from lambdas.portal.content.requests import file_from
from lambdas.portal.contract import CONTENT_ROUTES, EVENT_ROUTES, INBOX_ROUTES
from lambdas.portal.events import openapi as openapi_events
from lambdas.portal.handlers import content_api, events_api, inbox_api
from lambdas.portal.inbox import openapi as openapi_inbox
from lambdas.portal.openapi import document
from tablewright.catalog.portal.content import MAX_FILE_BYTES, Content

DOCUMENT = document()
EXAMPLE = Content.__entity__.example
OURS = {name: EXAMPLE[name] for name in ("status", "owner_user_id", "version")} | {
    name: EXAMPLE[name] for name in ("created_at", "last_updated")
}
NEW = {"content_id": "c1", "title": "T", "summary": "S", "tags": ["a"]}
FILE = {"file_name": "a", "content_type": "a/b", "size_bytes": 1, "sha256": "0" * 64}


def valid(schema: str, value: Any) -> bool:
    resolved = {**DOCUMENT["components"]["schemas"][schema], "components": DOCUMENT["components"]}
    return bool(Draft202012Validator(resolved).is_valid(value))


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


@pytest.mark.parametrize(
    ("api", "routes"),
    [(content_api, CONTENT_ROUTES), (inbox_api, INBOX_ROUTES), (events_api, EVENT_ROUTES)],
)
def test_a_handler_serves_its_routes(api: Any, routes: tuple[Route, ...]) -> None:
    found = [*api.app._static_routes, *api.app._dynamic_routes]
    served = {(r.method, r.path.replace("<", "{").replace(">", "}")) for r in found}
    assert served == set(routes)


def test_no_part_takes_a_name_of_another() -> None:
    parts = (openapi_content, openapi_inbox, openapi_events)
    for kind in ("OPERATIONS", "SCHEMAS"):
        names = [name for part in parts for name in getattr(part, kind)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"title": None},
        {"tags": ["x" * 51]},
        {"tags": ["a"] * 21},
        {"product_suite": "a#b"},
        {"content_id": "a/b"},
        {"status": "Gone"},
        {"colour": "red"},
    ],
)
def test_content_that_is_refused_is_not_valid_by_the_document(change: dict[str, Any]) -> None:
    assert valid("NewContent", NEW)
    assert new_record(Content, NEW, GIVEN, OURS, lambda _: [])
    assert not valid("NewContent", {**NEW, **change})
    ours = {name: value for name, value in OURS.items() if name not in change}
    with pytest.raises(RequestError):
        new_record(Content, {**NEW, **change}, GIVEN, ours, lambda _: [])


@pytest.mark.parametrize(
    ("body", "sound"),
    [
        ({"title": "x"}, True),
        ({"product_suite": None}, True),
        ({"title": None}, False),
        ({"content_id": "x"}, False),
        ({}, False),
    ],
)
def test_changes_are_valid_by_the_document_if_they_are_taken(
    body: dict[str, Any], sound: bool
) -> None:
    assert valid("ContentChange", body) == sound
    try:
        taken = bool(changes(Content, body, CHANGEABLE, lambda _: []))
    except RequestError:
        taken = False
    assert taken == sound


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"size_bytes": MAX_FILE_BYTES},
        {"size_bytes": 0},
        {"size_bytes": MAX_FILE_BYTES + 1},
        {"content_type": "A/b"},
        {"sha256": "0" * 65},
        {"file_name": ""},
        {"version": "1"},
    ],
)
def test_files_are_valid_by_the_document_if_they_are_taken(change: dict[str, Any]) -> None:
    try:
        taken = bool(file_from({**FILE, **change}))
    except RequestError:
        taken = False
    assert valid("NewFile", {**FILE, **change}) == taken


def test_the_example_of_the_design_is_an_answer_by_the_document() -> None:
    assert valid("Content", EXAMPLE)
