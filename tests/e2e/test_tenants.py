"""Tenants are kept apart by their keys, by IAM and by their cursors."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.clients.api import Api
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from tests.e2e.support.sales import key_of, new_sale

TENANT_TAG = "tenant"


@pytest.fixture(scope="module")
def function(cloud: Cloud, deployment: Deployment) -> dict[str, Any]:
    """The configuration of the function behind the API."""
    lambdas = cloud.connection.client("lambda").list_functions()["Functions"]
    (found,) = (f for f in lambdas if f["Handler"] == "lambdas.sales.handlers.api.handler")
    return dict(found)


@pytest.fixture(scope="module")
def function_credentials(cloud: Cloud, function: dict[str, Any]) -> dict[str, str]:
    return session(cloud.connection.client("sts"), function["Role"])


@pytest.fixture(scope="module")
def tenant_table(
    cloud: Cloud, function: dict[str, Any], function_credentials: dict[str, str]
) -> Any:
    """DynamoDB as the function sees it on behalf of acme."""
    sts = cloud.connection.client_as("sts", function_credentials)
    credentials = session(sts, variable(function, "TENANT_ROLE_ARN"), acting_for="acme")
    return cloud.connection.client_as("dynamodb", credentials)


def session(sts: Any, role: str, acting_for: str | None = None) -> dict[str, str]:
    tags = {"Tags": [{"Key": TENANT_TAG, "Value": acting_for}]} if acting_for else {}
    assumed = sts.assume_role(RoleArn=role, RoleSessionName="test", **tags)
    return dict(assumed["Credentials"])


def variable(function: dict[str, Any], name: str) -> str:
    return str(function["Environment"]["Variables"][name])


def refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return str(caught.value.response["Error"]["Code"])


def test_a_tenant_sees_its_own_sales_only(acme: Api, globex: Api) -> None:
    sale = new_sale(category="private")
    assert acme("POST", "/sales", sale).status == 201
    assert globex("GET", "/sale", **key_of(sale)).status == 404
    assert globex("PATCH", "/sale", {"salePrice": 1}, **key_of(sale)).status == 404
    assert globex("GET", "/sales", category="private").json == {"items": [], "nextCursor": None}
    assert globex("DELETE", "/sale", **key_of(sale)).status == 204
    assert acme("GET", "/sale", **key_of(sale)).status == 200


def test_a_cursor_is_of_no_use_to_another_tenant(acme: Api, globex: Api) -> None:
    for _ in range(2):
        assert acme("POST", "/sales", new_sale(category="paged")).status == 201
    cursor = acme("GET", "/sales", category="paged", limit=1).json["nextCursor"]
    assert cursor
    stolen = globex("GET", "/sales", category="paged", limit=1, cursor=cursor)
    assert stolen.status == 400
    assert stolen.json["errors"][0]["detail"] == "the cursor was issued to another caller"


def test_iam_lets_a_tenants_session_read_its_own_keys_only(
    acme: Api, globex: Api, function: dict[str, Any], tenant_table: Any
) -> None:
    sale = new_sale()
    for api in (acme, globex):
        assert api("POST", "/sales", sale).status == 201
    table = variable(function, "SALES_INTELLIGENCE_TABLE_NAME")
    own, other = (
        {
            "PK": {"S": f"TENANT#{tenant}#PRODUCT#{sale['productId']}"},
            "SK": {"S": f"SALE#{sale['saleDate']}#{sale['saleId']}"},
        }
        for tenant in ("acme", "globex")
    )
    assert tenant_table.get_item(TableName=table, Key=own)["Item"]["tenant"] == {"S": "acme"}
    refused = "AccessDeniedException"
    assert refusal(tenant_table.get_item, TableName=table, Key=other) == refused
    assert refusal(tenant_table.put_item, TableName=table, Item=other) == refused
    assert refusal(tenant_table.delete_item, TableName=table, Key=other) == refused
    assert refusal(tenant_table.scan, TableName=table) == refused
    for key, expected in ((own, 1), (other, None)):
        question = {
            "TableName": table,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": "PK"},
            "ExpressionAttributeValues": {":pk": key["PK"]},
        }
        if expected is None:
            assert refusal(tenant_table.query, **question) == refused
        else:
            assert tenant_table.query(**question)["Count"] == expected


def test_the_functions_own_role_cannot_touch_the_table(
    cloud: Cloud, function: dict[str, Any], function_credentials: dict[str, str]
) -> None:
    dynamodb = cloud.connection.client_as("dynamodb", function_credentials)
    key = {"PK": {"S": "TENANT#acme#PRODUCT#p"}, "SK": {"S": "SALE#2025-01-01#s"}}
    table = variable(function, "SALES_INTELLIGENCE_TABLE_NAME")
    assert refusal(dynamodb.get_item, TableName=table, Key=key) == "AccessDeniedException"


def test_nobody_acts_without_naming_a_tenant(
    cloud: Cloud, function: dict[str, Any], function_credentials: dict[str, str]
) -> None:
    sts = cloud.connection.client_as("sts", function_credentials)
    role = variable(function, "TENANT_ROLE_ARN")
    assert refusal(sts.assume_role, RoleArn=role, RoleSessionName="test") == "AccessDenied"
    administrator = cloud.connection.client("sts")
    tags = [{"Key": TENANT_TAG, "Value": "acme"}]
    code = refusal(administrator.assume_role, RoleArn=role, RoleSessionName="test", Tags=tags)
    assert code == "AccessDenied"
