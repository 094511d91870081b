"""What the sales function calls and what its roles allow are the same, both ways."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from lambdas.sales import api
from lambdas.sales.access import Access
from local.dynamodb_local import DynamoDbLocal
from tablewright.designs.sales import SALES
from tests.infrastructure.synthesis import Assembly, allowed
from tests.integration.conftest import Database
from tests.integration.sales.http import Http, body_of

ONE = "/products/prod_0/sales/2025-12-29/sale_00000"
ROLE = "arn:aws:iam::123456789012:role/tenant-access"
# What every function may do by being one: write its logs and its traces.
PLATFORM = {"logs", "xray"}


def use_every_route(http: Http) -> None:
    assert http("POST", "/sales", body_of()).status == 201
    assert http("POST", "/sales", body_of()).status == 200
    assert http("POST", "/sales/batch", {"sales": [body_of(n) for n in range(3)]}).status == 201
    assert http("PATCH", ONE, {"salePrice": 2}).status == 200
    assert http("GET", ONE).status == 200
    asked: list[tuple[str, dict[str, str]]] = [
        ("/products/prod_0/sales", {}),
        ("/products/prod_0/embeddings", {}),
        ("/embeddings", {}),
        ("/sales", {"category": "dress"}),
        ("/sales", {"brand": "Nike"}),
        ("/trend", {"category": "dress"}),
        ("/openapi.json", {}),
    ]
    for path, query in asked:
        assert http("GET", path, None, claims=None, **query).status == 200, path
    page = http("GET", "/embeddings", limit=1).json
    assert http("GET", "/embeddings", limit=1, cursor=page["nextCursor"]).status == 200
    assert http("GET", "/trend", category="dress", season="WINTER").status == 200
    assert http("DELETE", ONE).status == 204


def test_the_tenant_role_allows_what_is_called_and_nothing_else(
    sales_database: Database, monkeypatch: pytest.MonkeyPatch, dev: Assembly
) -> None:
    http = Http(sales_database, monkeypatch)
    use_every_route(http)
    called = {(f"dynamodb:{action}", index) for action, index in http.calls}
    may = {
        (action, resource.partition("/index/")[2] or None)
        for action, resource in allowed(dev.template("sales"), "TenantAccess")
    }
    assert called == may


class Aws:
    """In place of a boto3 session: DynamoDB is the engine, STS and Secrets Manager are canned."""

    def __init__(self, engine: DynamoDbLocal, database: Database) -> None:
        self.calls: set[str] = set()
        self.assumed: list[dict[str, Any]] = []
        self._engine = engine
        self._credentials = database._credentials
        self._session = boto3.session.Session(
            region_name="eu-west-1", aws_access_key_id="FUNCTION", aws_secret_access_key="secret"
        )

    def client(self, service: str, **settings: Any) -> Any:
        if service == "dynamodb":
            # Whoever calls without the tenant's credentials meets an empty database.
            settings["endpoint_url"] = self._engine.endpoint
        client = self._session.client(service, **settings)
        client.meta.events.register("before-call.*.*", self._answer)
        return client

    def _answer(self, model: Any, params: dict[str, Any], **_: Any) -> Any:
        name = f"{model.service_model.signing_name}:{model.name}"
        if name.startswith("dynamodb:"):
            return None
        self.calls.add(name)
        if name == "sts:AssumeRole":
            self.assumed.append(params["body"])
            self.calls |= {"sts:TagSession"} if "Tags.member.1.Key" in params["body"] else set()
            keys = self._credentials
            return SimpleNamespace(status_code=200), {
                "Credentials": {
                    "AccessKeyId": keys["aws_access_key_id"],
                    "SecretAccessKey": keys["aws_secret_access_key"],
                    "SessionToken": "token",
                    "Expiration": datetime.now(UTC) + timedelta(hours=1),
                }
            }
        assert name == "secretsmanager:GetSecretValue"
        return SimpleNamespace(status_code=200), {"SecretString": "s" * 64}


def test_the_function_s_own_role_allows_what_is_called_and_nothing_else(
    sales_database: Database,
    dynamodb_local: DynamoDbLocal,
    monkeypatch: pytest.MonkeyPatch,
    dev: Assembly,
) -> None:
    aws = Aws(dynamodb_local, sales_database)
    http = Http(sales_database, monkeypatch)
    monkeypatch.setattr(boto3.session, "Session", lambda: aws)
    monkeypatch.setenv("TABLE_NAME", "table")
    monkeypatch.setenv("TENANT_ROLE_ARN", ROLE)
    monkeypatch.setenv("CURSOR_SECRET_ARN", "arn:aws:secretsmanager:eu-west-1:1:secret:s")
    access = Access.from_environment()
    monkeypatch.setattr(api, "access", lambda: access)
    use_every_route(http)
    may = {action for action, _ in allowed(dev.template("sales"), "ApiRole")}
    assert aws.calls == {action for action in may if action.split(":")[0] not in PLATFORM}
    assert not any(action.startswith("dynamodb:") for action in may)
    # One session for the tenant, tagged with it, kept for all requests.
    (assumed,) = aws.assumed
    assert assumed["RoleArn"] == ROLE
    assert (assumed["Tags.member.1.Key"], assumed["Tags.member.1.Value"]) == (
        "tenant",
        "carousel-labs",
    )


def test_every_pattern_of_the_design_is_used_by_the_function() -> None:
    """Or the role that is granted all of them would be granted too much."""
    from inspect import getsource

    from lambdas.sales import sales

    code = getsource(api) + getsource(sales)
    assert [name for name in SALES.patterns if f"SALES.{name}" not in code] == []
