"""The deployed sales system, through HTTP and with real tokens: every route does its work."""

import secrets
from typing import Any

import pytest

from lambdas.sales.openapi import document
from local.clients.api import Api
from local.guide import SALE
from local.samples.sales import YEAR
from tests.e2e.support.lists import listed
from tests.e2e.support.sales import key_of, new_sale


@pytest.fixture(scope="module")
def year(acme: Api) -> dict[str, Any]:
    """Twelve sales of a category, a brand and a product that no other test has."""
    own = secrets.token_hex(3)
    shared = {"category": f"yearly {own}", "brand": f"Kite & {own}", "productId": f"yearly-{own}"}
    sales = [new_sale(saleDate=f"{YEAR}-{m:02}-01", salePrice=m, **shared) for m in range(1, 13)]
    stored = acme("POST", "/sales/batch", {"sales": sales})
    assert (stored.status, stored.json) == (201, {"stored": 12, "replaced": 0, "unchanged": 0})
    return shared


def test_a_sale_is_stored_read_changed_and_removed(acme: Api) -> None:
    sale = new_sale()
    stored = acme("POST", "/sales", sale)
    assert stored.status == 201, stored.text
    assert stored.json["tenant"] == "acme"
    assert acme("POST", "/sales", sale).status == 200
    assert acme("GET", "/sale", **key_of(sale)).json == stored.json
    changed = acme("PATCH", "/sale", {"salePrice": 5}, **key_of(sale))
    assert (changed.status, changed.json["salePrice"]) == (200, 5)
    removed = acme("DELETE", "/sale", **key_of(sale))
    assert (removed.status, removed.text) == (204, "")
    assert acme("GET", "/sale", **key_of(sale)).status == 404


def test_what_is_wrong_is_said_and_nothing_is_stored(acme: Api) -> None:
    sale = new_sale(salePrice=-1)
    refused = acme("POST", "/sales", sale)
    assert refused.status == 400
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json["errors"] == [{"pointer": "/salePrice", "detail": "must not be negative"}]
    assert acme("GET", "/sale", **key_of(sale)).status == 404


@pytest.mark.parametrize(
    ("path", "by"),
    [
        ("/sales", "productId"),
        ("/embeddings", "productId"),
        ("/embeddings", None),
        ("/sales", "category"),
        ("/sales", "brand"),
    ],
)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_list_is_paged_to_its_end_in_order(
    acme: Api, year: dict[str, Any], path: str, by: str | None, order: str
) -> None:
    asked = {by: year[by]} if by else {}
    whole = list(listed(acme, path, **asked, order=order, limit=100))
    assert list(listed(acme, path, **asked, order=order, limit=5)) == whole
    dates = [item["saleDate"] for item in whole]
    assert len(dates) >= 12
    assert dates == sorted(dates, reverse=order == "desc")


def test_a_trend_sums_up_a_category(acme: Api, year: dict[str, Any]) -> None:
    trend = acme("GET", "/trend", category=year["category"], by="month")
    assert trend.status == 200, trend.text
    found = [(p["period"], p["count"], p["mean"]) for p in trend.json["periods"]]
    assert found == [(f"{YEAR}-{month:02}", 1, month) for month in range(1, 13)]


@pytest.mark.parametrize("name", ["AC/DC", "50%", "%2F", "a b", "Ünï?", "a+b", "x&y=z", '"', "a,b"])
def test_a_name_may_hold_any_text(acme: Api, name: str) -> None:
    sale = new_sale(brand=name)
    assert acme("POST", "/sales", sale).status == 201
    listed = acme("GET", "/sales", brand=name)
    assert [item["saleId"] for item in listed.json["items"]] == [sale["saleId"]]


@pytest.mark.parametrize(
    "id", ["prod/1", "SKU+1", "a b", "50%", "%2F", "Ünï?", "x&y=z", "..", "😀"]
)
def test_an_id_may_hold_any_text(acme: Api, id: str) -> None:
    sale = new_sale(productId=id, saleId=f"{id}-{secrets.token_hex(3)}")
    stored = acme("POST", "/sales", sale)
    assert stored.status == 201, stored.text
    assert acme("GET", "/sale", **key_of(sale)).json == stored.json
    assert stored.json in acme("GET", "/sales", productId=id, limit=100).json["items"]
    assert acme("DELETE", "/sale", **key_of(sale)).status == 204


def test_the_published_body_is_stored_once(acme: Api) -> None:
    body = {**SALE, "saleId": secrets.token_hex(3)}
    stored = acme("POST", "/sales", body)
    assert (stored.status, stored.json["saleId"]) == (201, body["saleId"])
    again = acme("POST", "/sales", body)
    assert (again.status, again.json) == (200, stored.json)


def test_the_document_describes_the_api_that_answers(acme: Api) -> None:
    assert acme("GET", "/openapi.json").json == document()


def test_an_unknown_address_is_not_found(acme: Api) -> None:
    assert acme("GET", "/nothing").status == 404
