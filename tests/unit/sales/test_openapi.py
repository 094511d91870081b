"""The OpenAPI document is valid and says what the API does."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from lambdas.sales.contract import ROUTES
from lambdas.sales.handlers.api import app
from lambdas.sales.openapi import document
from lambdas.sales.rules import Defaults, sale_from
from tablewright.catalog.sales.design import Sale

DOCUMENT = document()
NOW = datetime(2025, 1, 1, tzinfo=UTC)


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


def test_every_route_of_the_contract_is_served_and_no_other() -> None:
    routes = [*app._static_routes, *app._dynamic_routes]
    assert {(r.method, r.path.replace("<", "{").replace(">", "}")) for r in routes} == {*ROUTES}


def valid(schema: str, value: Any) -> bool:
    resolved = {**DOCUMENT["components"]["schemas"][schema], "components": DOCUMENT["components"]}
    return bool(Draft202012Validator(resolved).is_valid(value))


def new_sale(**changes: Any) -> dict[str, Any]:
    given = {Sale.__entity__.by_name[n].stored: v for n, v in Sale.__entity__.example.items()}
    for ours in ("tenant", "createdAt", "updatedAt"):
        del given[ours]
    values = {name: float(v) if isinstance(v, Decimal) else v for name, v in given.items()}
    return {**values, **changes}


def test_the_example_is_a_valid_new_sale() -> None:
    assert valid("NewSale", new_sale())


def test_the_published_body_is_a_valid_new_sale() -> None:
    names = ("productId", "saleId", "originalPrice", "category", "brand")
    body = {name: new_sale()[name] for name in names}
    assert valid("NewSale", {**body, "price": 99.99})
    assert not valid("NewSale", body)
    assert not valid("Batch", {"sales": [{**body, "price": 99.99}]})
    assert valid("Batch", {"sales": [{**body, "price": 99.99, "saleDate": "2025-12-29"}]})


@pytest.mark.parametrize("name", ["brand", "season", "saleDate", "embeddingId", "embeddingS3Key"])
def test_what_may_be_left_out_may_be_null(name: str) -> None:
    sale = new_sale(**{name: None})
    assert valid("NewSale", sale)
    defaults = Defaults("acme", NOW, "embeddings")
    stored = sale_from({**sale, "salePrice": 1, "originalPrice": 1}, defaults)
    without = {key: value for key, value in sale.items() if key != name}
    assert stored == sale_from({**without, "salePrice": 1, "originalPrice": 1}, defaults)


def test_whoever_has_no_token_is_refused_by_the_gateway() -> None:
    for item in DOCUMENT["paths"].values():
        for operation in (one for name, one in item.items() if name != "parameters"):
            assert operation["responses"]["401"]["content"].keys() == {"application/json"}
            assert operation["responses"]["403"]["content"].keys() == {"application/problem+json"}


def test_a_sale_may_not_exist() -> None:
    for method, operation in DOCUMENT["paths"]["/sale"].items():
        assert ("404" in operation["responses"]) == (method != "delete")


@pytest.mark.parametrize(
    "changes", [{"salePrice": -1}, {"season": "AUTUMN"}, {"color": "red"}, {"saleId": ""}]
)
def test_what_the_api_refuses_the_document_refuses(changes: dict[str, Any]) -> None:
    assert not valid("NewSale", new_sale(**changes))
