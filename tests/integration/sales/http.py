"""The sales API as API Gateway calls it, with the table on the real engine."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.sales.handlers import api
from lambdas.sales.openapi import document
from lambdas.sales.resources import Resources
from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import Sale
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Database
from tests.integration.conftest import CURSORS
from tests.integration.http import Answer, Context, Contract
from tests.integration.sales.conftest import sale

NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)
BUCKET = "bg-remover-test-embeddings"
# The query that names sale number 0.
ONE: dict[str, Any] = {"productId": "prod_0", "saleDate": "2025-12-29", "saleId": "sale_00000"}
# The body of the published handler.
PUBLISHED: dict[str, Any] = {
    "productId": "prod_123",
    "saleId": "sale_abc",
    "price": 99.99,
    "originalPrice": 199.99,
    "category": "dress",
    "brand": "Nike",
}

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem


class Http:
    """Sends requests to the handler on behalf of a tenant."""

    def __init__(
        self,
        database: Database,
        monkeypatch: pytest.MonkeyPatch,
        caller: Caller | None = None,
        now: Callable[[], datetime] = lambda: NOW,
    ) -> None:
        dynamo = caller or Boto3Client(database.client())
        repository = SalesRepository(
            "sales", logger=api.logger, access=lambda _: dynamo, cursors=CURSORS, now=now
        )
        resources = Resources(repository, BUCKET)
        monkeypatch.setattr(api, "resources", lambda: resources)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        claims: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        claims = {"custom:tenant": "carousel-labs"} if claims is None else claims
        event = CONTRACT.event(method, path, body, claims=claims, query=query)
        return Answer(api.handler(event, Context()))


def body_of(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A new sale as a client would send it."""
    values = {**sale(number), **changes}
    ours = ("tenant", "created_at", "updated_at", "season")
    given = {Sale.__entity__.by_name[n].stored: v for n, v in values.items() if n not in ours}
    prices = {name: float(given[name]) for name in ("salePrice", "originalPrice")}
    return {**given, **prices}
