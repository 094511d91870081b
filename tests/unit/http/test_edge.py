"""Requests that went round the firewall are refused before anything of them is read."""

import json
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from lambdas.contract import EDGE_HEADER, EDGE_KEY
from lambdas.edge import REFUSED, came_through
from lambdas.http.application import respond
from lambdas.sentiment.handlers import serve_page
from tests.integration.functions import Around

KEY = "k" * 64


class Untouched(APIGatewayHttpResolver):
    """An application that no request may reach."""

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        raise AssertionError("the request was read")


def request(headers: dict[str, str]) -> dict[str, Any]:
    return {"rawPath": "/", "headers": headers, "requestContext": {}}


@pytest.mark.parametrize("headers", [{}, {EDGE_HEADER: ""}, {EDGE_HEADER: KEY[1:]}])
def test_a_request_without_the_key_is_answered_403(
    headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EDGE_KEY, KEY)
    event = request(headers)
    for answered in (respond(Untouched(), event, Around()), serve_page.handler(event, Around())):
        assert answered["statusCode"] == 403
        assert answered["headers"]["Content-Type"] == "application/problem+json"
        assert json.loads(answered["body"])["detail"] == REFUSED


def test_a_request_with_the_key_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EDGE_KEY, KEY)
    with pytest.raises(AssertionError, match="the request was read"):
        respond(Untouched(), request({EDGE_HEADER: KEY}), Around())


def test_without_a_firewall_every_request_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EDGE_KEY, raising=False)
    assert came_through({})
