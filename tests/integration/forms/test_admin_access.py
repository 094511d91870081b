"""What the admin function works with: sessions of tenants, and changes that meet one another."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from lambdas.forms import access
from lambdas.forms.management.versions import Change, Stale, Version
from local.dynamodb_local import DynamoDbLocal
from tablewright.designs import Record
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_tenants import CONFIG
from tests.integration.conftest import Database
from tests.integration.forms.administration import NOW, OPERATOR, Admin, problem
from tests.integration.forms.conftest import Forms

ROLE = "arn:aws:iam::123456789012:role/tenant-access"
ANY = Version(("*",), 412)


class Aws:
    """In place of a boto3 session: DynamoDB is the engine, everything else is canned."""

    def __init__(self, engine: DynamoDbLocal, database: Database) -> None:
        self.calls: list[tuple[str, Any]] = []
        self._endpoint = engine.endpoint
        self._credentials = database._credentials
        self._session = boto3.session.Session(
            region_name="eu-west-1", aws_access_key_id="FUNCTION", aws_secret_access_key="secret"
        )

    def client(self, service: str, **settings: Any) -> Any:
        if service == "dynamodb":
            # Whoever calls without the tenant's credentials meets an empty database.
            settings["endpoint_url"] = self._endpoint
        client = self._session.client(service, **settings)
        client.meta.events.register("before-call.*.*", self._answer)
        return client

    def _answer(self, model: Any, params: dict[str, Any], **_: Any) -> Any:
        if model.service_model.signing_name == "dynamodb":
            return None
        self.calls.append((model.name, params["body"]))
        keys = self._credentials
        answers = {
            "AssumeRole": {
                "Credentials": {
                    "AccessKeyId": keys["aws_access_key_id"],
                    "SecretAccessKey": keys["aws_secret_access_key"],
                    "SessionToken": "token",
                    "Expiration": datetime.now(UTC) + timedelta(hours=1),
                }
            },
            "CreateSecret": {"ARN": "arn:aws:secretsmanager:eu-west-1:1:secret:s"},
            "SendMessage": {},
        }
        return SimpleNamespace(status_code=200), answers[model.name]


def test_each_tenant_s_requests_run_in_a_session_that_is_tagged_with_it(
    forms: Forms, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = Admin(forms, monkeypatch)
    aws = Aws(dynamodb_local, forms.database)
    monkeypatch.setattr(boto3.session, "Session", lambda: aws)
    for name, value in {
        "FORMS_TABLE": "table",
        "TENANT_ROLE_ARN": ROLE,
        "CURSOR_SECRET_ARN": "arn:aws:secretsmanager:eu-west-1:1:secret:cursors",
        "PAYLOADS_BUCKET": "payloads",
        "SECRETS_PREFIX": "dev/forms/",
        "DELIVERIES_QUEUE_URL": "https://sqs.eu-west-1.amazonaws.com/1/deliveries",
    }.items():
        monkeypatch.setenv(name, value)
    opened = access.Access.from_environment()
    monkeypatch.setattr(access, "current", lambda: opened)
    admin.tenant("acme")
    assert admin("GET", "/config").status == 200
    made = admin("POST", "/secrets")
    assert made.status == 201
    ((first, assumed), (second, created)) = aws.calls
    assert (first, second) == ("AssumeRole", "CreateSecret")
    assert assumed["RoleArn"] == ROLE
    tag = (assumed["Tags.member.1.Key"], assumed["Tags.member.1.Value"])
    assert tag == ("tenant_id", "acme")
    assert "dev/forms/acme/k1" in created.decode()
    # With the function's own rights, which are for other tables here, nothing is found.
    problem(admin("GET", "/tenants", claims=OPERATOR), 500)


def test_of_two_changes_at_once_one_is_told_what_the_other_did(forms: Forms) -> None:
    store = forms.store()
    store.put(FORMS.put_config, CONFIG.example)
    change = Change(store, FORMS.update_config, {"tenant_id": "acme"})

    def meanwhile(name: str) -> Any:
        def decide(_: Record) -> Mapping[str, Any]:
            change.apply(ANY, NOW, lambda _: {"name": "first"})
            return {"name": name}

        return decide

    with pytest.raises(Stale) as refused:
        change.apply(ANY, NOW, meanwhile("second"))
    assert '"name": "first"' in (refused.value.response().body or "")
    store.update(FORMS.update_config, {"tenant_id": "acme"}, {"name": "zero"})
    # Both wanted the same: it is done.
    assert change.apply(ANY, NOW, meanwhile("first"))["name"] == "first"
