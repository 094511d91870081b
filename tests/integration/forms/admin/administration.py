"""The admin API as API Gateway calls it, with the table on the real engine."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lambdas.forms.admin import resources as admin_resources
from lambdas.forms.admin.openapi import document
from lambdas.forms.delivery.messages import DeliveryQueue
from lambdas.forms.handlers import admin
from lambdas.forms.tenants.dns_proof import DnsProof
from lambdas.forms.tenants.domain_claims import DomainClaims
from tablewright.catalog.forms.submissions import LINKS
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import AccessDenied, ResourceExists, ResourceMissing
from tests.integration.conftest import CURSORS
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.delivery.recorder import Recorder
from tests.integration.http import Answer, Context, Contract

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
PREFIX = "test/forms/"

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem

ADA = {"sub": "ada", "custom:tenant": "acme"}
BOB = {"sub": "bob", "custom:tenant": "acme"}
# Whose id begins with another tenant's.
EVE = {"sub": "eve", "custom:tenant": "acme-2"}
OPERATOR = {"sub": "olga", "cognito:groups": "[operators]"}

WEBHOOK = {
    "destination_id": "crm",
    "destination_type": "webhook",
    "settings": {"url": "https://crm.example.com/hooks/forms"},
}


class Cloud:
    """Secrets Manager, SQS and S3, as far as the function calls them."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.messages: list[Any] = []
        self.objects: dict[str, dict[str, Any]] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        name = params.get("Name") or params.get("SecretId") or ""
        arn = {"ARN": f"arn:aws:secretsmanager:eu-west-1:111122223333:secret:{name}"}
        if operation == "CreateSecret":
            if name in self.secrets:
                raise ResourceExists("CreateSecret: ResourceExistsException: it is there")
            self.secrets[name] = params["SecretString"]
            return arn
        if operation == "GetSecretValue":
            if name not in self.secrets:
                raise ResourceMissing("GetSecretValue: ResourceNotFoundException: it is not there")
            return {**arn, "SecretString": self.secrets[name]}
        if operation == "DeleteSecret":
            assert params["ForceDeleteWithoutRecovery"] is True
            self.secrets.pop(name, None)
            return {}
        if operation == "SendMessageBatch":
            self.messages += [json.loads(entry["MessageBody"]) for entry in params["Entries"]]
            return {}
        if operation == "PutObject":
            self.objects[params["Key"]] = params
            return {}
        assert operation == "GetObject", operation
        raise ResourceMissing("GetObject: NoSuchKey")

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        assert method == "get_object"
        return f"https://{params['Bucket']}/{params['Key']}?seconds={seconds}"


class Edge:
    """The table and Secrets Manager behind one caller, so that a fault can strike at either."""

    def __init__(self, dynamo: Caller, cloud: Cloud) -> None:
        self._dynamo = dynamo
        self._cloud = cloud

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        ours = self._cloud if "Secret" in operation else self._dynamo
        return ours.call(operation, params)


class Confined:
    """DynamoDB as a tenant's session sees it: other keys than the tenant's are refused."""

    def __init__(self, caller: Caller, tenant: str) -> None:
        self._caller = caller
        self._mine = f"TENANT#{tenant}"

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        for key in _leading(operation, params):
            if key != self._mine and not key.startswith(f"{self._mine}#"):
                raise AccessDenied(f"{operation} of {key}")
        return self._caller.call(operation, params)


class ConfinedNames:
    """Secrets Manager and S3 as a tenant's session sees them."""

    def __init__(self, caller: Caller, tenant: str) -> None:
        self._caller = caller
        self._mine = f"{tenant}/"

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        name = params.get("Key") or params.get("Name") or params["SecretId"]
        if not name.removeprefix(PREFIX).removeprefix(LINKS).startswith(self._mine):
            raise AccessDenied(f"{operation} of {name}")
        return self._caller.call(operation, params)


def _leading(operation: str, params: dict[str, Any]) -> Iterator[str]:
    if operation == "Query":
        yield params["ExpressionAttributeValues"][":v0"]["S"]
    elif operation == "BatchGetItem":
        for asked in params["RequestItems"].values():
            yield from (key["PK"]["S"] for key in asked["Keys"])
    else:
        yield (params.get("Key") or params["Item"])["PK"]["S"]


class Admin:
    """Sends requests to the handler."""

    def __init__(self, forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forms = forms
        self.cloud = Cloud()
        self.records: dict[str, list[str]] = {}
        self.now = NOW
        self.sessions: list[str] = []
        self.own: set[tuple[str, str | None]] = set()
        dynamo = forms.database.caller

        def connect(tenant: str, service: str) -> Caller:
            if service != "dynamodb":
                return ConfinedNames(self.cloud, tenant)
            self.sessions.append(tenant)
            return Confined(dynamo, tenant)

        opened = admin_resources.Resources(
            "forms",
            connect,
            Recorder(dynamo, self.own),
            CURSORS,
            presign=lambda tenant, *asked: self.cloud.presign(*asked),
            bucket="payloads",
            secrets_prefix=PREFIX,
            verify=self.verify,
            deliveries=DeliveryQueue(self.cloud, "https://sqs/deliveries"),
            now=lambda: self.now,
        )
        monkeypatch.setattr(admin_resources, "current", lambda: opened)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        claims: dict[str, str] = ADA,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        event = CONTRACT.event(method, path, body, claims=claims, query=query, headers=headers)
        return Answer(admin.handler(event, Context()))

    def verify(self, tenant_id: str, domain: str) -> None:
        """As the function does that is asked to: with the records that there are."""
        proof = DnsProof(lambda name: self.records.get(name, []))
        DomainClaims(self.forms.store(), proof).check(tenant_id, domain, self.now)

    def wait(self, **span: float) -> None:
        self.now += timedelta(**span)

    def tenant(self, tenant_id: str = "acme", **fields: Any) -> Any:
        """A tenant that there is."""
        body = {"tenant_id": tenant_id, "name": tenant_id.title(), **fields}
        made = self("POST", "/tenants", body, claims=OPERATOR)
        assert made.status == 201, made.text
        return made.json

    def all(self, path: str, schema: str, limit: int, **query: Any) -> list[Any]:
        """Everything in a list, page by page, each as the document says."""
        found: list[Any] = []
        cursor: dict[str, Any] = {}
        for _ in range(200):
            page = self("GET", path, limit=limit, **cursor, **query)
            assert page.status == 200, page.text
            assert conforms(page, schema)
            assert len(page.json["items"]) <= limit
            found += page.json["items"]
            if page.json["next_cursor"] is None:
                return found
            cursor = {"cursor": page.json["next_cursor"]}
        raise AssertionError("the list does not end")


def etag(answer: Answer) -> str:
    value = answer.headers["etag"]
    return str(value if isinstance(value, str) else value[0])


def emptied(forms: FormTable) -> None:
    """Remove everything from the table."""
    forms.database.empty()
