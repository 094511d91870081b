"""The OpenAPI document of the admin API is valid and says what the API does."""

from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from lambdas.errors import RequestError
from lambdas.forms.admin.openapi import document
from lambdas.forms.destinations.settings import SETTINGS, check_settings
from lambdas.forms.handlers.admin import app
from lambdas.forms.tenants.configuration import tenant_from
from lambdas.http.bodies import new_record
from tablewright.catalog.forms.tenants import DESTINATION_TYPES, Destination, TenantConfig

DOCUMENT = document()
NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


def test_the_document_and_the_routes_are_the_same() -> None:
    documented = {
        (method.upper(), path)
        for path, item in DOCUMENT["paths"].items()
        for method in item
        if method != "parameters"
    }
    routes = [*app._static_routes, *app._dynamic_routes]
    served = {(r.method, r.path.replace("<", "{").replace(">", "}")) for r in routes}
    assert served == documented


def test_every_list_has_cursors() -> None:
    pages = {
        path: item["get"]
        for path, item in DOCUMENT["paths"].items()
        if "get" in item and "Page" in str(item["get"]["responses"]["200"])
    }
    assert len(pages) == 8
    for path, listed in pages.items():
        names = {parameter["name"] for parameter in listed["parameters"]}
        assert names >= {"limit", "cursor"}, path
        schema = listed["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        shape = DOCUMENT["components"]["schemas"][schema.rpartition("/")[2]]
        assert shape["required"] == ["items", "next_cursor"]


def test_every_type_of_destination_has_settings() -> None:
    assert set(SETTINGS) == set(DESTINATION_TYPES)


def valid(schema: str, value: Any) -> bool:
    resolved = {**DOCUMENT["components"]["schemas"][schema], "components": DOCUMENT["components"]}
    return bool(Draft202012Validator(resolved).is_valid(value))


NEW = {"destination_id": "crm", "destination_type": "webhook"}
HOOK = {"url": "https://crm.example.com/hooks"}
SOUND = [
    ("webhook", HOOK),
    ("email", {"to": ["ada@example.com"]}),
    ("s3", {"bucket": "acme-forms", "prefix": "in/", "account": "111122223333"}),
    ("eventbridge", {}),
    ("eventbridge", {"bus": "arn:aws:events:eu-west-1:111122223333:event-bus/forms"}),
]
UNSOUND = [
    ("webhook", {}),
    ("webhook", {"url": "http://crm.example.com"}),
    ("webhook", {**HOOK, "key_id": "k1"}),
    ("email", {"to": []}),
    ("email", {"to": "ada@example.com"}),
    ("email", {"to": ["ada@example.com"] * 11}),
    ("s3", {"bucket": "A"}),
    ("s3", {"prefix": "in/"}),
    ("s3", {"bucket": "acme-forms", "account": "1"}),
    ("eventbridge", {"bus": "a bus"}),
    ("eventbridge", HOOK),
]


@pytest.mark.parametrize(("kind", "settings"), SOUND)
def test_settings_that_are_taken_are_valid_by_the_document(
    kind: str, settings: dict[str, Any]
) -> None:
    assert check_settings(kind, settings) == []
    assert valid("NewDestination", {**NEW, "destination_type": kind, "settings": settings})
    assert valid("DestinationChange", {"settings": settings})


@pytest.mark.parametrize(("kind", "settings"), UNSOUND)
def test_settings_that_are_refused_are_not_valid_by_the_document(
    kind: str, settings: dict[str, Any]
) -> None:
    assert check_settings(kind, settings)
    assert not valid("NewDestination", {**NEW, "destination_type": kind, "settings": settings})


@pytest.mark.parametrize(
    "changes", [{"tenant_id": "a#b"}, {"name": None}, {"forms": {"a": 5}}, {"state": "active"}]
)
def test_tenants_that_are_refused_are_not_valid_by_the_document(changes: dict[str, Any]) -> None:
    sound = {"tenant_id": "acme", "name": "Acme", "forms": {"a": {"destinations": ["crm"]}}}
    assert valid("NewTenant", sound)
    assert tenant_from(sound, NOW)["forms"] == sound["forms"]
    bad = {**sound, **changes}
    assert not valid("NewTenant", bad)
    with pytest.raises(RequestError):
        tenant_from(bad, NOW)


def test_the_examples_of_the_design_are_answers_by_the_document() -> None:
    assert valid("Config", TenantConfig.__entity__.example)
    assert valid("Destination", Destination.__entity__.example)
    record = new_record(
        TenantConfig,
        dict(TenantConfig.__entity__.example),
        TenantConfig.__entity__.by_name,
        {},
        lambda _: [],
    )
    assert record == TenantConfig.__entity__.example
