"""The policies that the application is deployed with decide, as they would in AWS."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.infrastructure.synthesis import Assembly
from tests.integration.gaps.clouds import Cloud, deploy, needed_by, zipped

DENIED = {"AccessDenied", "AccessDeniedException"}
TENANT_A = "TENANT#a#PRODUCT#1"
TENANT_AB = "TENANT#ab#PRODUCT#1"
GSI1_A = "TENANT#a#CATEGORY#shoes#SHARD#0"

# Its answer is the error's code, or what the call returned.
CALLER = """
import botocore.exceptions, botocore.session

def handler(event, context):
    client = botocore.session.get_session().create_client(event["service"])
    try:
        return {"ok": str(getattr(client, event["call"])(**event["arguments"]))}
    except botocore.exceptions.ClientError as error:
        return {"error": error.response["Error"]["Code"]}
"""


class SalesAccess:
    """The sales stack's table and roles on an emulator."""

    def __init__(self, cloud: Cloud, prod: Assembly) -> None:
        template = needed_by(prod.comparable("sales"), "TenantAccessRole", "ApiRole")
        _also_granted(template, "dynamodb:BatchWriteItem")
        self.cloud = cloud
        keys = _exporting(prod.comparable("identity"), "CursorKey")
        secret = deploy(cloud, "cursor-key", keys)
        self._ids = {**secret, **deploy(cloud, "sales-access", template)}
        self.table = self.id("SalesTable")

    def id(self, prefix: str) -> str:
        return next(
            id for name, id in self._ids.items() if name.startswith(prefix) and "Policy" not in name
        )

    def role_arn(self, prefix: str) -> str:
        arn: str = self.cloud.client("iam").get_role(RoleName=self.id(prefix))["Role"]["Arn"]
        return arn

    def session(self, tags: dict[str, str]) -> dict[str, str]:
        """Credentials as the API gets them for one request."""
        api = _assumed(self.cloud.client("sts"), self.role_arn("ApiRole"))
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        sts = self.cloud.client("sts", api)
        return _assumed(sts, self.role_arn("TenantAccessRole"), Tags=listed)

    def dynamodb(self, tenant: str) -> Any:
        return self.cloud.client("dynamodb", self.session({"tenant": tenant}))

    def function(self, name: str, role: str) -> Callable[..., dict[str, Any]]:
        functions = self.cloud.client("lambda")
        functions.create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=role,
            Handler="index.handler",
            Code={"ZipFile": zipped(CALLER)},
        )

        def invoke(service: str, call: str, **arguments: Any) -> dict[str, Any]:
            event = {"service": service, "call": call, "arguments": arguments}
            answer = functions.invoke(FunctionName=name, Payload=json.dumps(event))
            result: dict[str, Any] = json.loads(answer["Payload"].read())
            return result

        return invoke


def _exporting(template: dict[str, Any], root: str) -> dict[str, Any]:
    """The resources whose names start so, with what the template exports of them."""
    outputs = {
        name: output
        for name, output in template["Outputs"].items()
        if str(output["Value"].get("Ref")).startswith(root)
    }
    return {**needed_by(template, root), "Outputs": outputs}


def _also_granted(template: dict[str, Any], action: str) -> None:
    """Grant tenants what the application has no use for, on the same condition."""
    for policy in template["Resources"].values():
        for statement in policy["Properties"].get("PolicyDocument", {}).get("Statement", ()):
            if "dynamodb:PutItem" in statement["Action"]:
                statement["Action"].append(action)


def _assumed(sts: Any, role_arn: str, **more: Any) -> dict[str, str]:
    session = sts.assume_role(RoleArn=role_arn, RoleSessionName="test", **more)
    credentials: dict[str, str] = session["Credentials"]
    return credentials


def _session_with(cloud: Cloud, role: str, statements: list[Any]) -> dict[str, str]:
    """Credentials of a new role with these permissions."""
    iam = cloud.client("iam")
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "*"}}
    made = iam.create_role(
        RoleName=role, AssumeRolePolicyDocument=json.dumps({"Statement": [trust]})
    )["Role"]
    permissions = json.dumps({"Statement": statements})
    iam.put_role_policy(RoleName=role, PolicyName="test", PolicyDocument=permissions)
    return _assumed(cloud.client("sts"), made["Arn"])


def _denied(call: Callable[..., Any], **arguments: Any) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        if error.response["Error"]["Code"] in DENIED:
            return True
        raise
    return False


def _key(partition: str) -> dict[str, Any]:
    return {"PK": {"S": partition}, "SK": {"S": "SALE#1"}}


def _calls(table: str, partition: str) -> dict[str, dict[str, Any]]:
    """Every granted call, on one partition key."""
    key = _key(partition)
    return {
        "put_item": {"TableName": table, "Item": key},
        "get_item": {"TableName": table, "Key": key},
        "update_item": {
            "TableName": table,
            "Key": key,
            "UpdateExpression": "SET #a = :a",
            "ExpressionAttributeNames": {"#a": "a"},
            "ExpressionAttributeValues": {":a": {"N": "1"}},
        },
        "query": {
            "TableName": table,
            "KeyConditionExpression": "#p = :p AND begins_with(#s, :s)",
            "ExpressionAttributeNames": {"#p": "PK", "#s": "SK"},
            "ExpressionAttributeValues": {":p": {"S": partition}, ":s": {"S": "SALE#"}},
        },
        "batch_get_item": {
            "RequestItems": {table: {"Keys": [_key(TENANT_A), {**key, "SK": {"S": "2"}}]}}
        },
        "batch_write_item": {
            "RequestItems": {
                table: [
                    {"PutRequest": {"Item": _key(TENANT_A)}},
                    {"DeleteRequest": {"Key": {**key, "SK": {"S": "2"}}}},
                ]
            }
        },
        "transact_get_items": {
            "TransactItems": [
                {"Get": {"TableName": table, "Key": _key(TENANT_A)}},
                {"Get": {"TableName": table, "Key": {**key, "SK": {"S": "2"}}}},
            ]
        },
        "transact_write_items": {
            "TransactItems": [
                {"Put": {"TableName": table, "Item": _key(TENANT_A)}},
                {"Delete": {"TableName": table, "Key": {**key, "SK": {"S": "2"}}}},
            ]
        },
        "delete_item": {"TableName": table, "Key": key},
    }


def _index_query(table: str, partition: str, index: str = "GSI1") -> dict[str, Any]:
    return {
        "TableName": table,
        "IndexName": index,
        "KeyConditionExpression": f"{index}PK = :p",
        "ExpressionAttributeValues": {":p": {"S": partition}},
    }


@pytest.fixture(scope="module")
def sales(cloud: Cloud, prod: Assembly) -> SalesAccess:
    return SalesAccess(cloud, prod)


@pytest.fixture(scope="module")
def tenant_a(sales: SalesAccess) -> Any:
    return sales.dynamodb("a")


CALLS = tuple(_calls("", ""))


@pytest.mark.parametrize("call", CALLS)
def test_a_tenant_reaches_its_own_partitions(sales: SalesAccess, tenant_a: Any, call: str) -> None:
    assert not _denied(getattr(tenant_a, call), **_calls(sales.table, TENANT_A)[call])


@pytest.mark.parametrize("call", CALLS)
def test_a_tenant_whose_name_is_longer_is_another(
    sales: SalesAccess, tenant_a: Any, call: str
) -> None:
    assert _denied(getattr(tenant_a, call), **_calls(sales.table, TENANT_AB)[call])


def test_an_index_is_reached_by_its_own_partition_key(sales: SalesAccess, tenant_a: Any) -> None:
    assert not _denied(tenant_a.query, **_index_query(sales.table, GSI1_A))
    assert _denied(tenant_a.query, **_index_query(sales.table, TENANT_A))
    assert _denied(tenant_a.query, **_index_query(sales.table, GSI1_A.replace("#a#", "#ab#")))
    assert _denied(tenant_a.query, **_index_query(sales.table, GSI1_A, "GSI3"))


def test_a_scan_names_no_partition_and_is_denied(sales: SalesAccess, tenant_a: Any) -> None:
    assert _denied(tenant_a.scan, TableName=sales.table)
    assert _denied(tenant_a.scan, TableName=sales.table, IndexName="GSI1")


@pytest.mark.parametrize("tenant", ["*", "?", "a*"])
def test_a_wildcard_in_a_tag_stays_a_character(sales: SalesAccess, tenant: str) -> None:
    client = sales.dynamodb(tenant)
    assert _denied(client.get_item, TableName=sales.table, Key=_key(TENANT_A))
    own = f"TENANT#{tenant}#PRODUCT#1"
    assert not _denied(client.get_item, TableName=sales.table, Key=_key(own))


def test_a_session_without_the_tag_cannot_be_had(sales: SalesAccess) -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        sales.session({})


def test_a_session_without_the_tag_reaches_nothing(cloud: Cloud, sales: SalesAccess) -> None:
    iam = cloud.client("iam")
    (policy,) = iam.list_role_policies(RoleName=sales.id("TenantAccessRole"))["PolicyNames"]
    document = iam.get_role_policy(RoleName=sales.id("TenantAccessRole"), PolicyName=policy)
    session = _session_with(cloud, "untagged", document["PolicyDocument"]["Statement"])
    client = cloud.client("dynamodb", session)
    for partition in (TENANT_A, "TENANT##PRODUCT#1", "TENANT#${aws:PrincipalTag/tenant}#PRODUCT#1"):
        assert _denied(client.get_item, TableName=sales.table, Key=_key(partition))


def test_each_table_of_a_batch_is_checked_by_its_own_keys(cloud: Cloud) -> None:
    root = cloud.client("dynamodb")
    statements = []
    for name in ("left", "right"):
        arn = root.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        )["TableDescription"]["TableArn"]
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["dynamodb:BatchGetItem", "dynamodb:GetItem"],
                "Resource": arn,
                "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [name]}},
            }
        )
    client = cloud.client("dynamodb", _session_with(cloud, "two-tables", statements))

    def batch(**keys: str) -> dict[str, Any]:
        return {name: {"Keys": [{"PK": {"S": key}}]} for name, key in keys.items()}

    def transaction(**keys: str) -> list[dict[str, Any]]:
        return [
            {"Get": {"TableName": name, "Key": {"PK": {"S": key}}}} for name, key in keys.items()
        ]

    right, wrong = {"left": "left", "right": "right"}, {"left": "left", "right": "left"}
    assert not _denied(client.batch_get_item, RequestItems=batch(**right))
    assert _denied(client.batch_get_item, RequestItems=batch(**wrong))
    assert not _denied(client.transact_get_items, TransactItems=transaction(**right))
    assert _denied(client.transact_get_items, TransactItems=transaction(**wrong))


def test_a_function_runs_under_its_role(sales: SalesAccess) -> None:
    invoke = sales.function("under-its-role", sales.role_arn("ApiRole"))
    assert sales.id("ApiRole") in invoke("sts", "get_caller_identity")["ok"]
    secret = invoke("secretsmanager", "get_secret_value", SecretId=sales.id("CursorKey"))
    assert "SecretString" in secret["ok"]
    denied = invoke("dynamodb", "get_item", TableName=sales.table, Key=_key(TENANT_A))
    assert denied["error"] in DENIED


def test_a_bucket_that_demands_tls_is_reached(cloud: Cloud) -> None:
    assert _reaches_a_bucket_that_demands_tls(cloud)


def _reaches_a_bucket_that_demands_tls(cloud: Cloud) -> bool:
    s3 = cloud.client("s3")
    s3.create_bucket(Bucket="tls", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    resources = ["arn:aws:s3:::tls", "arn:aws:s3:::tls/*"]
    insecure = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": resources,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    s3.put_bucket_policy(Bucket="tls", Policy=json.dumps({"Statement": [insecure]}))
    allowed = {"Effect": "Allow", "Action": "s3:*", "Resource": resources}
    client = cloud.client("s3", _session_with(cloud, "tls", [allowed]))
    return not _denied(client.put_object, Bucket="tls", Key="key", Body=b"")


@pytest.mark.parametrize("gap", ["iam.leading_keys", "iam.policy_variables"])
def test_with_the_gap_open_a_tenant_does_not_reach_its_own_partitions(
    cloud_without: Callable[[str], Cloud], prod: Assembly, gap: str
) -> None:
    sales = SalesAccess(cloud_without(gap), prod)
    client = sales.dynamodb("a")
    assert _denied(client.get_item, TableName=sales.table, Key=_key(TENANT_A))


def test_with_the_gap_open_a_function_does_not_reach_its_secret(
    cloud_without: Callable[[str], Cloud], prod: Assembly
) -> None:
    sales = SalesAccess(cloud_without("cloudformation.secret_reference"), prod)
    invoke = sales.function("under-its-role", sales.role_arn("ApiRole"))
    secret = invoke("secretsmanager", "get_secret_value", SecretId=sales.id("CursorKey"))
    assert secret["error"] in DENIED


def test_with_the_gap_open_a_bucket_that_demands_tls_is_not_reached(
    cloud_without: Callable[[str], Cloud],
) -> None:
    assert not _reaches_a_bucket_that_demands_tls(cloud_without("iam.secure_transport"))
