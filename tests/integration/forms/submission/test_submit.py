"""Submissions that are taken: kept as they were sent, once, where their form is routed."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdk_app.settings import ROOT
from lambdas.forms.clients import Clients
from lambdas.forms.contract import SubmitEnvironment
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.form_bodies import DIRECT
from lambdas.forms.submission.intake import KeyUsedOtherwise, SentForm, SubmissionIntake
from lambdas.forms.submission.resources import Resources
from tablewright.catalog.forms.design import Forms
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.deferred_client import DeferredClient
from tablewright.runtime.wire.client import WireClient
from tests.integration.forms.conftest import FormTable, key_of
from tests.integration.forms.submission.submitting import (
    ADA,
    BUCKET,
    NOON,
    World,
    path_of,
    problem,
    taken,
    value_of,
)

URLENCODED = "application/x-www-form-urlencoded"
# Whatever a form can send: any text, numbers as long as they like, nested, empty.
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS.filter(lambda v: v not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme", domain="example.com")
    return made


def noisy(size: int) -> bytes:
    """JSON of this size, of which half can be compressed away and no more."""
    text = Random(size).randbytes(size // 2).hex()
    return json.dumps({"file": text[: size - 12]}).encode()


def test_a_submission_is_stored_as_it_was_sent(world: World) -> None:
    id = taken(world.send(Origin="https://WWW.Example.com:8443"))
    (stored,) = world.stored()
    assert stored == {
        "tenant_id": "acme",
        "submission_id": id,
        "timestamp": "2099-01-26T12:00:00.000Z",
        "updated_at": "2099-01-26T12:00:00.000Z",
        "form_id": "contact",
        "status": "PENDING",
        "content_type": "application/json",
        "shard_id": "0",
        "compressed": False,
        "original_size": len(ADA),
        "storage_size": len(stored["data"]),
        "data": ADA,
        "domain": "example.com",
    }
    assert world.payloads() == [ADA]
    found = world.forms.store().get(Forms.get_submission, key_of(stored))
    assert found == stored


def test_one_read_finds_a_submission_in_however_many_shards(world: World) -> None:
    world.forms.set_epochs("acme", (NOON - timedelta(days=1), 10))
    world.start()
    for _ in range(30):
        world.clock.pass_by(seconds=1)
        taken(world.send())
    store = world.forms.store()
    assert all(store.get(Forms.get_submission, key_of(one)) == one for one in world.stored())
    partitions = {item["PK"]["S"] for item in world.forms.database.items() if "GSI3PK" in item}
    assert len(partitions) > 5


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_any_json_comes_back_byte_for_byte(
    world: World, value: Any, ascii: bool, indent: int | None
) -> None:
    body = json.dumps(value, ensure_ascii=ascii, indent=indent).encode()
    world.clock.pass_by(seconds=1)
    id = taken(world.send(body))
    (stored,) = [one for one in world.stored() if one["submission_id"] == id]
    assert PayloadCompressionManager(world.edge, BUCKET).fetch(stored) == body
    assert stored["original_size"] == len(body)
    assert stored["storage_size"] == len(stored["data"])


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.binary(max_size=3000))
def test_any_bytes_of_a_plain_form_come_back(world: World, body: bytes) -> None:
    world.clock.pass_by(seconds=1)
    id = taken(world.send(body, kind=URLENCODED))
    (stored,) = [one for one in world.stored() if one["submission_id"] == id]
    assert PayloadCompressionManager(world.edge, BUCKET).fetch(stored) == body


@pytest.mark.parametrize(
    "body",
    [
        '{ "a" : 1.0e+2 ,\r\n"b":"once" }',
        '{"n": ' + "9" * 5000 + "}",
        "\ufeff{}",
        '{"\\u0000": "\\u0000"}',
        "[" * 100 + "]" * 100,
        "0",
    ],
    ids=["spaced", "long number", "mark", "nul", "nested", "number"],
)
def test_odd_json_is_json(world: World, body: str) -> None:
    taken(world.send(body.encode(), kind="application/json; charset=utf-8"))
    assert world.payloads() == [body.encode()]


@pytest.mark.parametrize(
    "body",
    ['{"website": "", "website": "spam"}', '"\\ud83d"', "[" * 101 + "]" * 101],
    ids=["a name twice", "half a character", "too deep"],
)
def test_json_that_readers_do_not_agree_on_is_refused(world: World, body: str) -> None:
    assert problem(world.send(body.encode(), kind="application/json"), 400)
    assert world.stored() == []


@pytest.mark.parametrize("size", [1_000, 20_000, 500_000, DIRECT])
def test_a_payload_of_any_size_takes_its_step_of_the_ladder(world: World, size: int) -> None:
    body = noisy(size)
    assert len(body) == size
    taken(world.send(body))
    (stored,) = world.stored()
    assert world.payloads() == [body]
    outside = {f"acme/{stored['submission_id']}"} if size > 30_000 else set()
    assert set(world.edge.objects) == outside
    assert ("data" in stored) == (not outside)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"name":"Ada","website":"https://spam.example"}', "application/json", "QUARANTINED"),
        (b'{"name":"Ada","fax":["", "1"]}', "application/json", "QUARANTINED"),
        (b'{"name":"Ada","website":" ","fax":null}', "application/json", "PENDING"),
        (b'{"name":"Ada","fax":[],"other":{"website":"x"}}', "application/json", "PENDING"),
        (b'["website"]', "application/json", "PENDING"),
        (b"name=Ada&web%73ite=spam", URLENCODED, "QUARANTINED"),
        (b"name=Ada&website=&fax=+", URLENCODED, "PENDING"),
    ],
)
def test_a_filled_honeypot_is_kept_apart_and_nobody_is_told(
    world: World, body: bytes, kind: str, status: str
) -> None:
    plain = world.send()
    world.clock.pass_by(seconds=1)
    caught = world.send(body, kind=kind)
    assert taken(caught) != taken(plain)
    assert caught.headers == plain.headers
    assert world.stored()[1]["status"] == status
    assert world.payloads()[1] == body


def test_what_a_tenant_does_not_keep_for_ever_expires(world: World) -> None:
    world.configure("acme", retention_days=30)
    taken(world.send(Idempotency_Key="once"))
    (stored,) = world.stored()
    assert stored["expires_at"] == iso_utc(NOON + timedelta(days=30))
    world.forms.store().delete(Forms.delete_submission, key_of(stored))
    world.clock.pass_by(days=30, seconds=1)
    assert taken(world.send(Idempotency_Key="once")) == stored["submission_id"]
    assert world.stored() == []


@pytest.mark.parametrize(("own", "kept"), [(None, 365), (30, 30)])
def test_a_stage_says_how_long_submissions_are_kept_of_tenants_that_do_not(
    own: int | None, kept: int, world: World
) -> None:
    payloads = PayloadCompressionManager(world.edge, BUCKET)
    intake = SubmissionIntake(world.forms.store(), payloads, 365)
    sent = SentForm("acme", "contact", "application/json", ADA, "once")
    intake.take(sent, {}, NOON, own)
    (stored,) = world.stored()
    assert stored.expires_at == iso_utc(NOON + timedelta(days=kept))


def test_a_repeated_key_is_the_same_submission_whenever_it_was_signed(world: World) -> None:
    first = taken(world.send(Idempotency_Key="order 7 ✓"))
    world.clock.pass_by(days=6)
    assert taken(world.send(Idempotency_Key="order 7 ✓")) == first
    assert len(world.stored()) == 1
    assert taken(world.send(Idempotency_Key="order 8")) != first


def test_a_request_that_is_signed_as_the_page_says_is_taken(world: World) -> None:
    page = (ROOT / "docs" / "forms.md").read_text()
    (code,) = re.findall(r"^```python\n(import hmac\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page
    names["time"] = SimpleNamespace(time=world.clock.moment.timestamp)
    about = (value_of("acme", "k1"), "acme:k1", path_of("contact"), ADA)
    first = taken(world.send(headers=names["signed"](*about, idempotency_key="order 7")))
    assert taken(world.send(Idempotency_Key="order 7")) == first
    taken(world.send(headers=names["signed"](*about)))


def test_a_key_cannot_be_used_for_anything_else(world: World) -> None:
    world.configure("acme", forms={"contact": {}, "order": {}})
    world.start()
    taken(world.send(Idempotency_Key="k"))
    before = world.forms.database.items()
    for other in (
        world.send(b'{"name":"Grace"}', Idempotency_Key="k"),
        world.send(form="order", Idempotency_Key="k"),
        world.send(kind=URLENCODED, Idempotency_Key="k"),
    ):
        assert "Idempotency-Key" in problem(other, 422)
    assert world.forms.database.items() == before


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_1_to_255_characters(world: World, key: str) -> None:
    wrong = problem(world.send(Idempotency_Key=key), 400)
    assert wrong == {"Idempotency-Key": "must have 1 to 255 characters"}
    assert world.stored() == world.requests() == []


def test_keys_belong_to_their_tenant(world: World) -> None:
    world.tenant("acm")
    one = taken(world.send(Idempotency_Key="k"))
    headers = world.signed(b"{}", tenant="acm", idempotency_key="k")
    two = taken(world.send(b"{}", headers=headers, Idempotency_Key="k"))
    assert one != two
    owners = {record["submission_id"]: record["tenant_id"] for record in world.stored()}
    assert owners == {one: "acme", two: "acm"}


def test_eight_senders_with_one_key_leave_one_submission(world: World) -> None:
    body = noisy(100_000)
    sent = SentForm("acme", "contact", "application/json", body, "key of all")

    def take(_: int) -> str:
        store = world.forms.store(world.forms.database.caller)
        submissions = SubmissionIntake(store, PayloadCompressionManager(world.edge, BUCKET))
        return submissions.take(sent, {}, NOON, None).submission_id

    with ThreadPoolExecutor(8) as senders:
        ids = set(senders.map(take, range(8)))
    (stored,) = world.stored()
    assert ids == {stored["submission_id"]}
    assert world.payloads() == [body]
    assert list(world.edge.objects) == [f"acme/{stored['submission_id']}"]


def test_eight_senders_with_one_key_and_different_bodies_leave_one_submission(
    world: World,
) -> None:
    def take(number: int) -> int | None:
        body = f'{{"n":{number}}}'.encode()
        sent = SentForm("acme", "contact", "application/json", body, "key of all")
        store = world.forms.store(world.forms.database.caller)
        try:
            SubmissionIntake(store, PayloadCompressionManager(world.edge, BUCKET)).take(
                sent, {}, NOON, None
            )
        except KeyUsedOtherwise:
            return None
        return number

    with ThreadPoolExecutor(8) as senders:
        (winner,) = [n for n in senders.map(take, range(8)) if n is not None]
    assert world.payloads() == [f'{{"n":{winner}}}'.encode()]


def test_the_function_finds_everything_in_its_environment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = boto3.session.Session(
        region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    monkeypatch.setattr(boto3.session, "Session", lambda: session)
    for name in ("FORMS_TABLE", "PAYLOADS_BUCKET", "SECRETS_PREFIX"):
        monkeypatch.setenv(name, name.lower())
    resources = Resources.of(SubmitEnvironment.read())
    assert resources.now().tzinfo is UTC
    made = Clients.of(SubmitEnvironment.read())
    assert made.store().table_name == "forms_table"
    assert {type(one) for one in (made.secrets, made.sqs)} == {WireClient}
    assert isinstance(made.s3, DeferredClient)
