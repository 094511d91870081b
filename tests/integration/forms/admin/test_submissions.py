"""The admin API: submissions, their payloads, their attempts, and delivering them again."""

import json
from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.payload_compression import PayloadCompressionManager
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import SUBMISSION_STATUSES, DeliveryAttempt
from tablewright.model import replaced
from tests.integration.forms.admin.administration import (
    ADA,
    BOB,
    EVE,
    NOW,
    OPERATOR,
    WEBHOOK,
    Admin,
    conforms,
    problem,
)
from tests.integration.forms.conftest import FormTable, ids, submission

ROUTED = {"contact": {"destinations": ["crm", "archive", "off", "missing"]}}


@pytest.fixture
def admin(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> Admin:
    return Admin(forms, monkeypatch)


def stored(admin: Admin, number: int = 0, payload: bytes | None = None, **fields: Any) -> Any:
    record = submission(NOW - timedelta(seconds=number), number, **fields)
    if payload is not None:
        payloads = PayloadCompressionManager(admin.cloud, "payloads", item_bytes=10**6)
        record = replaced(record, **payloads.store(payloads.process_payload(payload), key=""))
    return admin.forms.store().put(Forms.put_submission, record)


@pytest.mark.parametrize("shards", [1, 4])
def test_submissions_are_listed_by_time_by_status_and_by_form(admin: Admin, shards: int) -> None:
    admin.forms.set_epochs("acme", (NOW - timedelta(days=1), shards))
    made = [
        stored(
            admin,
            number,
            status=SUBMISSION_STATUSES[number % 4],
            form_id=("contact", "newsletter")[number % 3 == 0],
        )
        for number in range(24)
    ]
    stored(admin, 99, tenant_id="acme-2")

    def found(**asked: Any) -> list[str]:
        return ids(admin.all("/submissions", "ListedPage", 5, **asked))

    assert found() == ids(made)
    failed = [one for one in made if one["status"] == "FAILED"]
    assert found(status="FAILED") == ids(failed)
    news = [one for one in made if one["form_id"] == "newsletter"]
    assert found(form_id="newsletter") == ids(news)
    both = [one for one in news if one["status"] == "FAILED"]
    assert both
    assert found(form_id="newsletter", status="FAILED") == ids(both)
    bounds = {"since": made[9]["timestamp"], "until": made[4]["timestamp"]}
    assert found(**bounds) == ids(made[4:10])
    assert found(status="FAILED", **bounds) == ids([one for one in made[4:10] if one in failed])
    assert len(found(claims=EVE)) == 1
    assert found(claims=OPERATOR, tenant_id="acme-2") == found(claims=EVE)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"status": "LOST"}, "status"),
        ({"form_id": "a/b"}, "form_id"),
        ({"since": "yesterday"}, "since"),
        ({"until": "2025-01-26"}, "until"),
        ({"since": "2025-01-26T10:00:00.000Z", "until": "2025-01-25T10:00:00.000Z"}, "until"),
        ({"limit": "1000"}, "limit"),
        ({"sort": "x"}, "sort"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_what_cannot_be_asked_is_refused(admin: Admin, asked: dict[str, Any], named: str) -> None:
    assert problem(admin("GET", "/submissions", **asked), 400).keys() == {named}


@pytest.mark.parametrize(
    ("payload", "member"),
    [
        (b'{"name":"Ada","n":1e400,"d":0.1000000000000000055,"a":1,"b":2}', "payload"),
        (json.dumps({"text": "Grüße 🎈 " * 900}).encode(), "payload"),
        (b"[]", "payload"),
        (b"null", "payload"),
        (b"name=Ada&message=Hello", "payload_text"),
        (b'{"a": NaN}', "payload_text"),
        (b"", "payload_text"),
        (b"\xff\x00", "payload_base64"),
    ],
)
def test_a_payload_is_told_as_it_was_sent(admin: Admin, payload: bytes, member: str) -> None:
    made = stored(admin, payload=payload)
    read = admin("GET", f"/submissions/{made['submission_id']}")
    assert conforms(read, "Submission")
    told = {name for name in read.json if name.startswith("payload")}
    assert told == {member}
    assert read.json["original_size"] == len(payload)
    assert read.json["content_type"] == made["content_type"] == "application/json"
    if member == "payload":
        assert payload.decode() in read.text
    if member == "payload_text":
        assert read.json[member] == payload.decode()


def test_a_payload_that_no_answer_can_hold_is_read_by_a_link_for_five_minutes(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stored(admin)
    payload = b'"' + b"x" * 6_000_000 + b'"'
    monkeypatch.setattr(PayloadCompressionManager, "fetch", lambda self, record: payload)
    read = admin("GET", f"/submissions/{made['submission_id']}")
    assert conforms(read, "Submission")
    assert "payload" not in read.json
    place = f"_links/acme/{made['submission_id']}"
    assert read.json["payload_url"] == f"https://payloads/{place}?seconds=300"
    assert read.json["payload_url_expires_in"] == 300
    # As it was sent, and for saving only: nothing of a sender's runs under our name.
    laid_out = admin.cloud.objects[place]
    assert laid_out["Body"] == payload
    assert laid_out["ContentType"] == "application/octet-stream"
    assert laid_out["ContentDisposition"].startswith("attachment")


def test_a_submission_of_another_tenant_is_not_found(admin: Admin) -> None:
    id = stored(admin)["submission_id"]
    for method, path in (("GET", ""), ("POST", "/redeliver")):
        problem(admin(method, f"/submissions/{id}{path}", claims=EVE), 404)
    assert admin("GET", f"/submissions/{id}/attempts", claims=EVE).json["items"] == []
    problem(admin("GET", "/submissions/not-an-id"), 400)
    problem(admin("GET", "/submissions/0194a211-7280-7abc-8def-0123456789ac"), 404)


def attempted(admin: Admin, id: str, destination: str, *statuses: str, first: int = 1) -> None:
    example = DeliveryAttempt.__entity__.example
    for number, status in enumerate(statuses, first):
        made = {"submission_id": id, "destination_id": destination}
        admin.forms.store().put(
            Forms.put_attempt,
            DeliveryAttempt(**{**example, **made, "attempt_num": number, "status": status}),
        )


def test_attempts_of_a_submission_are_listed_in_order(admin: Admin) -> None:
    id = stored(admin)["submission_id"]
    attempted(admin, id, "crm", *["RETRYING"] * 10, "SUCCEEDED")
    attempted(admin, id, "archive", "SUCCEEDED")
    found = admin.all(f"/submissions/{id}/attempts", "AttemptPage", 4)
    order = [(one["destination_id"], one["attempt_num"]) for one in found]
    assert order == [("archive", 1), *(("crm", number) for number in range(1, 12))]


@pytest.fixture
def routed(admin: Admin) -> Admin:
    admin.tenant()
    for name in ("crm", "archive", "off"):
        admin("POST", "/destinations", {**WEBHOOK, "destination_id": name})
    off = admin("PATCH", "/destinations/off", {"state": "disabled"}, headers={"if-match": "*"})
    assert off.status == 200
    # Of those that the form is routed to, one was removed since.
    admin.forms.store().update(Forms.update_config, {"tenant_id": "acme"}, {"forms": ROUTED})
    return admin


def sent(admin: Admin) -> list[tuple[str, int]]:
    found = [message["deliver"] for message in admin.cloud.messages]
    assert {one["tenant_id"] for one in found} <= {"acme"}
    return [(one["destination_id"], one["attempt"]) for one in found]


def test_a_submission_is_delivered_again_to_whoever_has_not_taken_it(routed: Admin) -> None:
    id = stored(routed, status="FAILED")["submission_id"]
    attempted(routed, id, "crm", *["RETRYING"] * 7, "FAILED")
    attempted(routed, id, "archive", "SUCCEEDED")
    for _ in range(2):  # a repetition asks for the same attempt
        answer = routed("POST", f"/submissions/{id}/redeliver")
        assert answer.status == 202
        assert conforms(answer, "Enqueued")
        # The first of a new series.
        assert answer.json["attempts"] == [{"destination_id": "crm", "attempt": 9}]
    assert sent(routed) == [("crm", 9), ("crm", 9)]


def test_what_is_being_retried_is_asked_for_at_once_and_in_no_second_series(routed: Admin) -> None:
    id = stored(routed, status="PENDING")["submission_id"]
    attempted(routed, id, "crm", "RETRYING", "RETRYING")
    for body in (None, {"destination_id": "crm"}):
        answer = routed("POST", f"/submissions/{id}/redeliver", body)
        assert answer.json["attempts"] == [{"destination_id": "crm", "attempt": 3}]
    assert sent(routed) == [("crm", 3), ("crm", 3)]


def test_more_redeliveries_than_there_are_numbers_are_refused(routed: Admin) -> None:
    id = stored(routed, status="FAILED")["submission_id"]
    attempted(routed, id, "crm", "FAILED", first=992)
    for body in (None, {"destination_id": "crm"}):
        problem(routed("POST", f"/submissions/{id}/redeliver", body), 409)
    assert routed.cloud.messages == []


def test_what_was_held_back_is_released_to_the_destinations_of_its_form(routed: Admin) -> None:
    id = stored(routed, payload=b"{}", status="QUARANTINED")["submission_id"]
    assert routed("POST", f"/submissions/{id}/redeliver").status == 202
    # Those that there are, and that are not disabled.
    assert sent(routed) == [("crm", 1), ("archive", 1)]
    assert routed("GET", f"/submissions/{id}").json["status"] == "PENDING"


def test_a_destination_can_be_named_whether_or_not_it_has_taken_it(routed: Admin) -> None:
    id = stored(routed, status="DELIVERED")["submission_id"]
    attempted(routed, id, "crm", "SUCCEEDED")
    attempted(routed, id, "archive", "PENDING")
    path = f"/submissions/{id}/redeliver"
    routed("POST", path, {"destination_id": "crm"})
    # One that is yet to be made is asked for once more.
    routed("POST", path, {"destination_id": "archive"})
    assert sent(routed) == [("crm", 9), ("archive", 1)]
    problem(routed("POST", path, {"destination_id": "missing"}), 404)
    problem(routed("POST", path, {"destination_id": "off"}), 409)
    assert problem(routed("POST", path, {"destination_id": 5}), 400).keys() == {"/destination_id"}
    assert problem(routed("POST", path, {"to": "crm"}), 400).keys() == {"/to"}
    problem(routed("POST", path, []), 400)
    attempted(routed, id, "archive", "SUCCEEDED", first=2)
    problem(routed("POST", path), 409)
    assert len(routed.cloud.messages) == 2


LISTS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("/submissions", {}, ADA),
    ("/submissions", {"status": "PENDING"}, ADA),
    ("/submissions", {"form_id": "contact"}, ADA),
    ("/domains", {}, ADA),
    ("/destinations", {}, ADA),
    ("/secrets", {}, ADA),
    ("/tenants", {}, OPERATOR),
]


@pytest.fixture
def filled(admin: Admin) -> Admin:
    for tenant in ("acme", "acme-2"):
        admin.tenant(tenant)
        claims = {"sub": "filler", "custom:tenant": tenant}
        for number in range(3):
            stored(admin, number, tenant_id=tenant)
            domain = {"domain": f"{tenant}-{number}.example"}
            assert admin("POST", "/domains", domain, claims=claims).status == 201
            body = {**WEBHOOK, "destination_id": f"d{number}"}
            assert admin("POST", "/destinations", body, claims=claims).status == 201
            assert admin("POST", "/secrets", claims=claims).status == 201
            admin.wait(days=1)
    return admin


@pytest.mark.parametrize(("path", "asked", "claims"), LISTS)
def test_a_cursor_is_of_no_use_to_anybody_else_or_for_anything_else(
    filled: Admin, path: str, asked: dict[str, Any], claims: dict[str, str]
) -> None:
    cursor = filled("GET", path, claims=claims, limit=1, **asked).json["next_cursor"]
    assert cursor
    edited = [cursor[:-2] + "AA", cursor[1:], cursor + "=", cursor.swapcase(), "", "0" * 5000]
    for other in edited:
        problem(filled("GET", path, claims=claims, limit=1, cursor=other, **asked), 400)
    for somebody in (BOB, {**EVE, "sub": claims["sub"]}):
        everything = {**somebody, "cognito:groups": claims.get("cognito:groups", "")}
        if claims is OPERATOR and somebody is not BOB:
            continue  # the same operator: his list is the same, whatever his own tenant is
        refused = filled("GET", path, claims=everything, limit=1, cursor=cursor, **asked)
        assert problem(refused, 400).keys() == {"cursor"}
    for other_path, others, whose in LISTS:
        if whose is claims and (other_path, others) != (path, asked):
            problem(filled("GET", other_path, claims=claims, cursor=cursor, **others), 400)
    good = filled("GET", path, claims=claims, limit=1, cursor=cursor, **asked)
    assert good.status == 200


def test_counts_of_days_are_told_to_the_tenant_and_of_all_tenants_to_operators(
    admin: Admin,
) -> None:
    client = admin.forms.database.client()
    for tenant in ("acme", "acme-2", "b"):
        for day in ("2024-12-26", "2024-12-27", "2025-01-25", "2025-01-26"):
            key = {"tenant_id": tenant, "date": day}
            counts = {"submission_count": 2, "form_stats": {"contact": 2}}
            item = Forms.__design__.attributes(DailyMetrics.__entity__, {**key, **counts})
            wire = {n: {"N": str(v)} if isinstance(v, int) else {"S": v} for n, v in item.items()}
            client.put_item(TableName="forms", Item=wire)
    told = admin("GET", "/metrics")
    assert conforms(told, "Metrics")
    assert told.json["total_submissions"] == 6
    assert told.json["form_statistics"] == {"contact": 6}
    assert told.json["period"] == "2024-12-27 to 2025-01-26"
    assert admin("GET", "/metrics", days_back=1).json["total_submissions"] == 4
    assert admin("GET", "/metrics", days_back=0).json["total_submissions"] == 2
    for bad in ("-1", "367", "x"):
        assert problem(admin("GET", "/metrics", days_back=bad), 400).keys() == {"days_back"}
    today = admin.all("/metrics/tenants", "TenantDayPage", 2, claims=OPERATOR)
    assert [one["tenant_id"] for one in today] == ["acme", "acme-2", "b"]
    none = admin.all("/metrics/tenants", "TenantDayPage", 2, claims=OPERATOR, date="2025-01-01")
    assert none == []
    for bad in ("today", ""):
        refused = admin("GET", "/metrics/tenants", claims=OPERATOR, date=bad)
        assert problem(refused, 400).keys() == {"date"}


def test_the_document_is_served(admin: Admin) -> None:
    served = admin("GET", "/openapi.json")
    assert (served.status, served.json["openapi"]) == (200, "3.1.0")


@pytest.mark.parametrize(
    "since",
    [
        "2025-01-26T11:59:59.000Z",
        "2025-01-26T11:59:59Z",
        "2025-01-26T11:59:59.000999+00:00",
        "2025-01-26T13:59:59+02:00",
        "20250126T115959Z",
    ],
)
def test_a_list_accepts_every_iso_8601_time_with_a_zone(admin: Admin, since: str) -> None:
    for seconds in range(3):
        stored(admin, seconds)
    listed = admin("GET", "/submissions", since=since, until="2025-01-26T12:00:00Z")
    assert [one["timestamp"][17:19] for one in listed.json["items"]] == ["00", "59"]


@pytest.mark.parametrize("time", ["2025-01-26T12:00:00", "today", "2025-13-26T12:00:00Z"])
def test_a_time_without_a_zone_is_refused(admin: Admin, time: str) -> None:
    errors = problem(admin("GET", "/submissions", until=time), 400)
    assert errors.keys() == {"until"}
