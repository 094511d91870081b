"""Whatever is sent to the sales API is answered, and never by a 500."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.sales.handlers import api
from tablewright.testing import Database
from tests.integration.anything import ANY_REQUESTS, Sample, answered, events, not_asked
from tests.integration.sales.http import CONTRACT, ONE, Http, body_of

SAMPLES = [
    Sample("POST", "/sales", body_of()),
    Sample("POST", "/sales/batch", {"sales": [body_of(), body_of(1)], "replace": True}),
    Sample("POST", "/sales/batch", {"sales": [body_of(2), body_of(3)]}),
    Sample("PATCH", "/sale", {"salePrice": 5, "brand": "Kite", "season": "FALL"}, query=ONE),
    Sample("GET", "/sale", query=ONE),
    Sample("DELETE", "/sale", query=ONE),
    Sample("GET", "/sales", query={"category": "dress", "season": "WINTER", "order": "asc"}),
    Sample("GET", "/sales", query={"brand": "Nike", "from": "2025-01-01", "to": "2025-12-31"}),
    Sample("GET", "/sales", query={"productId": "prod_0", "limit": "5"}),
    Sample("GET", "/embeddings", query={"productId": "prod_0"}),
    Sample("GET", "/embeddings"),
    Sample("GET", "/trend", query={"category": "dress", "season": "WINTER", "by": "week"}),
    Sample("GET", "/openapi.json"),
]
CLAIMS = [{"custom:tenant": "carousel-labs"}] * 5 + [
    {"custom:tenant": "a#b"},
    {"token_use": "access"},
]


@pytest.fixture
def http(sales_database: Database, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(sales_database, monkeypatch)


def test_every_route_is_among_the_samples() -> None:
    assert not_asked(CONTRACT, SAMPLES) == set()


@ANY_REQUESTS
@given(event=events(CONTRACT, SAMPLES, CLAIMS))
def test_any_request_is_answered(http: Http, event: dict[str, Any]) -> None:
    answered(api.handler, event)


NAMES = st.text("aé e\u0301\u00a0\u3000/%&?+😀", min_size=1, max_size=12) | st.text(max_size=20)
# Far ahead, because the engine deletes what has expired.
DATES = st.dates(date(2090, 1, 1), date(2099, 12, 31)) | st.just(date(2001, 1, 1))
PRICES = st.integers(0, 10**10).map(lambda cents: cents / 100)


@ANY_REQUESTS
@given(category=NAMES, brand=st.none() | NAMES, day=DATES.map(str), price=PRICES)
def test_any_sale_that_is_taken_is_found_again(
    http: Http, category: str, brand: str | None, day: str, price: float
) -> None:
    given = {"category": category, "brand": brand, "saleDate": day, "salePrice": price}
    batch = {"sales": [{**body_of(), **given}], "replace": True}
    event = CONTRACT.event("POST", "/sales/batch", batch, claims=CLAIMS[0], query={})
    if answered(api.handler, event).status < 400:
        stored = http("GET", "/sale", **{**ONE, "saleDate": day}).json
        within: dict[str, Any] = {"from": day, "to": day}
        assert stored in http("GET", "/sales", category=category, **within).json["items"]
        if brand is not None:
            assert stored in http("GET", "/sales", brand=brand, **within).json["items"]
