"""What is called and what a role of a template allows are held against one another, both ways."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from tablewright.runtime.wire.signing import Credentials
from tablewright.testing import Database, TemplateError, least_privilege
from tablewright.testing.database import REGION

KEY = {"PK": {"S": "TENANT#a#1"}, "SK": {"S": "1"}}
TABLE = {"Fn::GetAtt": ["Orders12345678", "Arn"]}
LOGS = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":iam::aws:policy/service-role/"
                          "AWSLambdaBasicExecutionRole"]]}  # fmt: skip


def template(*statements: dict[str, Any], **role: Any) -> dict[str, Any]:
    policy = {"PolicyDocument": {"Statement": list(statements)}, "Roles": [{"Ref": "Role"}]}
    variables = {"Variables": {"ORDERS_TABLE": {"Ref": "Orders12345678"}}}
    function = {"Role": {"Fn::GetAtt": ["Role", "Arn"]}, "Environment": variables}
    path = {"aws:cdk:path": "Shop/PlaceOrder/Resource"}
    return {
        "Resources": {
            "Orders12345678": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {}},
            "PlaceOrderABCDEF01": {
                "Type": "AWS::Lambda::Function",
                "Properties": function,
                "Metadata": path,
            },
            "Role": {"Type": "AWS::IAM::Role", "Properties": role},
            "Policy": {"Type": "AWS::IAM::Policy", "Properties": policy},
        }
    }


def allow(*actions: str, on: Any = TABLE, **more: Any) -> dict[str, Any]:
    named = [f"dynamodb:{action}" for action in actions]
    return {"Effect": "Allow", "Action": named, "Resource": on, **more}


def leading(*patterns: str) -> dict[str, Any]:
    keys = {"dynamodb:LeadingKeys": list(patterns)}
    null = {"dynamodb:LeadingKeys": "false"}
    return {"Condition": {"ForAllValues:StringLike": keys, "Null": null}}


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch, orders: Database) -> None:
    monkeypatch.setenv("ORDERS_TABLE", "orders")


def test_what_is_called_and_granted_is_exact(client: Any, tmp_path: Path) -> None:
    file = tmp_path / "Shop.template.json"
    made = template(allow("PutItem", "GetItem"), ManagedPolicyArns=[LOGS])
    file.write_text(json.dumps(made))
    rights = least_privilege(file, "PlaceOrder")
    with rights.recording():
        client.put_item(TableName="orders", Item=KEY)
    client.scan(TableName="orders")
    with rights.recording():
        client.get_item(TableName="orders", Key=KEY)
    rights.assert_exact()


def test_both_differences_are_told(client: Any, orders: Database) -> None:
    index = {"Fn::Join": ["", [TABLE, "/index/*"]]}
    rights = least_privilege(
        template(allow("PutItem"), allow("Query", on=index)), "PlaceOrderABCDEF01"
    )
    with rights.recording():
        client.put_item(TableName="orders", Item=KEY)
        orders.caller.call("DeleteItem", {"TableName": "orders", "Key": KEY})
    assert rights.refused == {("dynamodb:DeleteItem", "orders")}
    assert rights.unused == {("dynamodb:Query", "orders/*")}
    with pytest.raises(AssertionError) as found:
        rights.assert_exact()
    assert str(found.value).splitlines() == [
        "PlaceOrderABCDEF01 (role Role) is not granted exactly what was called.",
        "called and not granted:",
        "  dynamodb:DeleteItem on orders",
        "granted and not called:",
        "  dynamodb:Query on orders/*",
    ]


def test_transactions_and_batches_need_what_is_in_them(client: Any) -> None:
    rights = least_privilege(template(allow("PutItem", "BatchWriteItem")), "PlaceOrder")
    with rights.recording():
        put = {"TableName": "orders", "Item": KEY}
        client.transact_write_items(TransactItems=[{"Put": put}])
        client.batch_write_item(RequestItems={"orders": [{"DeleteRequest": {"Key": KEY}}]})
    rights.assert_exact()


def test_keys_are_held_to_conditions_of_the_role(table: Any) -> None:
    conditional = allow("PutItem", "Query", **leading("TENANT#a#*"))
    rights = least_privilege(template(conditional), "PlaceOrder")
    with rights.recording():
        table.put_item(Item={"PK": "TENANT#a#1", "SK": "1"})
        table.put_item(Item={"PK": "TENANT#b#1", "SK": "1"})
        table.query(
            KeyConditionExpression="SK = :one AND PK = :key",
            ExpressionAttributeValues={":one": "1", ":key": "TENANT#a#1"},
        )
    assert rights.refused == {("dynamodb:PutItem", "orders", "TENANT#b#1")}
    assert rights.unused == set()


def test_a_session_is_held_to_its_tag(orders: Database) -> None:
    role = "arn:aws:iam::111122223333:role/tenants"
    keys = leading("TENANT#${aws:PrincipalTag/tenant}#*")
    granted = template(allow("PutItem", "GetItem", "DeleteItem", **keys))
    rights = least_privilege(
        granted, "Role", tags={"tenant": "a"}, names={"ORDERS_TABLE": "orders"}
    )
    access, secret = (
        orders._credentials["aws_access_key_id"],
        orders._credentials["aws_secret_access_key"],
    )
    session = {"aws_access_key_id": access, "aws_secret_access_key": secret}
    sts = boto3.client("sts", region_name=REGION, **session)
    given = {
        "AccessKeyId": access,
        "SecretAccessKey": "secret",
        "SessionToken": "token",
        "Expiration": datetime(2099, 1, 1, tzinfo=UTC),
    }
    with Stubber(sts) as stubbed, rights.recording():
        stubbed.add_response("assume_role", {"Credentials": given})
        tags = [{"Key": "tenant", "Value": "a"}]
        sts.assume_role(RoleArn=role, RoleSessionName="of-a", Tags=tags)
        session |= {"endpoint_url": orders._endpoint, "aws_session_token": "token"}
        tenant = boto3.client("dynamodb", region_name=REGION, **session)
        tenant.put_item(TableName="orders", Item=KEY)
        tenant.get_item(TableName="orders", Key={**KEY, "PK": {"S": "TENANT#b#1"}})
        wire = orders.caller.signed_by(Credentials(access, secret, "token"))
        wire.call("DeleteItem", {"TableName": "orders", "Key": KEY})
    assert rights.refused == {("dynamodb:GetItem", "orders", "TENANT#b#1")}
    assert rights.unused == set()
    own = least_privilege(granted, "PlaceOrder", calls=rights.calls)
    assert own.refused == {("sts:AssumeRole", role), ("sts:TagSession", role)}


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(TemplateError, match="is 'Other'; there are: PlaceOrderABCDEF01, Role"):
        least_privilege(template(), "Other")
    denies = {**allow("PutItem"), "Effect": "Deny"}
    with pytest.raises(TemplateError, match="only statements are understood that allow"):
        least_privilege(template(denies), "PlaceOrder")
    elsewhere = {"Condition": {"StringEquals": {"aws:SourceVpc": "vpc-1"}}}
    with pytest.raises(TemplateError, match="a condition is not understood"):
        least_privilege(template(allow("PutItem", **elsewhere)), "PlaceOrder")
    managed = ["arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"]
    with pytest.raises(TemplateError, match="FullAccess allows is not in the template"):
        least_privilege(template(ManagedPolicyArns=managed), "PlaceOrder")
