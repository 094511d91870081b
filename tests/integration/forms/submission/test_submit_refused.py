"""Submissions that are refused: by whom they are signed, when, and what is said about it."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.submission.form_bodies import DIRECT
from lambdas.forms.submission.uploads import UPLOADED
from lambdas.forms.tenants.domain_names import domain_key
from lambdas.http.application import logger as shared_logger
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import DomainLookup
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AccessDenied, InvalidState, StoreError, Throttled
from tablewright.testing import Fault, Faulty
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.submission.submitting import (
    ADA,
    NOON,
    PREFIX,
    World,
    problem,
    taken,
)


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme", domain="example.com")
    # Ids that are prefixes of one another, with keys of the same name.
    made.tenant("acme-2", domain="acme.example")
    made.tenant("acm", domain="www.acm.example")
    return made


def test_the_tenant_is_found_by_its_key_or_by_the_domain_of_the_page(world: World) -> None:
    for tenant, origin in (
        ("acme", "https://example.com"),
        ("acme-2", "https://ACME.example:8080"),
        ("acm", "http://acm.example."),
    ):
        by_key = world.send(headers=world.signed(tenant=tenant))
        world.clock.pass_by(seconds=1)
        signed = world.signed(tenant=tenant, named=False)
        by_page = world.send(headers=signed, Origin=origin)
        named = world.send(headers={**signed, "X-Form-Key-Id": "k1"}, Origin=origin)
        assert taken(named) == taken(by_page) != taken(by_key)
        world.clock.pass_by(seconds=1)
    owners = [(one["tenant_id"], one.get("domain")) for one in world.stored()]
    assert owners == [
        *(("acme", None), ("acme", "example.com")),
        *(("acme-2", None), ("acme-2", "acme.example")),
        *(("acm", None), ("acm", "acm.example")),
    ]


def test_a_page_of_somebody_else_is_not_noted_as_the_tenants(world: World) -> None:
    taken(world.send(Origin="https://acme.example"))
    (stored,) = world.stored()
    assert "domain" not in stored


def edited(signature: str) -> str:
    return signature[:-1] + ("0" if signature[-1] != "0" else "1")


def test_nobody_is_told_what_is_wrong_with_a_signature(world: World) -> None:
    """Unknown tenant, unknown key, another tenant's secret, an edited body: one answer."""
    good = world.signed()
    page = world.signed(named=False)
    later = str(int(NOON.timestamp()) + 1)
    answers = {
        "unknown tenant": world.send(headers={**good, "X-Form-Key-Id": "nobody:k1"}),
        "prefix of the tenant": world.send(headers={**good, "X-Form-Key-Id": "acm:k1"}),
        "longer than the tenant": world.send(headers={**good, "X-Form-Key-Id": "acme-2:k1"}),
        "unknown key": world.send(headers={**good, "X-Form-Key-Id": "acme:k2"}),
        "unknown domain": world.send(headers=page, Origin="https://nobody.example"),
        "domain of another": world.send(headers=page, Origin="https://acm.example"),
        "edited signature": world.send(
            headers={**good, "X-Form-Signature": edited(good["X-Form-Signature"])}
        ),
        "edited body": world.send(ADA + b" ", headers=good),
        "edited time": world.send(headers={**good, "X-Form-Timestamp": later}),
        "other form": world.send(form="other", headers=good),
    }
    texts = {answer.text for answer in answers.values()}
    assert len(texts) == 1, answers
    for answer in answers.values():
        assert problem(answer, 401) == {}
        assert answer.headers == answers["unknown tenant"].headers
    assert world.stored() == world.requests() == []


def test_a_replayed_request_is_answered_and_stored_once(world: World) -> None:
    signed = world.signed()
    first = taken(world.send(headers=signed))
    world.clock.pass_by(seconds=300)
    assert taken(world.send(headers=signed)) == first
    world.clock.pass_by(seconds=1)
    wrong = problem(world.send(headers=signed), 401)
    assert wrong == {"X-Form-Timestamp": "must be within 300 seconds of now"}
    assert [one["submission_id"] for one in world.stored()] == [first]


def test_neither_key_nor_type_of_a_captured_request_can_be_changed(world: World) -> None:
    signed = world.signed(idempotency_key="order 7")
    for changed in (
        world.send(headers=signed, Idempotency_Key="order 8"),
        world.send(headers=signed),
        world.send(headers=signed, kind="application/x-www-form-urlencoded"),
        world.send(headers=world.signed(), Idempotency_Key="order 7"),
    ):
        assert problem(changed, 401) == {}
    assert world.stored() == world.requests() == []
    taken(world.send(headers=signed, Idempotency_Key="order 7"))


def test_the_older_form_of_signatures_is_taken_where_a_tenant_asks_for_it(world: World) -> None:
    wrong = problem(world.send(headers=world.signed(version="v1")), 401)
    assert list(wrong) == ["X-Form-Signature"]
    assert "oldest_signature" in wrong["X-Form-Signature"]
    # Nobody but who has the secret is told.
    forged = {**world.signed(), "X-Form-Signature": "v1=" + "0" * 64}
    assert problem(world.send(headers=forged), 401) == {}
    world.configure("acme", oldest_signature="v1")
    world.clock.pass_by(seconds=2)
    taken(world.send(headers=world.signed(version="v1"), Idempotency_Key="any"))
    taken(world.send(Idempotency_Key="another"))


def test_a_request_of_the_future_waits_for_its_time(world: World) -> None:
    world.clock.moment = NOON + timedelta(seconds=301)
    early = world.signed()
    world.clock.moment = NOON
    assert "X-Form-Timestamp" in problem(world.send(headers=early), 401)
    world.clock.pass_by(seconds=1)
    taken(world.send(headers=early))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("X-Form-Timestamp", value) for value in ("", "soon", "-5", "1737892800,1737892800")),
        *(("X-Form-Signature", value) for value in ("", "v1=abc", "v0=" + "0" * 64)),
        *(("X-Form-Key-Id", value) for value in ("", ":", "acme:", "a b:k1", "a#b:k1", "x" * 200)),
    ],
)
def test_headers_in_another_form_are_refused_with_what_is_accepted(
    world: World, name: str, value: str
) -> None:
    wrong = problem(world.send(headers={**world.signed(), name: value}), 401)
    assert list(wrong) == [name]
    assert "such as" in wrong[name] or "v2=" in wrong[name]


@pytest.mark.parametrize("origin", ["", "null", "https://", "https://[::1", "localhost", "a..b"])
def test_without_a_key_the_origin_must_be_a_page(world: World, origin: str) -> None:
    wrong = problem(world.send(headers=world.signed(named=False), Origin=origin), 401)
    assert list(wrong) == ["Origin"]


def test_rotated_secrets_are_taken_while_they_are_valid(world: World) -> None:
    taken(world.send())  # what is known of the tenant is remembered from here on
    until = NOON + timedelta(minutes=10)
    world.clock.pass_by(seconds=2)
    world.rotate("acme", "k1", state="previous", valid_until=iso_utc(until))
    world.secret("acme", "k2")
    for key in ("k1", "k2"):
        taken(world.send(headers=world.signed(key=key)))
        origin = {"Origin": "https://example.com"}
        taken(world.send(headers={**world.signed(key=key, named=False), **origin}))
        world.clock.pass_by(seconds=1)
    world.clock.moment = until + timedelta(seconds=1)
    assert problem(world.send(headers=world.signed(key="k1")), 401) == {}
    taken(world.send(headers=world.signed(key="k2")))
    world.rotate("acme", "k2", state="revoked")
    world.clock.pass_by(seconds=30)
    assert problem(world.send(headers=world.signed(key="k2")), 401) == {}


def test_a_key_whose_secret_is_gone_does_not_stand_in_the_way_of_the_other(world: World) -> None:
    world.secret("acme", "k0", "previous")
    del world.edge.secrets[f"{PREFIX}acme/k1"]
    origin = {"Origin": "https://example.com"}
    taken(world.send(headers={**world.signed(key="k0", named=False), **origin}))
    assert problem(world.send(headers=world.signed(key="k1")), 401) == {}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidState("GetSecretValue: InvalidRequestException: marked for deletion"), 401),
        (StoreError("GetSecretValue: DecryptionFailure: the key is disabled"), 500),
        (AccessDenied("GetSecretValue: AccessDeniedException: not granted"), 500),
        (Throttled("GetSecretValue: ThrottlingException: slowly"), 503),
    ],
)
def test_only_a_secret_that_is_gone_is_no_secret(
    world: World, error: StoreError, status: int
) -> None:
    class Failing:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "GetSecretValue":
                raise error
            return world.edge.call(operation, params)

    world.start(Failing())
    assert problem(world.send(), status) == {}
    assert world.stored() == world.requests() == []


def test_an_outage_is_not_an_unknown_tenant(world: World) -> None:
    calls = Faulty(world.edge)
    world.start(calls)
    signed = {**world.signed(named=False), "Origin": "https://example.com"}
    taken(world.send(headers=signed))
    assert calls.calls > 5
    for at in range(calls.calls):
        world.start(Faulty(world.edge, Fault(at, "refused")))
        answer = world.send(headers=signed)
        assert answer.status in (202, 503), (at, answer.text)
        if answer.status == 503:
            assert answer.headers["retry-after"] in ("1", ["1"])


def test_a_disabled_tenant_is_told_so_and_an_enabled_one_is_taken_at_once(world: World) -> None:
    taken(world.send())
    world.clock.pass_by(seconds=30)
    world.configure("acme", state="disabled")
    assert problem(world.send(), 403) == {}
    forged = {**world.signed(), "X-Form-Signature": "v1=" + "0" * 64}
    problem(world.send(headers=forged), 401)
    world.configure("acme", state="active")
    world.clock.pass_by(seconds=1)
    taken(world.send())


def test_a_form_must_be_routed_and_a_new_one_is_found_at_once(world: World) -> None:
    taken(world.send())
    problem(world.send(form="order", headers=world.signed(form="order")), 404)
    world.configure("acme", forms={"contact": {}, "order": {}})
    world.clock.pass_by(seconds=0.25)
    taken(world.send(form="order", headers=world.signed(form="order")))
    # The forms of one tenant are not those of another.
    headers = world.signed(form="order", tenant="acm")
    problem(world.send(form="order", headers=headers), 404)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"NaN", b'{"a":Infinity}', b"'a'", b"\xff", b'"\xe9"'),
        *("{}".encode("utf-16"), b"[" * 100_000 + b"]" * 100_000),
    ],
    ids=lambda body: repr(body[:8]),
)
def test_what_is_no_json_is_refused_and_leaves_nothing_behind(world: World, body: bytes) -> None:
    wrong = problem(world.send(body), 400)
    assert "must be JSON" in wrong[""]
    assert world.stored() == world.requests() == []


@pytest.mark.parametrize("kind", ["", "text/plain", "multipart/form-data; boundary=x", "json"])
def test_other_types_are_refused_with_those_that_are_taken(world: World, kind: str) -> None:
    wrong = problem(world.send(kind=kind), 415)
    expected = "must be application/json or application/x-www-form-urlencoded or "
    assert wrong == {"Content-Type": expected + UPLOADED}


def test_a_request_that_carries_too_much_is_told_how_to_send_it(world: World) -> None:
    body = b'"' + b"x" * (DIRECT - 1) + b'"'
    assert len(body) == DIRECT + 1
    refused = world.send(body)
    assert problem(refused, 413) == {}
    assert "Up to 10485760 are taken by an upload" in refused.text
    assert "POST /forms/{form_id}/uploads" in refused.text
    assert world.stored() == world.requests() == []


def test_the_log_has_neither_payload_nor_secret_nor_key(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(shared_logger.registered_handler, "stream", stream)
    taken(world.send(Idempotency_Key="order-of-ada"))
    problem(world.send(b'{"name":"Lovelace"', Idempotency_Key="order-of-ada"), 400)
    problem(world.send(b'{"name":"Lovelace"}', Idempotency_Key="order-of-ada"), 422)
    problem(world.send(headers={**world.signed(), "X-Form-Signature": "v1=" + "0" * 64}), 401)
    world.start(Faulty(world.edge, Fault(2, "refused")))
    problem(world.send(), 503)
    logged = stream.getvalue() + "".join(capsys.readouterr())
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {entry["message"] for entry in entries} >= {"submission taken", "answered"}
    for hidden in ("Lovelace", "ada@example.com", "whsec", "order-of-ada", "v1="):
        assert hidden not in logged


def test_a_domain_that_changes_hands_is_its_new_owners_at_once(world: World) -> None:
    origin = {"Origin": "https://example.com"}
    taken(world.send(headers={**world.signed(named=False), **origin}))
    store = world.forms.store()
    store.delete(Forms.delete_domain, domain_key("example.com"))
    now = iso_utc(world.clock.moment)
    about = {**domain_key("example.com"), "tenant_id": "acm", "created_at": now}
    store.put(Forms.put_domain, DomainLookup(**about))
    world.clock.pass_by(seconds=1)
    taken(world.send(headers={**world.signed(tenant="acm", named=False), **origin}))
    assert [one["tenant_id"] for one in world.stored()] == ["acme", "acm"]
