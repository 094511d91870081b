"""What a sale takes that is stored and read by the API, as its function runs."""

from decimal import Decimal

import pytest

from docs.bills import sales as bills
from docs.generate import DOCUMENTS
from lambdas.sales.handlers import api
from tablewright.catalog.sales.design import Sales
from tablewright.costs.measuring import units_each
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.functions import Around
from tests.integration.sales.http import CONTRACT, body_of
from tests.integration.sales.test_every_edge import CLAIMS, TOLD
from tests.integration.session import Aws, start
from tests.integration.tally import Tally


def test_a_sale_is_stored_and_read_for_what_is_billed(
    sales_database: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws = Aws(dynamodb_local, sales_database, Cloud({"cursor key": "s" * 64}))
    start(monkeypatch, aws, TOLD, {}, api)
    body = body_of(1)
    one = {name: body[name] for name in ("productId", "saleDate", "saleId")}
    tally = Tally({"sales": Sales})
    with tally.counting():
        api.handler(CONTRACT.event("POST", "/sales", body, claims=CLAIMS, query={}), Around())
        stored = tally.written("sales"), tally.read("sales"), tally.other_calls()
        tally.reset()
        answer = api.handler(
            CONTRACT.event("GET", "/sale", None, claims=CLAIMS, query=one), Around()
        )
    assert answer["statusCode"] == 200
    assert stored == (bills.WRITE_UNITS_OF_A_SALE, Decimal(), bills.FIRST_CALLS)
    assert (tally.written("sales"), tally.read("sales")) == (Decimal(), Decimal("0.5"))
    assert tally.other_calls() == {}


def test_lists_are_read_for_what_was_measured() -> None:
    measured = {one["pattern"]: one for one in DOCUMENTS["sales"].recorded()}
    lists = ("get_sale", "category_sales", "product_sales", "brand_sales")
    assert tuple(units_each(measured[name])[0] for name in lists) == bills.READ_UNITS
