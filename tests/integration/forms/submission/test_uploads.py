"""Submissions that are too large for a request: announced, uploaded, taken like any other."""

import json
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lambdas.forms.payload_compression import LARGEST, PayloadCompressionManager
from lambdas.forms.submission.intake import SentForm, SubmissionIntake
from lambdas.forms.submission.uploads import UPLOADED, Uploads, named
from tablewright.catalog.forms.design import Forms
from tests.integration.forms.conftest import FormTable, key_of
from tests.integration.forms.submission.submitting import (
    ADA,
    BUCKET,
    World,
    presign,
    problem,
    taken,
)
from tests.integration.forms.submission.uploading import announce, announced, put, submit, uploaded

URLENCODED = "application/x-www-form-urlencoded"
LARGE = b'{"file":"' + Random(7).randbytes(20_000).hex().encode() + b'"}'


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme", domain="example.com")
    made.tenant("acm")
    return made


def test_ten_megabytes_come_by_an_upload_and_are_kept_as_they_were(world: World) -> None:
    body = b'{"file":"' + Random(1).randbytes(LARGEST // 2 - 6).hex().encode() + b' "}'
    assert len(body) == LARGEST
    id = taken(submit(world, uploaded(world, body), Origin="https://example.com"))
    (stored,) = world.stored()
    assert world.payloads() == [body]
    assert stored["original_size"] == LARGEST
    assert (stored["content_type"], stored["domain"]) == ("application/json", "example.com")
    assert set(world.edge.objects) == {f"acme/{id}"}


@pytest.mark.parametrize(
    ("body", "kind", "status", "outside"),
    [
        (ADA, "application/json", "PENDING", False),
        (LARGE, "application/json", "PENDING", True),
        (b'{"website":"spam","file":"' + b"x" * 90_000 + b'"}', "application/json", "QUARANTINED",
         False),
        (b"fax=1&file=" + LARGE[9:-2], URLENCODED, "QUARANTINED", True),
    ],
    ids=["small", "large", "robot's, compressed", "robot's form"],
)  # fmt: skip
def test_an_upload_takes_its_step_of_the_ladder_and_is_removed(
    world: World, body: bytes, kind: str, status: str, outside: bool
) -> None:
    id = taken(submit(world, uploaded(world, body, kind)))
    (stored,) = world.stored()
    assert (stored["status"], stored["content_type"]) == (status, kind)
    assert world.payloads() == [body]
    assert set(world.edge.objects) == ({f"acme/{id}"} if outside else set())


def test_an_address_takes_the_announced_bytes_and_nothing_else(world: World) -> None:
    offer = announce(world, announced(LARGE)).json
    query = parse_qs(urlsplit(offer["url"]).query)
    assert query["X-Amz-Expires"] == ["900"] == [str(offer["expires_in"])]
    signed = "content-length;content-type;host;x-amz-checksum-sha256"
    assert query["X-Amz-SignedHeaders"] == [signed]
    headers = offer["headers"]
    assert put(world, offer["url"], headers, LARGE + b" ") == 403
    assert put(world, offer["url"], headers, LARGE[:-1]) == 403
    assert put(world, offer["url"], headers, LARGE[::-1]) == 400
    other = {**headers, "Content-Type": "text/html"}
    assert put(world, offer["url"], other, LARGE) == 403
    checksum = announce(world, announced(LARGE[::-1])).json["headers"]
    assert put(world, offer["url"], checksum, LARGE[::-1]) == 403
    elsewhere = offer["url"].replace("_uploads/acme/", "_uploads/acm/")
    assert put(world, elsewhere, headers, LARGE) == 403
    longer = offer["url"].replace("Expires=900", "Expires=9000")
    assert put(world, longer, headers, LARGE) == 403
    assert world.edge.objects == {}
    assert put(world, offer["url"], headers, LARGE) == 200
    assert set(world.edge.objects) == {f"_uploads/acme/{offer['upload_id']}"}


def test_an_upload_is_one_submission_however_often_and_whenever_it_is_signed(world: World) -> None:
    document = uploaded(world, LARGE)
    first = taken(submit(world, document))
    for _ in range(2):
        world.clock.pass_by(hours=20)
        assert taken(submit(world, document)) == first
    assert len(world.stored()) == len(world.requests()) == 1
    # Uploaded anew after the first was taken: the key says that it is the same.
    again = uploaded(world, ADA)
    once = taken(submit(world, again, Idempotency_Key="order 7"))
    world.clock.pass_by(seconds=1)
    another = uploaded(world, ADA)
    assert taken(submit(world, another, Idempotency_Key="order 7")) == once
    assert taken(world.send(ADA, Idempotency_Key="order 7")) == once
    assert [key for key in world.edge.objects if key.startswith("_uploads")] == []


def test_a_key_cannot_be_used_for_another_upload_whether_it_is_there_or_not(world: World) -> None:
    taken(submit(world, uploaded(world, LARGE), Idempotency_Key="k"))
    other = uploaded(world, ADA)
    for _ in range(2):
        assert "Idempotency-Key" in problem(submit(world, other, Idempotency_Key="k"), 422)
        world.edge.objects = {k: v for k, v in world.edge.objects.items() if k[0] != "_"}
    assert len(world.stored()) == 1


def test_an_upload_is_one_submission_whatever_keys_it_is_sent_with(world: World) -> None:
    document = uploaded(world, LARGE)
    place = f"_uploads/acme/{document['upload_id']}"
    first = taken(submit(world, document, Idempotency_Key="0"))
    for number, there in enumerate((True, False, True, False), start=1):
        # The bucket may still have it, or have it again.
        world.edge.objects |= {place: LARGE} if there else {}
        assert taken(submit(world, document, Idempotency_Key=str(number))) == first
    assert taken(submit(world, document)) == first
    assert len(world.stored()) == 1
    # A key that it was taken under stands for it, however it comes the next time.
    assert taken(world.send(LARGE, Idempotency_Key="3")) == first


def test_an_upload_cannot_be_submitted_to_another_form(world: World) -> None:
    world.configure("acme", forms={"contact": {}, "other": {}})
    document = uploaded(world, LARGE)
    taken(submit(world, document))
    for _ in range(2):
        assert "/upload_id" in problem(submit(world, document, "other"), 422)
        world.edge.objects[f"_uploads/acme/{document['upload_id']}"] = LARGE
    assert len(world.stored()) == 1


def test_an_upload_that_is_not_there_leaves_nothing_behind(world: World) -> None:
    offered = announce(world, announced(LARGE)).json["upload_id"]
    wrong = problem(submit(world, {"upload_id": offered, **announced(LARGE)}), 409)
    assert list(wrong) == ["/upload_id"]
    assert world.stored() == world.requests() == []


def test_another_upload_than_was_named_is_refused_and_stays(world: World) -> None:
    document = uploaded(world, LARGE)
    before = dict(world.edge.objects)
    for changes, pointer in (
        ({"size": len(LARGE) - 1}, "/size"),
        ({"size": len(LARGE) + 1}, "/size"),
        ({"sha256": "0" * 64}, "/sha256"),
    ):
        wrong = problem(submit(world, {**document, **changes}), 422)
        assert wrong == {pointer: "is not that of the upload"}
    assert world.stored() == world.requests() == []
    assert world.edge.objects == before
    taken(submit(world, document))


def test_an_upload_that_is_no_json_is_refused_like_any_body(world: World) -> None:
    document = uploaded(world, LARGE[:-1])
    for _ in range(2):
        assert "must be JSON" in problem(submit(world, document), 400)[""]
    assert world.stored() == world.requests() == []


def test_no_tenant_reaches_the_upload_of_another(world: World) -> None:
    document = uploaded(world, LARGE)
    headers = world.signed(json.dumps(document).encode(), tenant="acm", kind=UPLOADED)
    problem(submit(world, document, headers=headers), 409)
    taken(submit(world, document))


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"size": "7"}, {"/size"}),
        ({"size": -1}, {"/size"}),
        ({"size": 1.5}, {"/size"}),
        ({"size": True}, {"/size"}),
        ({"sha256": "F" * 64}, {"/sha256"}),
        ({"sha256": "0" * 63}, {"/sha256"}),
        ({"content_type": "text/html", "name": "a.html"}, {"/content_type", "/name"}),
        ({"upload_id": "../acm/x"}, {"/upload_id"}),
    ],
)
def test_documents_in_another_form_are_refused_with_what_is_accepted(
    world: World, changes: dict[str, Any], pointers: set[str]
) -> None:
    document = {**announced(LARGE), **changes}
    assert problem(announce(world, document), 400).keys() == pointers
    named = {"upload_id": "0194a211-7280-7abc-8def-0123456789ab", **document}
    if "upload_id" in changes:
        assert "UUID" in problem(submit(world, named), 400)["/upload_id"]
    else:
        assert problem(submit(world, named), 400).keys() == pointers


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'"x"', b"[" * 9_000])
def test_what_is_no_document_is_refused(world: World, body: bytes) -> None:
    for answer in (world.send(body, to="uploads"), world.send(body, kind=UPLOADED)):
        assert "must be a JSON object of " in problem(answer, 400)[""]
    assert "is required" in problem(world.send(b"{}", to="uploads"), 400)["/size"]
    problem(world.send(b"{}", to="uploads", kind=URLENCODED), 415)


def test_more_than_ten_megabytes_are_refused_before_they_are_sent(world: World) -> None:
    document = {**announced(ADA), "size": LARGEST + 1}
    assert problem(announce(world, document), 413) == {"/size": f"must be at most {LARGEST}"}
    assert announce(world, {**document, "size": LARGEST}).status == 201


def test_only_who_may_submit_may_upload(world: World) -> None:
    document = announced(LARGE)
    forged = {**world.signed(), "X-Form-Signature": "v1=" + "0" * 64}
    assert problem(announce(world, document, headers=forged), 401) == {}
    # A signature of a submission is none of an announcement.
    body = json.dumps(document).encode()
    assert problem(announce(world, document, headers=world.signed(body)), 401) == {}
    problem(announce(world, document, form="other"), 404)
    world.configure("acme", requests_per_minute=2)
    world.start()
    assert announce(world, document).status == 201
    world.clock.pass_by(seconds=1)
    assert announce(world, document).status == 201
    problem(announce(world, document), 429)
    world.configure("acme", state="disabled")
    world.start()
    problem(announce(world, document), 403)


def test_eight_who_submit_one_upload_leave_one_submission(world: World) -> None:
    upload = named(json.dumps(uploaded(world, LARGE)).encode(), "acme")

    def take(number: int) -> str:
        # Some name a key of their own, some none.
        key = f"key {number}" if number % 3 else None
        about = ("acme", "contact", "application/json")
        sent = SentForm(*about, LARGE, key, upload=upload.upload_id)
        store = world.forms.store(world.forms.database.caller)
        submissions = SubmissionIntake(store, PayloadCompressionManager(world.edge, BUCKET))
        uploads = Uploads(world.edge, BUCKET, presign())
        if uploads.read(upload) is None:
            found = submissions.finished("acme", key, upload.upload_id, sent.digest)
            assert found is not None
            return found.submission_id
        found = submissions.take(sent, {}, world.clock.moment, None)
        uploads.remove(upload)
        return found.submission_id

    with ThreadPoolExecutor(8) as senders:
        ids = set(senders.map(take, range(8)))
    (stored,) = world.stored()
    assert ids == {stored["submission_id"]}
    assert world.payloads() == [LARGE]
    assert set(world.edge.objects) == {f"acme/{stored['submission_id']}"}


def test_what_was_removed_is_not_stored_again_by_a_repetition(world: World) -> None:
    document = uploaded(world, LARGE)
    first = taken(submit(world, document))
    (stored,) = world.stored()
    world.forms.store().delete(Forms.delete_submission, key_of(stored))
    world.edge.objects.clear()
    world.edge.objects[f"_uploads/acme/{document['upload_id']}"] = LARGE
    assert taken(submit(world, document)) == first
    assert taken(submit(world, document)) == first
    assert world.stored() == []
    assert world.edge.objects == {}
