"""The bucket of the form system: who may do what in it, and what goes out of it by itself."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lambdas.forms.contract import SUBMIT_ROUTES
from tablewright.catalog.forms.submissions import LINKS, UPLOADS, tenant
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    allowed,
    environment,
    id_of,
    one,
    resources,
)

Stage = Callable[[str], Assembly]
BUCKET = "AWS::S3::Bucket"


def on_bucket(template: dict[str, Any], role: str) -> set[tuple[str, str]]:
    arn = f"{{{id_of(template, BUCKET, 'Payloads')}.Arn}}"
    found = {(action, on.removeprefix(arn)) for action, on in allowed(template, role) if arn in on}
    return {(action.removeprefix("s3:"), on) for action, on in found}


def test_each_function_may_do_with_payloads_what_it_does(prod: Assembly) -> None:
    forms = prod.template("forms")
    assert on_bucket(forms, "Submit") == {
        *(("PutObject", "/*"), ("DeleteObject", "/*")),
        *(("GetObject", f"/{UPLOADS}*"), ("ListBucket", "")),
    }
    assert on_bucket(forms, "Count") == {("DeleteObject", "/*")}
    assert on_bucket(forms, "DeliveriesDeliver") == {("GetObject", "/*")}
    # What it does with payloads, it does in the session of their tenant.
    assert on_bucket(forms, "Admin") == set()
    tenant = "${aws:PrincipalTag/tenant_id}"
    assert on_bucket(forms, "TenantAccess") == {
        ("GetObject", f"/{tenant}/*"),
        *((action, f"/{LINKS}{tenant}/*") for action in ("GetObject", "PutObject")),
    }
    bucket = f"{{{id_of(forms, BUCKET, 'Payloads')}}}"
    for function in ("Submit", "Count"):
        assert environment(forms, function)["PAYLOADS_BUCKET"] == bucket


@pytest.mark.parametrize("name", STAGES)
def test_uploads_and_links_go_after_a_day_and_payloads_do_not(name: str, stage: Stage) -> None:
    bucket = one(stage(name).template("forms"), BUCKET, "Payloads")
    rules = bucket["LifecycleConfiguration"]["Rules"]
    passing = [rule for rule in rules if rule.get("Prefix")]
    assert {rule["Prefix"] for rule in passing} == {UPLOADS, LINKS}
    assert {rule["ExpirationInDays"] for rule in passing} == {1}
    (others,) = (rule for rule in rules if not rule.get("Prefix"))
    assert "ExpirationInDays" not in others
    versioned = "VersioningConfiguration" in bucket
    for rule in passing:
        kept = {"NoncurrentDays": 1} if versioned else None
        assert rule.get("NoncurrentVersionExpiration") == kept


def test_no_tenants_payloads_are_among_the_uploads() -> None:
    for prefix in (UPLOADS, LINKS):
        assert not tenant().accepts_text(prefix.rstrip("/"))


def test_uploads_are_announced_to_the_function_that_takes_submissions(prod: Assembly) -> None:
    forms = prod.template("forms")
    routes = {r["RouteKey"]: r for r in resources(forms, "AWS::ApiGatewayV2::Route").values()}
    signed = [routes[f"{method} {path}"] for method, path in SUBMIT_ROUTES]
    assert len(signed) == 2
    assert {route["AuthorizationType"] for route in signed} == {"NONE"}
    assert len({json.dumps(route["Target"]) for route in signed}) == 1
    assert sum(r["AuthorizationType"] == "NONE" for r in routes.values()) == len(signed)


def test_what_is_removed_reaches_the_count_function_only_with_an_object(prod: Assembly) -> None:
    mapping = one(prod.template("forms"), "AWS::Lambda::EventSourceMapping", "Counting")
    patterns = [json.loads(f["Pattern"]) for f in mapping["FilterCriteria"]["Filters"]]
    assert len(patterns) <= 5  # as many as a mapping may have
    removals = [one["dynamodb"] for one in patterns if one["eventName"] == ["REMOVE"]]
    assert [one["Keys"]["SK"]["S"] for one in removals] == [
        [{"prefix": "SUB#"}],
        [{"prefix": "REQUEST"}],
    ]
    for one_of_them in removals:
        assert one_of_them["OldImage"] == {"payload_key": {"S": [{"exists": True}]}}
