"""The sales API as API Gateway calls it, with the table on the real engine."""

import json
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from lambdas.sales import api
from lambdas.sales.access import Access
from lambdas.sales.openapi import document
from tablewright.designs.sales import SALE
from tablewright.runtime.cursor import Cursors
from tablewright.runtime.dynamo import Dynamo
from tests.integration.conftest import KEYS, Database
from tests.integration.sales.conftest import sale
from tests.recorder import Recorder

NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)


class Context:
    """What Lambda passes beside the event."""

    function_name = "api"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:api"
    aws_request_id = "request"


class Http:
    """Sends requests to the handler on behalf of a tenant."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: set[tuple[str, str | None]] = set()
        dynamo = Dynamo(database.client())
        access = Access(
            "table",
            lambda tenant: Recorder(dynamo, self.calls),
            Cursors(lambda: KEYS),
            now=lambda: NOW,
        )
        monkeypatch.setattr(api, "access", lambda: access)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        claims: dict[str, str] | None = None,
        **query: Any,
    ) -> "Answer":
        claims = {"custom:tenant": "carousel-labs"} if claims is None else claims
        text = body if isinstance(body, str) else json.dumps(body)
        route, parameters = routed(method, path)
        event = {
            "version": "2.0",
            "routeKey": route,
            "pathParameters": parameters,
            "rawPath": path,
            "rawQueryString": urlencode(query),
            "headers": {"content-type": "application/json"},
            "queryStringParameters": {name: str(value) for name, value in query.items()} or None,
            "requestContext": {
                "stage": "$default",
                "http": {"method": method, "path": path},
                "authorizer": {"jwt": {"claims": claims, "scopes": None}},
            },
            "body": None if body is None else text,
            "isBase64Encoded": False,
        }
        return Answer(api.handler(event, Context()))


def routed(method: str, path: str) -> tuple[str, dict[str, str]]:
    """The route that API Gateway finds for a path, and the parameters in it."""
    for template, item in document()["paths"].items():
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template)
        match = re.fullmatch(pattern, path)
        if match and method.lower() in item:
            return f"{method} {template}", match.groupdict()
    return "$default", {}


class Answer:
    def __init__(self, raw: dict[str, Any]) -> None:
        self.status: int = raw["statusCode"]
        body = raw.get("body")
        self.json: Any = json.loads(body) if body else None
        headers = {**raw.get("headers", {}), **raw.get("multiValueHeaders", {})}
        self.headers = {name.lower(): value for name, value in headers.items()}
        kind = self.headers.get("content-type", "")
        self.content_type = kind if isinstance(kind, str) else kind[0]


def body_of(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A new sale as a client would send it."""
    values = {**sale(number), **changes}
    ours = ("tenant", "created_at", "updated_at", "season")
    given = {SALE.by_name[n].stored: v for n, v in values.items() if n not in ours}
    prices = {name: float(given[name]) for name in ("salePrice", "originalPrice")}
    return {**given, **prices}
