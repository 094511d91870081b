"""Destinations within AWS: what is sent for small and large payloads, and what errors mean."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.forms.destinations import eventbridge
from lambdas.forms.destinations.email import MOST_BYTES, EmailDestination
from lambdas.forms.destinations.eventbridge import MOST, EventBridgeDestination
from lambdas.forms.destinations.s3 import S3Destination
from lambdas.forms.destinations.shipment import DeliveryOutcome, Shipment
from tablewright.runtime.errors import AccessDenied, StoreError, Throttled, Unavailable

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
ID = "0194a211-7280-7abc-8def-0123456789ab"
SETTINGS = {"to": ["ada@example.com"], "bucket": "acme-archive"}


class Recording:
    """Answers every call alike, or with an error."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.calls: list[dict[str, Any]] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(params)
        if isinstance(self.answer, StoreError):
            raise self.answer
        return self.answer or {"Entries": [{"EventId": "1"}]}


def shipment(payload: bytes, **settings: Any) -> Shipment:
    given = {**SETTINGS, **settings}
    return Shipment("acme", ID, "contact", "2025-01-26T10:04:00.000Z", "crm", given, payload)


def test_an_event_has_the_payload_as_it_was_sent() -> None:
    aws = Recording()
    payload = b'{"n": 12345678901234567890.10, "m": 1e400}'
    assert EventBridgeDestination(aws, "bus").deliver(shipment(payload), NOW) == DeliveryOutcome()
    (entry,) = aws.calls[0]["Entries"]
    assert entry["Detail"].endswith(f'"payload": {payload.decode()}}}')
    assert json.loads(entry["Detail"])["submission_id"] == ID
    assert entry["DetailType"] != "submission.created"


@pytest.mark.parametrize("payload", [b'"' + b"x" * MOST + b'"', b"\xff\x00"])
def test_an_event_has_references_where_it_cannot_have_the_payload(payload: bytes) -> None:
    aws = Recording()
    EventBridgeDestination(aws, "bus").deliver(shipment(payload), NOW)
    detail = json.loads(aws.calls[0]["Entries"][0]["Detail"])
    assert "payload" not in detail
    assert detail["original_size"] == len(payload)


@pytest.mark.parametrize(
    ("payload", "kind", "told"),
    [
        (b"a=1", None, "application/octet-stream"),
        (b"[1]", None, "application/json"),
        (b"a=1", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        (b"123", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        (b"\xef\xbb\xbf{}", "application/json", "application/json"),
    ],
)
def test_a_payload_is_what_its_sender_said_and_else_what_it_looks_like(
    payload: bytes, kind: str | None, told: str
) -> None:
    sent = shipment(payload)._replace(stored_type=kind)
    aws = Recording()
    S3Destination(aws).deliver(sent, NOW)
    assert aws.calls[0]["ContentType"] == told
    detail = json.loads(eventbridge.detail(sent))
    assert detail["content_type"] == told
    # Within an event it is JSON only when it is JSON by its type and by its bytes.
    assert detail["payload"] == ([1] if payload == b"[1]" else payload.decode())
    EmailDestination(aws, "forms@example.com").deliver(sent._replace(payload=b"\xff" * 9), NOW)
    text = aws.calls[1]["Content"]["Simple"]["Body"]["Text"]["Data"]
    assert f"9 bytes of {kind or 'application/octet-stream'}" in text


def test_the_largest_event_is_within_the_limit() -> None:
    sizes = []
    for length in range(MOST - 600, MOST - 200):
        aws = Recording()
        EventBridgeDestination(aws, "bus").deliver(shipment(b'"' + b"x" * length + b'"'), NOW)
        entry = aws.calls[0]["Entries"][0]
        texts = (entry["Source"], entry["DetailType"], entry["Detail"])
        sizes.append(sum(len(text.encode()) for text in texts) + 14)
    assert max(sizes) == MOST


def test_an_entry_that_was_not_taken_is_worth_another_attempt_when_it_may_pass() -> None:
    for code, again in (("ThrottlingException", True), ("NotAuthorizedForSourceException", False)):
        aws = Recording({"Entries": [{"ErrorCode": code, "ErrorMessage": "private"}]})
        outcome = EventBridgeDestination(aws, "bus").deliver(shipment(b"{}"), NOW)
        assert outcome == DeliveryOutcome(f"PutEvents: {code}", again=again)


def test_an_email_has_the_payload_or_what_it_is_found_by() -> None:
    aws = Recording()
    email = EmailDestination(aws, "forms@example.com")
    for payload in (b"Hello", b"x" * (MOST_BYTES + 1)):
        assert email.deliver(shipment(payload), NOW) == DeliveryOutcome()
    texts = [call["Content"]["Simple"]["Body"]["Text"]["Data"] for call in aws.calls]
    assert "Hello" in texts[0]
    assert "xxx" not in texts[1]
    assert all(ID in text for text in texts)


def test_without_an_address_to_send_from_no_mail_is_sent() -> None:
    outcome = EmailDestination(Recording(), "").deliver(shipment(b"{}"), NOW)
    assert outcome == DeliveryOutcome("no address is set that e-mail is sent from")


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (Throttled("Send: Throttling: of ada@example.com"), True),
        (Unavailable("Send: InternalError: of ada@example.com"), True),
        (AccessDenied("Send: AccessDeniedException: of ada@example.com"), False),
    ],
)
def test_errors_of_aws_are_repeated_without_what_they_say(error: StoreError, again: bool) -> None:
    aws = Recording(error)
    for one in (
        EmailDestination(aws, "a@b.c"),
        S3Destination(aws),
        EventBridgeDestination(aws, "bus"),
    ):
        outcome = one.deliver(shipment(b"{}"), NOW)
        assert outcome.again == again
        assert "ada" not in str(outcome.error)


def test_objects_lie_below_their_tenant_whatever_the_prefix() -> None:
    aws = Recording()
    for prefix in ("", "forms", "/forms/", "../globex"):
        S3Destination(aws).deliver(shipment(b"{}", prefix=prefix), NOW)
    assert {call["Key"].split("/")[0] for call in aws.calls} == {"acme"}
    assert len(aws.calls) == 4
