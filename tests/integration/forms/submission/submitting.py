"""Submissions as web pages send them, with table, bucket and secrets behind one seam."""

import io
import json
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

import boto3
import pytest

from lambdas.forms.clients import Clients
from lambdas.forms.handlers import submit
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.admission import Admission
from lambdas.forms.submission.domain_lookup import DomainLookupManager
from lambdas.forms.submission.intake import SubmissionIntake
from lambdas.forms.submission.rate_limit import RateLimit
from lambdas.forms.submission.resources import Resources
from lambdas.forms.submission.signing import V2, key_name, sign
from lambdas.forms.submission.tenant_lookup import TenantLookup
from lambdas.forms.submission.uploads import SIGNING, Presign, Uploads
from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Request, Submission
from tablewright.catalog.forms.tenants import DomainLookup, TenantConfig, TenantSecret
from tablewright.model import Entity
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ObjectMissing, ResourceMissing
from tablewright.runtime.store.records import Records
from tests.integration.forms.conftest import FormTable
from tests.integration.http import Answer, Context

# Far ahead, because the engine deletes what has expired.
NOON = datetime(2099, 1, 26, 12, tzinfo=UTC)
PREFIX = "test/forms/"
BUCKET = "payloads"
SESSION = boto3.session.Session(
    region_name="eu-west-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="of-the-role"
)
E = TypeVar("E", bound=Entity)
HONEYPOT = {"destinations": ["crm"], "honeypot": ["website", "fax"]}
ADA = b'{"name":"Ada Lovelace","email":"ada@example.com","message":"Hello"}'


class Edge:
    """All that the function calls, through one seam: DynamoDB, S3 and Secrets Manager."""

    def __init__(self, dynamo: Caller) -> None:
        self._dynamo = dynamo
        self.objects: dict[str, bytes] = {}
        self.secrets: dict[str, str] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "PutObject":
            assert params["Bucket"] == BUCKET
            self.objects[params["Key"]] = params["Body"]
            return {}
        if operation == "GetObject":
            if params["Key"] not in self.objects:
                raise ObjectMissing("GetObject: NoSuchKey: The specified key does not exist.")
            return {"Body": io.BytesIO(self.objects[params["Key"]])}
        if operation == "DeleteObject":
            self.objects.pop(params["Key"], None)
            return {}
        if operation == "GetSecretValue":
            if params["SecretId"] not in self.secrets:
                raise ResourceMissing("GetSecretValue: ResourceNotFoundException: no such secret")
            return {"SecretString": self.secrets[params["SecretId"]]}
        return self._dynamo.call(operation, params)


class World:
    """The form table with tenants in it, and the function that takes submissions."""

    def __init__(self, forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forms = forms
        self.clock = forms.clock
        self.clock.moment = NOON
        self.edge = Edge(forms.database.caller)
        self._monkeypatch = monkeypatch
        self.start()

    def start(self, caller: Caller | None = None) -> Resources:
        """A new environment of the function, that remembers nothing."""
        edge = caller or self.edge
        store = self.forms.store(edge)
        resources = Resources(
            Admission(
                DomainLookupManager(store, clock=self.clock),
                TenantLookup(store, edge, PREFIX, clock=self.clock),
                RateLimit(store),
            ),
            SubmissionIntake(store, PayloadCompressionManager(edge, BUCKET)),
            Uploads(edge, BUCKET, presign()),
            lambda: self.clock.moment,
        )
        self._monkeypatch.setattr(submit, "resources", lambda: resources)
        return resources

    def tenant(self, tenant_id: str = "acme", domain: str | None = None, **config: Any) -> None:
        now = iso_utc(self.clock.moment)
        made = {"tenant_id": tenant_id, "created_at": now, "updated_at": now}
        config = {"state": "active", "name": "A tenant", "forms": {"contact": HONEYPOT}, **config}
        store = self.forms.store()
        store.put(Forms.put_config, TenantConfig(**{**made, **config}))
        self.secret(tenant_id, "k1")
        if domain:
            about = {**domain_key(domain), "tenant_id": tenant_id, "created_at": now}
            store.put(Forms.put_domain, DomainLookup(**about))

    def secret(self, tenant_id: str, key_id: str, state: str = "current", **fields: Any) -> None:
        now = iso_utc(self.clock.moment)
        arn = f"arn:aws:secretsmanager:eu-west-1:111122223333:secret:{PREFIX}{tenant_id}/{key_id}"
        key = {"tenant_id": tenant_id, "key_id": key_id, "secret_arn": arn, "state": state}
        times = {"created_at": now, "updated_at": now}
        self.forms.store().put(Forms.put_secret, TenantSecret(**{**key, **times, **fields}))
        self.edge.secrets[f"{PREFIX}{tenant_id}/{key_id}"] = value_of(tenant_id, key_id)

    def configure(self, tenant_id: str, **changes: Any) -> None:
        self.forms.store().update(Forms.update_config, {"tenant_id": tenant_id}, changes)

    def rotate(self, tenant_id: str, key_id: str, **changes: Any) -> None:
        key = {"tenant_id": tenant_id, "key_id": key_id}
        self.forms.store().update(Forms.update_secret, key, changes)

    def signed(
        self,
        body: bytes = ADA,
        form: str = "contact",
        *,
        tenant: str = "acme",
        key: str = "k1",
        named: bool = True,
        to: str = "submissions",
        kind: str = "application/json",
        idempotency_key: str = "",
        version: str = V2,
    ) -> dict[str, str]:
        """The headers of a submission, or an announcement, that a tenant signs now."""
        return sign(
            value_of(tenant, key),
            "POST",
            path_of(form, to),
            body,
            now=self.clock.moment,
            key=key_name(tenant, key) if named else None,
            content_type=kind,
            idempotency_key=idempotency_key,
            version=version,
        )

    def send(
        self,
        body: bytes = ADA,
        form: str = "contact",
        *,
        headers: Mapping[str, str] | None = None,
        kind: str = "application/json",
        to: str = "submissions",
        **more: str,
    ) -> Answer:
        """Send a submission, by default signed now; `more` are further headers."""
        key = more.get("Idempotency_Key", "")
        if headers is None:
            headers = self.signed(body, form, to=to, kind=kind, idempotency_key=key)
        further = {name.replace("_", "-"): value for name, value in more.items()}
        event = event_of(body, form, {"Content-Type": kind, **headers, **further}, to)
        return Answer(submit.handler(event, Context()))

    def stored(self) -> list[Submission]:
        """All submissions, in the order of their ids."""
        return sorted(self._all(Submission), key=lambda record: record.submission_id)

    def requests(self) -> list[Request]:
        return self._all(Request)

    def payloads(self) -> list[bytes]:
        """What was sent, as it is read back."""
        payloads = PayloadCompressionManager(self.edge, BUCKET)
        return [payloads.fetch(record) for record in self.stored()]

    def _all(self, kind: type[E]) -> list[E]:
        begins = {"Submission": "SUB#", "Request": "REQUEST"}[kind.__name__]
        items = [i for i in self.forms.database.items() if i["SK"]["S"].startswith(begins)]
        return [Records(Forms.__design__, kind.__entity__).to_record(item) for item in items]


@cache
def presign() -> Presign:
    """As the function makes it; a client takes its time."""
    made: Presign = Clients(SESSION, "forms").files(**SIGNING).presign
    return made


def value_of(tenant_id: str, key_id: str) -> str:
    return f"whsec-{tenant_id}-{key_id}-value"


def path_of(form: str, to: str = "submissions") -> str:
    return f"/forms/{form}/{to}"


def event_of(
    body: bytes, form: str, headers: Mapping[str, str], to: str = "submissions"
) -> dict[str, Any]:
    """A request as API Gateway hands it on: JSON as text, anything else in base64."""
    path = path_of(form, to)
    text = headers.get("Content-Type", "").startswith("application/json") and _is_text(body)
    return {
        "version": "2.0",
        "routeKey": f"POST /forms/{{form_id}}/{to}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {name.lower(): value for name, value in headers.items()},
        "pathParameters": {"form_id": form},
        "requestContext": {"stage": "$default", "http": {"method": "POST", "path": path}},
        "body": body.decode() if text else b64encode(body).decode(),
        "isBase64Encoded": not text,
    }


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def problem(answer: Answer, status: int) -> dict[str, str]:
    """The answer is a problem document; gives its errors by pointer."""
    assert answer.status == status, answer.text
    assert answer.content_type == "application/problem+json"
    document = json.loads(answer.text)
    assert document["status"] == status
    assert document["title"] != "The request failed"
    return {error["pointer"]: error["detail"] for error in document.get("errors", [])}


def taken(answer: Answer) -> str:
    """The answer says that the submission was taken; gives its id."""
    assert answer.status == 202, answer.text
    assert answer.json.keys() == {"submission_id", "status_url"}
    id = str(answer.json["submission_id"])
    assert answer.json["status_url"] == f"/submissions/{id}"
    return id
