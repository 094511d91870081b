"""What the sales function calls and what its roles allow are the same, both ways."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.sales.contract import ROUTES
from lambdas.sales.handlers import api
from tablewright.catalog.sales.design import Sales
from tablewright.testing import Database, least_privilege
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.privileges.platform import LOGS_AND_TRACES
from tests.infrastructure.synthesis import Assembly, environment
from tests.integration.cloud import Cloud
from tests.integration.http import Requests
from tests.integration.sales.http import CONTRACT, body_of
from tests.integration.session import Aws, start

# The function's own clock is used, by which older sales are refused one day.
TODAY = datetime.now(UTC).date().isoformat()
ONE: dict[str, Any] = {"productId": "prod_0", "saleDate": TODAY, "saleId": "sale_00000"}
TENANT = "carousel-labs"
NAMES = {
    "SALES_INTELLIGENCE_TABLE_NAME": "sales",
    "TENANT_ROLE_ARN": "tenants",
    "CURSOR_SECRET_ARN": "cursor key",
}


def use_every_route() -> None:
    ask = Requests(api.handler, CONTRACT, {"custom:tenant": TENANT})
    ask("POST", "/sales", body_of(sale_date=TODAY), expect=201)
    ask("POST", "/sales", body_of(sale_date=TODAY))
    ask(
        "POST",
        "/sales/batch",
        {"sales": [body_of(n, sale_date=TODAY) for n in range(3)]},
        expect=201,
    )
    ask("PATCH", "/sale", {"salePrice": 2}, **ONE)
    ask(
        "POST",
        "/sales/batch",
        {"sales": [body_of(n, sale_date=TODAY) for n in range(3)], "replace": True},
    )
    ask("GET", "/sale", **ONE)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/sales", {"productId": "prod_0"}),
        ("/embeddings", {"productId": "prod_0"}),
        ("/sales", {"category": "dress"}),
        ("/sales", {"brand": "Nike"}),
        ("/trend", {"category": "dress"}),
        ("/trend", {"brand": "Nike"}),
        ("/trend", {"category": "dress", "season": "WINTER"}),
        ("/openapi.json", {}),
    ]
    for path, query in asked:
        ask("GET", path, **query)
    page = ask("GET", "/embeddings", limit=1)
    ask("GET", "/embeddings", limit=1, cursor=page["nextCursor"])
    ask("DELETE", "/sale", expect=204, **ONE)
    assert ask.routes == set(ROUTES)


def test_both_roles_allow_what_is_called_and_nothing_else(
    sales_database: Database,
    dynamodb_local: DynamoDbLocal,
    monkeypatch: pytest.MonkeyPatch,
    dev: Assembly,
) -> None:
    template = dev.template("sales")
    aws = Aws(dynamodb_local, sales_database, Cloud({"cursor key": "s" * 64}))
    start(monkeypatch, aws, environment(template, "Api"), NAMES, api)
    use_every_route()
    own = least_privilege(template, "ApiFunction", names=NAMES, platform=LOGS_AND_TRACES, calls=aws)
    own.assert_exact()
    assert not any(action.startswith("dynamodb:") for action, _ in own.granted)
    # One session for the tenant, tagged with it, kept for all requests.
    assert aws.sessions.keys() == {f"tenant={TENANT}"}
    tags = {"tenant": TENANT}
    least_privilege(template, "TenantAccessRole", names=NAMES, tags=tags, calls=aws).assert_exact()


def test_every_pattern_of_the_design_is_used_by_the_function() -> None:
    """Or the role that is granted all of them but one would be granted too much."""
    from inspect import getsource

    from lambdas.sales import batch, sale_writes, sales_repository

    code = "".join(map(getsource, (sales_repository, sale_writes, batch)))
    assert [name for name in Sales.__design__.patterns if f"Sales.{name}" not in code] == [
        "put_sales"
    ]
