"""Faults at every call that the sales function makes of DynamoDB, STS and Secrets Manager."""

from collections.abc import Callable
from typing import Any

import pytest

from lambdas.sales.handlers import api
from tablewright.catalog.sales.design import Sales
from tablewright.testing import Database, survives_every_fault
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.functions import Around, answered
from tests.integration.sales.conftest import sale
from tests.integration.sales.http import CONTRACT, ONE, PUBLISHED, body_of
from tests.integration.session import Aws, start

CLAIMS = {"custom:tenant": "carousel-labs"}
TOLD = {
    "SALES_INTELLIGENCE_TABLE_NAME": "sales",
    "TENANT_ROLE_ARN": "tenants",
    "CURSOR_SECRET_ARN": "cursor key",
    "EMBEDDING_BUCKET": "embeddings",
}
# A request, and how it is answered, the first time and when it is repeated.
REQUESTS: dict[str, tuple[str, str, Any, set[int], dict[str, Any]]] = {
    "create": ("POST", "/sales", body_of(1), {200, 201}, {}),
    "create as published": ("POST", "/sales", PUBLISHED, {200, 201}, {}),
    "change": ("PATCH", "/sale", {"salePrice": 2, "category": "shoe"}, {200}, ONE),
    "remove": ("DELETE", "/sale", None, {204}, ONE),
    "read": ("GET", "/sale", None, {200}, ONE),
}


@pytest.fixture
def fresh(
    sales_database: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """An environment that has just begun, and one sale."""
    aws = Aws(dynamodb_local, sales_database, Cloud({"cursor key": "s" * 64}))

    def begin() -> None:
        sales_database.empty()
        sales_database.store(Sales).put(Sales.put_sale, sale(0))
        start(monkeypatch, aws, TOLD, {}, api)

    return begin


def ask(method: str, path: str, body: Any, expected: set[int], **query: Any) -> Any:
    event = CONTRACT.event(method, path, body, claims=CLAIMS, query=query)
    answer = api.handler(event, Around())
    status = answer["statusCode"]
    return answered(answer, status if status in expected else min(expected))


def stored(database: Database) -> list[Any]:
    """All but when it was written."""
    return [{n: v for n, v in i.items() if not n.endswith("At")} for i in database.items()]


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_ends_the_same_whatever_fails_at_any_service(
    request_: str, fresh: Callable[[], None], sales_database: Database
) -> None:
    *asked, query = REQUESTS[request_]
    calls = survives_every_fault(
        lambda: ask(*asked, **query), lambda: stored(sales_database), fresh=fresh
    )
    assert len(calls) >= 2  # the session, and what it is for


def test_pages_come_whatever_fails_at_any_service(
    fresh: Callable[[], None], sales_database: Database
) -> None:
    found: list[Any] = []

    def more() -> None:
        fresh()
        sales_database.store(Sales).put(Sales.put_sale, sale(1, product_id="prod_0"))

    def read() -> None:
        found.clear()
        query: dict[str, Any] = {"productId": "prod_0", "limit": 1}
        for _ in range(2):
            page = ask("GET", "/sales", None, {200}, **query)
            found.extend(one["saleId"] for one in page["items"])
            query["cursor"] = page["nextCursor"]

    calls = survives_every_fault(read, lambda: list(found), fresh=more)
    assert len(calls) >= 5
    assert len(set(found)) == 2
