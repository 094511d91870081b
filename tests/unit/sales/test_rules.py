"""The rules of a sale, as the API applies them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lambdas.errors import InvalidRequest, RequestError, TooMuch
from lambdas.sales.rules import GIVEN, Defaults, batch_from, changes_from, sale_from
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
DEFAULTS = Defaults("acme", NOW, "embeddings")
OTHER = f"is not one of {', '.join(field.label for field in GIVEN)}"
ID = "must be text without '#' and without spaces at its ends"
UNPRINTABLE = "must not contain control characters, nor spaces other than U+0020"


def refused(body: Any) -> dict[str, str]:
    with pytest.raises(RequestError) as problem:
        sale_from(body, DEFAULTS)
    assert isinstance(problem.value, InvalidRequest)
    return dict(problem.value.errors)


def test_a_sale_gets_tenant_times_and_season_from_us() -> None:
    sale = sale_from(BODY, DEFAULTS).sale
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
    longer = DEFAULTS._replace(expires=Expiry("sale_date", years=7))
    assert sale_from(old, longer).sale.sale_date == "2020-01-31"


def test_a_given_season_is_kept() -> None:
    assert sale_from({**BODY, "season": "SUMMER"}, DEFAULTS).sale.season == "SUMMER"


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("salePrice", Decimal("1.001"), "must have at most two decimals"),
        ("salePrice", Decimal("-1"), "must not be negative"),
        ("salePrice", Decimal("100000000.00"), "must be at most 99999999.99"),
        ("salePrice", "5", "must be a number"),
        ("saleDate", "2025-02-29", "must be a day that exists"),
        ("saleId", "a#b", ID),
        ("productId", " a", ID),
        ("productId", "a\u202eb", UNPRINTABLE),  # right-to-left override
        ("productId", "a\u200bb", UNPRINTABLE),  # zero width space
        ("productId", "a\x00b", UNPRINTABLE),
        ("productId", "a" * 129, "must have 1 to 128 characters"),
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


def test_the_tenant_of_the_caller_may_be_repeated() -> None:
    assert sale_from({**BODY, "tenant": "acme"}, DEFAULTS) == sale_from(BODY, DEFAULTS)


WIDE_IDS = ["prod/1", "SKU+1", "a b", "50%", "Ünï", "商品", "..", "?&=", "f47ac10b", "😀"]


@pytest.mark.parametrize("id", WIDE_IDS)
def test_an_id_may_hold_any_visible_text(id: str) -> None:
    sale = sale_from({**BODY, "productId": id, "saleId": id}, DEFAULTS).sale
    assert (sale.product_id, sale.sale_id) == (id, id)


def published(**changes: Any) -> dict[str, Any]:
    """The body of the published handler."""
    names = ("productId", "saleId", "originalPrice", "category", "brand")
    body = {**{name: BODY[name] for name in names}, "price": Decimal("99.99"), **changes}
    return {name: value for name, value in body.items() if value is not ...}


def test_the_published_body_makes_a_whole_sale() -> None:
    sale, is_dated = sale_from(published(), DEFAULTS)
    assert (sale.sale_price, sale.sale_date, is_dated) == (Decimal("99.99"), "2025-12-29", False)
    assert sale.embedding_s3_key == "s3://embeddings/acme/products/prod_123/sales/sale_abc.json"


def test_the_embedding_id_follows_from_tenant_product_and_sale() -> None:
    ids = {
        sale_from(published(**changes), DEFAULTS._replace(tenant=tenant)).sale.embedding_id
        for tenant in ("acme", "bolt")
        for changes in ({}, {}, {"saleId": "b"}, {"productId": "b"}, {"price": 1, "brand": None})
    }
    assert len(ids) == 2 * 3


def test_no_two_sales_share_a_made_address() -> None:
    one = sale_from(published(productId="a/sales/b", saleId="c"), DEFAULTS).sale
    two = sale_from(published(productId="a", saleId="b/sales/c"), DEFAULTS).sale
    assert one.embedding_s3_key != two.embedding_s3_key


def test_a_sent_embedding_is_kept() -> None:
    sale = sale_from(BODY, DEFAULTS).sale
    assert (sale.embedding_id, sale.embedding_s3_key) == (
        BODY["embeddingId"],
        BODY["embeddingS3Key"],
    )


@pytest.mark.parametrize("absent", ["saleDate", "embeddingId", "embeddingS3Key", "season"])
def test_null_is_the_same_as_absent(absent: str) -> None:
    assert sale_from(published(**{absent: None}), DEFAULTS) == sale_from(published(), DEFAULTS)


def test_price_and_sale_price_must_be_equal() -> None:
    assert sale_from({**BODY, "price": Decimal("99.990")}, DEFAULTS).sale.sale_price == Decimal(
        "99.99"
    )
    assert refused({**BODY, "price": 5}) == {
        "/price": "is 5, and salePrice is 99.99: send one of them, or equal ones"
    }
    assert refused({**BODY, "salePrice": 1, "price": True}).keys() == {"/price"}


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"price": Decimal("-1")}, {"/price": "must not be negative"}),
        ({"price": None}, {"/salePrice": "is required"}),
        ({"price": ...}, {"/salePrice": "is required"}),
        ({"saleId": ...}, {"/saleId": "is required"}),
        ({"productId": "a#b"}, {"/productId": ID}),
        ({"saleDate": 5}, {"/saleDate": "must be a date of the form YYYY-MM-DD"}),
    ],
)
def test_a_wrong_published_body_is_refused_by_field(
    changes: dict[str, Any], errors: dict[str, str]
) -> None:
    assert refused(published(**changes)) == errors


def test_sales_of_a_batch_need_their_dates() -> None:
    with pytest.raises(InvalidRequest) as problem:
        batch_from({"sales": [published(saleDate="2025-12-29"), published()]}, DEFAULTS)
    assert dict(problem.value.errors) == {"/sales/1/saleDate": "is required"}


@pytest.mark.parametrize("body", [None, [], "sale", 5])
def test_what_is_no_object_is_no_sale(body: Any) -> None:
    assert refused(body) == {"": "must be an object"}


def test_a_bad_batch_says_which_entries_are_wrong() -> None:
    bad = {**BODY, "saleId": "b", "salePrice": Decimal("-1")}
    with pytest.raises(RequestError) as problem:
        batch_from({"sales": [BODY, bad, {**BODY}, {**BODY, "saleId": ""}]}, DEFAULTS)
    assert dict(problem.value.errors) == {
        "/sales/1/salePrice": "must not be negative",
        "/sales/2": "is the same sale as /sales/0",
        "/sales/3/saleId": "must have 1 to 128 characters",
    }
    assert "nothing was stored" in problem.value.detail


@pytest.mark.parametrize("body", [None, {}, {"sales": []}, {"sales": {}}, {"sales": [1], "x": 1}])
def test_what_is_no_batch_is_refused(body: Any) -> None:
    with pytest.raises(RequestError):
        batch_from(body, DEFAULTS)


def test_too_large_a_batch_is_refused() -> None:
    with pytest.raises(RequestError) as problem:
        batch_from({"sales": [BODY] * 5001}, DEFAULTS)
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
