"""The log of the sales API: every operation with its tenant, every error with its request."""

import pytest

from lambdas.sales.handlers import api
from lambdas.sales.resources import Resources
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Database, Fault, Faulty
from tests.integration.conftest import CURSORS
from tests.integration.sales.http import Http, body_of
from tests.integration.sentiment.http import Logs

KEY = {"product_id": "prod_0", "sale_date": "2025-12-29", "sale_id": "sale_00000"}
ONE = "/products/prod_0/sales/2025-12-29/sale_00000"
TENANT = "carousel-labs"


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Logs:
    return Logs(monkeypatch)


@pytest.fixture
def http(sales_database: Database, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(sales_database, monkeypatch)


def test_a_stored_sale_is_logged_with_its_tenant_its_ids_and_its_shards(
    http: Http, logs: Logs
) -> None:
    http("POST", "/sales", body_of())
    (entry,) = logs.of("sale stored")
    assert {name: entry[name] for name in ("tenant", "product_id", "sale_id", "new")} == {
        "tenant": TENANT,
        "product_id": "prod_0",
        "sale_id": "sale_00000",
        "new": True,
    }
    assert entry["shards"].keys() == {"category", "embedding"}
    assert int(entry["shards"]["category"]) in range(10)
    assert int(entry["shards"]["embedding"]) in range(5)


def test_a_batch_is_logged_with_what_became_of_it(http: Http, logs: Logs) -> None:
    http("POST", "/sales/batch", {"sales": [body_of(number) for number in range(3)]})
    (entry,) = logs.of("sales stored")
    assert (entry["tenant"], entry["count"], entry["replaced"]) == (TENANT, 3, 0)


def test_reading_changing_and_removing_a_sale_are_logged_by_its_key(http: Http, logs: Logs) -> None:
    http("POST", "/sales", body_of())
    http("GET", ONE)
    http("PATCH", ONE, {"category": "shoe"})
    http("DELETE", ONE)
    for message in ("sale read", "sale changed", "sale removed"):
        (entry,) = logs.of(message)
        assert {name: entry[name] for name in KEY} == KEY
        assert entry["tenant"] == TENANT


def test_a_query_is_logged_with_what_was_asked_for_and_how_much_was_found(
    http: Http, logs: Logs
) -> None:
    http("POST", "/sales", body_of())
    http("GET", "/sales", category="dress")
    http("GET", "/sales", brand="Nike")
    http("GET", "/trend", brand="Nike")
    asked = [(entry["tenant"], entry["asked"], entry["count"]) for entry in logs.of("listed")]
    assert asked == [(TENANT, {"category": "dress"}, 1), (TENANT, {"brand": "Nike"}, 1)]
    (trend,) = logs.of("trend computed")
    assert (trend["tenant"], trend["asked"], trend["count"]) == (TENANT, {"brand": "Nike"}, 1)


def test_an_error_is_logged_with_the_operation_the_reason_and_the_request(
    sales_database: Database, logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = Http(sales_database, monkeypatch)
    dynamo = Faulty(Boto3Client(sales_database.client()), Fault(0, "throttled"))
    failing = Resources("sales", lambda tenant: dynamo, CURSORS)
    monkeypatch.setattr(api, "resources", lambda: failing)
    assert http("GET", ONE).status == 503
    (entry,) = logs.of("the store failed")
    assert (entry["method"], entry["path"]) == ("GET", ONE)
    assert "GetItem" in entry["exception"]
    assert entry["exception_name"] == "Throttled"
