"""The log of the sales API: every operation with its tenant, every error with its request."""

import pytest

from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Database, Fault, Faulty
from tests.integration.sales.http import ONE, Http, body_of
from tests.integration.sentiment.http import Logs

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
    (entry,) = logs.of("Sale stored")
    assert {name: entry[name] for name in ("tenant", "productId", "saleId", "new")} == {
        "tenant": TENANT,
        "productId": "prod_0",
        "saleId": "sale_00000",
        "new": True,
    }
    assert entry["shards"].keys() == {"category", "embedding"}
    assert entry["shards"]["category"] in range(10)
    assert entry["shards"]["embedding"] in range(5)


def test_a_batch_is_logged_with_what_became_of_it(http: Http, logs: Logs) -> None:
    http("POST", "/sales/batch", {"sales": [body_of(number) for number in range(3)]})
    (entry,) = logs.of("Sales stored")
    assert (entry["tenant"], entry["stored"], entry["replaced"]) == (TENANT, 3, 0)


def test_reading_changing_and_removing_a_sale_are_logged_by_its_key(http: Http, logs: Logs) -> None:
    http("POST", "/sales", body_of())
    http("GET", "/sale", **ONE)
    http("PATCH", "/sale", {"category": "shoe"}, **ONE)
    http("DELETE", "/sale", **ONE)
    for message in ("Sale read", "Sale changed", "Sale removed"):
        (entry,) = logs.of(message)
        assert {name: entry[name] for name in ONE} == ONE
        assert entry["tenant"] == TENANT


def test_a_query_is_logged_with_what_was_asked_for_and_how_much_was_found(
    http: Http, logs: Logs
) -> None:
    http("POST", "/sales", body_of())
    http("GET", "/sales", category="dress")
    http("GET", "/sales", brand="Nike")
    http("GET", "/trend", brand="Nike")
    category, brand, trend = logs.of("Query executed")
    assert (category["tenant"], category["category"], category["itemCount"]) == (TENANT, "dress", 1)
    for entry in (brand, trend):
        assert (entry["tenant"], entry["brand"], entry["itemCount"]) == (TENANT, "Nike", 1)


def test_an_error_is_logged_with_the_operation_the_reason_and_the_request(
    sales_database: Database, logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    dynamo = Faulty(Boto3Client(sales_database.client()), Fault(0, "throttled"))
    http = Http(sales_database, monkeypatch, caller=dynamo)
    assert http("GET", "/sale", **ONE).status == 503
    (failed,) = logs.of("Sales operation failed")
    assert failed["operation"] == "get_sale"
    assert "GetItem" in failed["error"]
    assert failed["context"] == {"tenant": TENANT, **ONE}
    (entry,) = logs.of("the store failed")
    assert (entry["method"], entry["path"]) == ("GET", "/sale")
    assert entry["exception_name"] == "Throttled"
