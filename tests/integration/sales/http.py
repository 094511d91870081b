"""The sales API as API Gateway calls it, with the table on the real engine."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.sales.handlers import api
from lambdas.sales.openapi import document
from lambdas.sales.resources import Resources
from tablewright.catalog.sales.design import Sale
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Database
from tests.integration.conftest import CURSORS
from tests.integration.http import Answer, Context, Contract
from tests.integration.sales.conftest import sale

NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem


class Http:
    """Sends requests to the handler on behalf of a tenant."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        dynamo = Boto3Client(database.client())
        made = Resources("sales", lambda tenant: dynamo, CURSORS, now=lambda: NOW)
        monkeypatch.setattr(api, "resources", lambda: made)

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
