"""The sales API, route by route."""

from typing import Any

import pytest

from lambdas.sales.rules import GIVEN
from tablewright.catalog.sales.design import season_of
from tablewright.testing import Database
from tests.integration.sales.http import CONTRACT, ONE, Http, body_of, conforms, problem


@pytest.fixture
def http(sales_database: Database, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(sales_database, monkeypatch)


def test_a_sale_is_stored_and_read_back(http: Http) -> None:
    created = http("POST", "/sales", body_of())
    assert created.status == 201
    assert conforms(created, "Sale")
    assert created.json["tenant"] == "carousel-labs"
    assert created.json["season"] == "WINTER"
    read = http("GET", "/sale", **ONE)
    assert read.status == 200
    assert read.json == created.json


def test_repeating_a_request_is_safe_and_another_sale_is_a_conflict(http: Http) -> None:
    first = http("POST", "/sales", body_of())
    again = http("POST", "/sales", body_of())
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json
    problem(http("POST", "/sales", body_of(category="shoe")), 409)


def test_a_bad_sale_is_refused_with_reasons_and_nothing_is_stored(
    http: Http, sales_database: Database
) -> None:
    bad = {**body_of(), "salePrice": 1.005, "saleDate": "2025-02-30", "color": "red"}
    assert problem(http("POST", "/sales", bad), 400) == {
        "/salePrice": "must have at most two decimals",
        "/saleDate": "must be a day that exists",
        "/color": f"is not one of {', '.join(field.label for field in GIVEN)}",
    }
    for body in ("{", "NaN", "[]", '{"salePrice": NaN}', "[" * 100_000):
        problem(http("POST", "/sales", body), 400)
    assert sales_database.items() == []


def test_prices_keep_their_cents(http: Http) -> None:
    # 1.15 * 100 is 114.99999999999999 in floats.
    http(
        "POST",
        "/sales",
        '{"productId": "p", "saleId": "s", "saleDate": "2025-01-01", '
        '"salePrice": 1.15, "originalPrice": 4.35, "category": "c", "embeddingId": "e", '
        '"embeddingS3Key": "s3://b/k"}',
    )
    sale = http("GET", "/sale", productId="p", saleDate="2025-01-01", saleId="s").json
    assert (sale["salePrice"], sale["originalPrice"]) == (1.15, 4.35)
    (period,) = http("GET", "/trend", category="c").json["periods"]
    assert period["min"] == 1.15


def test_a_batch_is_stored_whole_or_not_at_all(http: Http, sales_database: Database) -> None:
    bodies = [body_of(n) for n in range(60)]
    bad = {"sales": [*bodies, {**body_of(61), "salePrice": -1}, body_of(0)]}
    assert problem(http("POST", "/sales/batch", bad), 400) == {
        "/sales/60/salePrice": "must not be negative",
        "/sales/61": "is the same sale as /sales/0",
    }
    assert sales_database.items() == []
    stored = http("POST", "/sales/batch", {"sales": bodies})
    assert (stored.status, stored.json) == (201, {"stored": 60, "replaced": 0, "unchanged": 0})
    assert conforms(stored, "Stored")
    assert len(sales_database.items()) == 60


def test_a_batch_replaces_nothing_unless_it_says_so(http: Http, sales_database: Database) -> None:
    first = http("POST", "/sales", body_of()).json
    other, new = body_of(0, category="shoe"), body_of(2)
    http("POST", "/sales", body_of(1))
    mixed = {"sales": [other, body_of(1), new]}
    refused = http("POST", "/sales/batch", mixed)
    assert problem(refused, 409).keys() == {"/sales/0"}
    assert refused.json["detail"] == "1 of 3 sales were not stored; the others are."
    assert http("GET", "/sale", **ONE).json == first
    assert len(sales_database.items()) == 3
    replaced = http("POST", "/sales/batch", {**mixed, "replace": True})
    assert (replaced.status, replaced.json) == (200, {"stored": 0, "replaced": 1, "unchanged": 2})
    now = http("GET", "/sale", **ONE).json
    assert (now["category"], now["createdAt"]) == ("shoe", first["createdAt"])
    again = http("POST", "/sales/batch", {**mixed, "replace": True})
    assert again.json == {"stored": 0, "replaced": 0, "unchanged": 3}


def test_what_is_replaced_leaves_the_lists_that_it_was_in(http: Http) -> None:
    http("POST", "/sales", body_of())
    unbranded = {**body_of(category="shoe"), "brand": None}
    assert http("POST", "/sales/batch", {"sales": [unbranded], "replace": True}).status == 200
    lists: list[dict[str, Any]] = [{"brand": "Nike"}, {"category": "dress"}]
    for gone in lists:
        assert http("GET", "/sales", **gone).json["items"] == []
    assert len(http("GET", "/sales", category="shoe").json["items"]) == 1


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ([], {"": "must be an object"}),
        ({}, {"/sales": "must be a list of at least one sale"}),
        ({"sales": {}}, {"/sales": "must be a list of at least one sale"}),
        ({"sales": [1], "replace": 1}, {"/replace": "must be true or false"}),
        ({"sales": [1], "more": 1}, {"/more": "is not one of sales, replace"}),
        ({"sales": [1]}, {"/sales/0": "must be an object"}),
    ],
)
def test_a_batch_of_another_form_is_refused(http: Http, body: Any, errors: dict[str, str]) -> None:
    assert problem(http("POST", "/sales/batch", body), 400) == errors


def test_five_thousand_faults_are_told_in_a_small_answer(http: Http) -> None:
    refused = http("POST", "/sales/batch", {"sales": [{"x": 1, "y": 2}] * 5000})
    errors = problem(refused, 400)
    assert len(errors) == 51
    assert errors[""].endswith("more errors are not listed")
    assert len(refused.text) < 20_000


def test_a_sale_that_would_be_gone_at_once_is_refused(http: Http, sales_database: Database) -> None:
    told = {"/saleDate": "must be 2023-12-30 or later: older sales are not kept"}
    assert problem(http("POST", "/sales", body_of(sale_date="2023-12-29")), 400) == told
    batch = {"sales": [body_of(1), body_of(sale_date="2001-01-01")]}
    assert problem(http("POST", "/sales/batch", batch), 400) == {
        "/sales/1/saleDate": told["/saleDate"]
    }
    assert sales_database.items() == []
    assert http("POST", "/sales", body_of(sale_date="2023-12-30")).status == 201


@pytest.mark.parametrize("day", ["9998-01-01", "9999-12-31", "0001-01-01"])
def test_a_day_without_an_expiry_is_refused_with_what_is_accepted(http: Http, day: str) -> None:
    told = {"/saleDate": "must lie between 1968-01-01 and 9997-12-31, so that it can expire"}
    assert problem(http("POST", "/sales", body_of(sale_date=day)), 400) == told
    batch = {"sales": [body_of(1), body_of(2, sale_date=day)]}
    refused = http("POST", "/sales/batch", batch)
    assert problem(refused, 400).keys() == {"/sales/1/saleDate"}


def test_a_category_is_one_however_it_is_written(http: Http) -> None:
    for number, name in enumerate(("Café", "Cafe\u0301", "Café\u00a0", "\u3000Café")):
        stored = http("POST", "/sales", body_of(number, category=name))
        assert stored.json["category"] == "Café"
    for name in ("Café", "Cafe\u0301", " Café"):
        assert len(http("GET", "/sales", category=name).json["items"]) == 4
    blank = {"/category": "must have 1 to 128 characters that are not blank"}
    assert problem(http("POST", "/sales", body_of(5, category=" \u00a0")), 400) == blank


def test_a_trend_that_reads_too_much_says_so_whatever_it_keeps(
    filled: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lambdas.sales.sales_repository.MAX_SALES", 60)
    monkeypatch.setattr("lambdas.sales.sales_repository.MAX_PRICES", 60)
    # None of the 90 sales is of the season, and all of them would be read.
    seasons: list[dict[str, Any]] = [{"season": "WINTER"}, {}]
    for season in seasons:
        refused = filled("GET", "/trend", category="dress", **season)
        assert problem(refused, 413) == {}
        assert "More than 60 sales lie in the range" in refused.json["detail"]
    few = filled("GET", "/trend", category="dress", season="FALL", to="2025-03-04")
    assert sum(period["count"] for period in few.json["periods"]) == 20


def test_a_sale_is_changed_and_removed(http: Http) -> None:
    problem(http("PATCH", "/sale", {"brand": None}, **ONE), 404)
    http("POST", "/sales", body_of())
    changed = http("PATCH", "/sale", {"salePrice": 5, "brand": None}, **ONE)
    assert changed.status == 200
    assert conforms(changed, "Sale")
    assert changed.json["salePrice"] == 5
    assert "brand" not in changed.json
    refused = http("PATCH", "/sale", {"saleId": "x"}, **ONE)
    assert problem(refused, 400) == {"/saleId": "cannot be given here"}
    assert http("DELETE", "/sale", **ONE).status == 204
    assert http("DELETE", "/sale", **ONE).status == 204
    problem(http("GET", "/sale", **ONE), 404)


@pytest.fixture
def filled(http: Http) -> Http:
    sales = [
        body_of(n, sale_date=f"2025-03-{1 + n % 9:02}", season=("FALL", "SPRING")[n % 2])
        for n in range(90)
    ]
    for number, sale in enumerate(sales):
        sale["season"] = ("FALL", "SPRING")[number % 2]
    assert http("POST", "/sales/batch", {"sales": sales}).status == 201
    return http


LISTS = [
    ("/sales", "SalePage", {"productId": "prod_3"}),
    ("/embeddings", "EmbeddingPage", {"productId": "prod_3"}),
    ("/embeddings", "EmbeddingPage", {}),
    ("/sales", "SalePage", {"category": "dress"}),
    ("/sales", "SalePage", {"category": "dress", "season": "FALL"}),
    ("/sales", "SalePage", {"brand": "Nike"}),
]


@pytest.mark.parametrize(("path", "schema", "query"), LISTS)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_list_is_paged_to_its_end_in_order(
    filled: Http, path: str, schema: str, query: dict[str, Any], order: str
) -> None:
    whole = filled("GET", path, order=order, limit=100, **query)
    assert whole.status == 200
    assert conforms(whole, schema)
    assert len(whole.json["items"]) >= 12
    dates = [item["saleDate"] for item in whole.json["items"]]
    assert dates == sorted(dates, reverse=order == "desc")
    found: list[Any] = []
    cursor: dict[str, Any] = {}
    for _ in range(100):
        page = filled("GET", path, order=order, limit=7, **query, **cursor)
        found += page.json["items"]
        if page.json["nextCursor"] is None:
            break
        cursor = {"cursor": page.json["nextCursor"]}
    assert found == whole.json["items"]


def test_a_trend_is_computed_by_day_week_or_month_and_season(filled: Http) -> None:
    two_days: dict[str, Any] = {"from": "2025-03-01", "to": "2025-03-02"}
    days = filled("GET", "/trend", category="dress", **two_days)
    assert conforms(days, "Trend")
    assert [p["period"] for p in days.json["periods"]] == ["2025-03-01", "2025-03-02"]
    assert [p["count"] for p in days.json["periods"]] == [10, 10]
    weeks = filled("GET", "/trend", category="dress", by="week").json["periods"]
    assert [(p["period"], p["count"]) for p in weeks] == [("2025-W09", 20), ("2025-W10", 70)]
    (month,) = filled("GET", "/trend", category="dress", by="month").json["periods"]
    assert month["count"] == 90
    assert month["min"] <= month["median"] <= month["max"]
    fall_only: dict[str, Any] = {"category": "dress", "by": "month", "season": "FALL"}
    (fall,) = filled("GET", "/trend", **fall_only).json["periods"]
    assert fall["count"] == 45


def test_a_trend_of_a_brand_is_that_of_its_sales(http: Http) -> None:
    sales = [{**body_of(n), "brand": ("Nike", "Puma")[n % 2]} for n in range(20)]
    assert http("POST", "/sales/batch", {"sales": sales}).status == 201
    trend = http("GET", "/trend", brand="Puma", by="month")
    assert conforms(trend, "Trend")
    assert trend.json["brand"] == "Puma"
    prices = sorted(one["salePrice"] for one in sales if one["brand"] == "Puma")
    found = trend.json["periods"]
    assert sum(period["count"] for period in found) == 10
    assert (min(p["min"] for p in found), max(p["max"] for p in found)) == (prices[0], prices[-1])
    seasonal = http(
        "GET", "/trend", brand="Puma", by="month", season=season_of(sales[0]["saleDate"])
    )
    assert seasonal.json["periods"] == found


EMPTY = "must not be empty: leave it out, or give it a value"


@pytest.mark.parametrize(
    ("path", "query", "errors"),
    [
        ("/embeddings", {"limit": 0}, {"limit": "must be 1 to 100"}),
        ("/embeddings", {"limit": "101"}, {"limit": "must be 1 to 100"}),
        ("/embeddings", {"limit": "ten"}, {"limit": "must be 1 to 100"}),
        ("/embeddings", {"order": "up"}, {"order": "must be one of asc, desc"}),
        ("/embeddings", {"from": "yesterday"},
         {"from": "must be a date of the form YYYY-MM-DD"}),
        ("/embeddings", {"from": "2025-02-01", "to": "2025-01-01"},
         {"to": "must not lie before the beginning of the range"}),
        ("/embeddings", {"cursor": "x"}, {"cursor": "the cursor is not one that was issued here"}),
        ("/sales", {"category": "dress", "season": "AUTUMN"},
         {"season": "must be one of SPRING, SUMMER, FALL, WINTER"}),
        ("/trend", {"category": "c", "by": "year"}, {"by": "must be one of day, week, month"}),
        ("/trend", {}, {"category or brand": "exactly one must be given"}),
        ("/sales", {}, {"category, brand or productId": "exactly one must be given"}),
        ("/sales", {"category": "c", "brand": "b"},
         {"category, brand or productId": "exactly one must be given"}),
        ("/sales", {"brand": ""}, {"brand": EMPTY}),
        ("/sales", {"brand": "\u3000"},
         {"brand": "must have 1 to 128 characters that are not blank"}),
        ("/sales", {"category": "c", "season": ""}, {"season": EMPTY}),
        ("/trend", {"category": "c", "season": ""}, {"season": EMPTY}),
        ("/trend", {"category": ""}, {"category": EMPTY}),
        ("/sales", {"category": "a#b"}, {"category": "must not contain '#'"}),
        ("/sale", {**ONE, "saleDate": "2025-02-30"}, {"saleDate": "must be a day that exists"}),
        ("/sale", {"saleId": "s"}, {"productId": "is required", "saleDate": "is required"}),
    ],
)  # fmt: skip
def test_a_bad_question_is_refused_with_what_is_accepted(
    http: Http, path: str, query: dict[str, Any], errors: dict[str, str]
) -> None:
    assert problem(http("GET", path, **query), 400) == errors


@pytest.mark.parametrize("brand", ["AC/DC", "50%", "%2F", "a b", "Ünï?", '"', "a+b", "x&y=z"])
def test_a_name_may_hold_any_text(http: Http, brand: str) -> None:
    assert http("POST", "/sales", {**body_of(), "brand": brand}).status == 201
    listed = http("GET", "/sales", brand=brand)
    assert [item["brand"] for item in listed.json["items"]] == [brand]


def test_an_unknown_parameter_is_refused(http: Http) -> None:
    (name,) = problem(http("GET", "/embeddings", form="2025-01-01"), 400)
    assert name == "form"


def test_a_tenant_sees_its_own_sales_only(filled: Http) -> None:
    for path, _, query in LISTS:
        for tenant in ("carousel-lab", "carousel-labs2", "Carousel-labs"):
            other = filled("GET", path, claims={"custom:tenant": tenant}, **query)
            assert other.json == {"items": [], "nextCursor": None}
    problem(filled("GET", "/sale", **ONE, claims={"custom:tenant": "acme"}), 404)


def test_a_cursor_is_of_no_use_to_another_tenant(filled: Http) -> None:
    cursor = filled("GET", "/embeddings", limit=5).json["nextCursor"]
    stolen = filled("GET", "/embeddings", cursor=cursor, claims={"custom:tenant": "acme"})
    assert problem(stolen, 400) == {"cursor": "the cursor was issued to another caller"}


@pytest.mark.parametrize("claims", [{}, {"sub": "x"}, {"custom:tenant": ""},
                                    {"custom:tenant": "a#b"}, {"custom:tenant": "a*"}])  # fmt: skip
def test_a_token_without_a_proper_tenant_is_refused(http: Http, claims: dict[str, str]) -> None:
    problem(http("GET", "/embeddings", claims=claims), 403)


def test_the_tenant_in_a_body_counts_for_nothing(http: Http, sales_database: Database) -> None:
    body = {**body_of(), "tenant": "acme"}
    assert "/tenant" in problem(http("POST", "/sales", body), 400)
    assert sales_database.items() == []


def test_an_unknown_address_is_a_problem_too(http: Http) -> None:
    problem(http("GET", "/nothing"), 404)
    problem(http("PUT", "/sales"), 404)


def test_the_document_is_served(http: Http) -> None:
    assert http("GET", "/openapi.json").json == CONTRACT.document
