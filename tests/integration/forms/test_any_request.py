"""Any request to the APIs of forms is answered, and never by a 500."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.forms.handlers import admin, submit
from lambdas.forms.submission.signing import KEY_ID, SIGNATURE, TIMESTAMP
from lambdas.forms.submission.uploads import UPLOADED
from tests.integration.anything import (
    ANY_REQUESTS,
    FRAGMENTS,
    TEXT,
    Sample,
    answered,
    bodies,
    events,
    not_asked,
)
from tests.integration.forms.admin.administration import (
    ADA,
    CONTRACT,
    EVE,
    OPERATOR,
    WEBHOOK,
    Admin,
)
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.submission.submitting import World, event_of

ID = "0194a27b-a600-7000-8000-000000000000"
ROUTED = {"contact": {"destinations": ["crm"], "honeypot": ["fax"]}}
ACME = {"tenant_id": "acme", "name": "Acme", "forms": ROUTED, "retention_days": 30}
SAMPLES = [
    Sample("POST", "/tenants", {**ACME, "requests_per_minute": 60}),
    Sample("GET", "/tenants", query={"state": "active"}),
    Sample("GET", "/config"),
    Sample("PATCH", "/config", {"name": "Acme", "forms": ROUTED, "retention_days": 5}),
    Sample("PATCH", "/config", {"state": "active", "requests_per_minute": 5}),
    Sample("PATCH", "/config", {"oldest_signature": "v1"}),
    Sample("GET", "/domains"),
    Sample("POST", "/domains", {"domain": "example.com"}),
    Sample("POST", "/domains/example.com/verify"),
    Sample("DELETE", "/domains/example.com"),
    Sample("POST", "/destinations", WEBHOOK),
    Sample("GET", "/destinations", query={"type": "webhook"}),
    Sample("GET", "/destinations/crm"),
    Sample("PATCH", "/destinations/crm", {"state": "active", "settings": WEBHOOK["settings"]}),
    Sample("DELETE", "/destinations/crm"),
    Sample("POST", "/destinations/crm/test"),
    Sample("GET", "/destinations/crm/attempts", query={"status": "FAILED"}),
    Sample("POST", "/destinations/crm/secret"),
    Sample("DELETE", "/secrets/k1"),
    Sample("GET", "/metrics/tenants"),
    Sample("GET", "/secrets"),
    Sample("POST", "/secrets", {}),
    Sample("GET", "/submissions", query={"status": "PENDING", "form_id": "contact"}),
    Sample("GET", f"/submissions/{ID}"),
    Sample("GET", f"/submissions/{ID}/attempts"),
    Sample("POST", f"/submissions/{ID}/redeliver", {"destinations": ["crm"]}),
    Sample("GET", "/metrics", query={"from": "2025-01-01", "to": "2025-01-26"}),
    Sample("GET", "/openapi.json"),
]
UPLOAD = {"size": 5, "sha256": "0" * 64, "content_type": "application/json"}


def test_every_route_is_among_the_samples() -> None:
    assert not_asked(CONTRACT, SAMPLES) == set()


@ANY_REQUESTS
@given(event=events(CONTRACT, SAMPLES, [ADA, ADA, ADA, OPERATOR, EVE, {}]))
def test_any_request_of_an_admin_is_answered(
    forms: FormTable, monkeypatch: pytest.MonkeyPatch, event: dict[str, Any]
) -> None:
    run = Admin(forms, monkeypatch)
    run("POST", "/tenants", ACME, claims=OPERATOR)
    run("POST", "/domains", {"domain": "example.com"})
    answered(admin.handler, event)


@ANY_REQUESTS
@given(
    body=bodies({"name": "Ada", "email": "ada@example.com", "fax": ""}) | FRAGMENTS,
    kind=st.sampled_from(
        ["application/json", "application/x-www-form-urlencoded", "text/plain", "é"]
    ),
    key=st.sampled_from(["", "k", "x" * 300]),
)
def test_any_submission_is_answered(world: World, body: str, kind: str, key: str) -> None:
    sent = body.encode("utf-8", "surrogatepass")
    world.clock.pass_by(seconds=1)
    signed = world.signed(sent, kind=kind, idempotency_key=key)
    headers = {"Content-Type": kind, **signed, **({"Idempotency-Key": key} if key else {})}
    answered(submit.handler, event_of(sent, "contact", headers))


@ANY_REQUESTS
@given(
    body=bodies(UPLOAD) | bodies({**UPLOAD, "upload_id": ID}),
    to=st.sampled_from(["uploads", "submissions"]),
)
def test_any_upload_is_answered(world: World, body: str, to: str) -> None:
    sent = body.encode("utf-8", "surrogatepass")
    kind = "application/json" if to == "uploads" else UPLOADED
    world.clock.pass_by(seconds=1)
    headers = {"Content-Type": kind, **world.signed(sent, to=to, kind=kind)}
    answered(submit.handler, event_of(sent, "contact", headers, to))


@ANY_REQUESTS
@given(
    headers=st.dictionaries(
        st.sampled_from([TIMESTAMP, SIGNATURE, KEY_ID]), TEXT | st.just("x" * 5000)
    ),
    form=st.just("contact") | TEXT,
)
def test_any_signature_is_answered(world: World, headers: dict[str, str], form: str) -> None:
    given = {**world.signed(b"{}"), "Content-Type": "application/json", **headers}
    answered(submit.handler, event_of(b"{}", form, given))


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme", domain="example.com")
    return made
