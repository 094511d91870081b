"""The rules of a sale, as the API applies them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lambdas.errors import InvalidRequest, RequestError, TooMuch
from lambdas.sales.rules import GIVEN, batch_from, changes_from, sale_from
from tablewright.catalog.sales.design import season_of
from tablewright.model import Expiry

NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)

BODY = {
    "productId": "prod_123",
    "saleId": "sale_abc",
    "saleDate": "2025-12-29",
    "salePrice": Decimal("99.99"),
    "originalPrice": 200,
    "category": "dress",
    "brand": "Nike",
    "embeddingId": "emb_xyz",
    "embeddingS3Key": "s3://bucket/carousel-labs/products/prod_123/sales/sale_abc.json",
}
OTHER = f"is not one of {', '.join(field.label for field in GIVEN)}"
ID = "must be letters, digits and . _ ~ : @ -, beginning with a letter or digit"


def refused(body: Any) -> dict[str, str]:
    with pytest.raises(RequestError) as problem:
        sale_from(body, "acme", NOW)
    assert isinstance(problem.value, InvalidRequest)
    return dict(problem.value.errors)


def test_a_sale_gets_tenant_times_and_season_from_us() -> None:
    sale = sale_from(BODY, "acme", NOW)
    assert sale["tenant"] == "acme"
    assert sale["created_at"] == sale["updated_at"] == "2025-12-29T10:15:00.000Z"
    assert sale["season"] == "WINTER"
    assert sale["original_price"] == Decimal("200.00")


@pytest.mark.parametrize(
    ("months", "season"),
    [((3, 4, 5), "SPRING"), ((6, 7, 8), "SUMMER"), ((9, 10, 11), "FALL"), ((12, 1, 2), "WINTER")],
)
def test_seasons_are_the_northern_meteorological_ones(months: tuple[int, ...], season: str) -> None:
    assert {season_of(f"2025-{month:02}-15") for month in months} == {season}


def test_a_stage_that_keeps_sales_longer_takes_older_ones() -> None:
    old = {**BODY, "saleDate": "2020-01-31"}
    assert "saleDate" in str(refused(old))
    assert sale_from(old, "acme", NOW, Expiry("sale_date", years=7)).sale_date == "2020-01-31"


def test_a_given_season_is_kept() -> None:
    assert sale_from({**BODY, "season": "SUMMER"}, "acme", NOW)["season"] == "SUMMER"


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("salePrice", Decimal("1.001"), "must have at most two decimals"),
        ("salePrice", Decimal("-1"), "must not be negative"),
        ("salePrice", Decimal("100000000.00"), "must be at most 99999999.99"),
        ("salePrice", "5", "must be a number"),
        ("saleDate", "2025-02-29", "must be a day that exists"),
        ("saleId", "a#b", ID),
        ("productId", "a/b", ID),
        ("productId", "..", ID),
        ("category", "a#b", "must not contain '#'"),
        ("brand", "", "must have 1 to 128 characters that are not blank"),
        ("season", "AUTUMN", "must be one of SPRING, SUMMER, FALL, WINTER"),
        ("embeddingS3Key", "http://x/y", "must be an S3 address, s3://bucket/key"),
        ("color", "red", OTHER),
        ("tenant", "other", "cannot be given here"),
        ("createdAt", "2025-12-29T10:15:00.000Z", "cannot be given here"),
        ("GSI1PK", "x", OTHER),
        ("productId", None, "is required"),
    ],
)
def test_a_wrong_field_is_named_with_its_reason(field: str, value: Any, reason: str) -> None:
    assert refused({**BODY, field: value}) == {f"/{field}": reason}


@pytest.mark.parametrize("body", [None, [], "sale", 5])
def test_what_is_no_object_is_no_sale(body: Any) -> None:
    assert refused(body) == {"": "must be an object"}


def test_a_bad_batch_says_which_entries_are_wrong() -> None:
    bad = {**BODY, "saleId": "b", "salePrice": Decimal("-1")}
    with pytest.raises(RequestError) as problem:
        batch_from({"sales": [BODY, bad, {**BODY}, {**BODY, "saleId": ""}]}, "acme", NOW)
    assert dict(problem.value.errors) == {
        "/sales/1/salePrice": "must not be negative",
        "/sales/2": "is the same sale as /sales/0",
        "/sales/3/saleId": "must have 1 to 128 characters",
    }
    assert "nothing was stored" in problem.value.detail


@pytest.mark.parametrize("body", [None, {}, {"sales": []}, {"sales": {}}, {"sales": [1], "x": 1}])
def test_what_is_no_batch_is_refused(body: Any) -> None:
    with pytest.raises(RequestError):
        batch_from(body, "acme", NOW)


def test_too_large_a_batch_is_refused() -> None:
    with pytest.raises(RequestError) as problem:
        batch_from({"sales": [BODY] * 5001}, "acme", NOW)
    assert isinstance(problem.value, TooMuch)


def test_a_change_may_remove_the_brand_and_moves_the_time_of_update() -> None:
    assert changes_from({"brand": None}, NOW) == {
        "brand": None,
        "updated_at": "2025-12-29T10:15:00.000Z",
    }


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"saleId": "x"}, {"/saleId": "cannot be given here"}),
        ({"category": None}, {"/category": "is required"}),
        ({"tenant": "x"}, {"/tenant": "cannot be given here"}),
        ({}, {"": "must name at least one field to change"}),
        ([], {"": "must be an object"}),
    ],
)
def test_a_wrong_change_is_refused(body: Any, errors: dict[str, str]) -> None:
    with pytest.raises(RequestError) as problem:
        changes_from(body, NOW)
    assert dict(problem.value.errors) == errors
