"""Resources of the admin function: sessions of tenants, and changes that meet one another."""

from collections.abc import Mapping
from typing import Any

import boto3
import pytest

from lambdas.forms.admin import resources
from lambdas.forms.contract import AdminEnvironment
from lambdas.forms.tenants.changes import RecordChange
from lambdas.http.versions import Stale, Version
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.forms.admin.administration import NOW, OPERATOR, Admin
from tests.integration.forms.conftest import FormTable
from tests.integration.session import Aws

ROLE = "arn:aws:iam::123456789012:role/tenant-access"
ANY = Version(("*",), 412)


def test_each_tenant_s_requests_run_in_a_session_that_is_tagged_with_it(
    forms: FormTable, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = Admin(forms, monkeypatch)
    aws = Aws(dynamodb_local, forms.database, Cloud())
    monkeypatch.setattr(boto3.session, "Session", lambda: aws)
    for name, value in {
        "FORMS_TABLE": "forms",
        "TENANT_ROLE_ARN": ROLE,
        "CURSOR_SECRET_ARN": "arn:aws:secretsmanager:eu-west-1:1:secret:cursors",
        "PAYLOADS_BUCKET": "payloads",
        "SECRETS_PREFIX": "dev/forms/",
        "VERIFY_FUNCTION": "verify",
        "DELIVERIES_QUEUE_URL": "https://sqs.eu-west-1.amazonaws.com/1/deliveries",
    }.items():
        monkeypatch.setenv(name, value)
    opened = resources.Resources.of(AdminEnvironment.read())
    monkeypatch.setattr(resources, "current", lambda: opened)
    admin.tenant("acme")
    assert admin("GET", "/config").status == 200
    made = admin("POST", "/secrets")
    assert made.status == 201
    assert aws.sessions.keys() == {"tenant_id=acme"}
    # With the function's own rights, the session is begun; the rest is done in it.
    assert aws.calls == {("sts:AssumeRole", ROLE), ("sts:TagSession", ROLE)}
    done = aws.sessions["tenant_id=acme"].calls
    secret = f"dev/forms/acme/{made.json['key_id']}"
    assert ("secretsmanager:CreateSecret", secret) in done
    assert admin("GET", "/tenants", claims=OPERATOR).status == 200
    assert ("dynamodb:Query", "forms/GSI1") in aws.calls


def test_of_two_changes_at_once_one_is_told_what_the_other_did(forms: FormTable) -> None:
    store = forms.store()
    store.put(Forms.put_config, TenantConfig(**TenantConfig.__entity__.example))
    change = RecordChange(store, Forms.get_config, Forms.update_config, {"tenant_id": "acme"})

    def meanwhile(name: str) -> Any:
        def decide(_: TenantConfig) -> Mapping[str, Any]:
            change.apply(ANY, NOW, lambda _: {"name": "first"})
            return {"name": name}

        return decide

    with pytest.raises(Stale) as refused:
        change.apply(ANY, NOW, meanwhile("second"))
    assert '"name": "first"' in (refused.value.response().body or "")
    store.update(Forms.update_config, {"tenant_id": "acme"}, {"name": "zero"})
    # Both wanted the same: it is done.
    assert change.apply(ANY, NOW, meanwhile("first"))["name"] == "first"
