"""Webhooks over real connections: what is sent, what comes back, and where nothing is sent."""

import hashlib
import hmac
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from lambdas.forms.destinations import connection
from lambdas.forms.destinations import webhook as webhooks
from lambdas.forms.destinations.shipment import DeliveryOutcome, Shipment
from lambdas.forms.destinations.webhook import WebhookDestination
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.delivery.deliveries import PAYLOAD, World, webhook
from tests.integration.sentiment.sources.server import (
    Answer,
    Drip,
    Drop,
    Flood,
    Hang,
    Request,
    Server,
    running,
)
from toolchain.paths import ROOT

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
SECRET = "whsec-of-the-tenant"
ID = "0194a211-7280-7abc-8def-0123456789ab"
PAGE = (ROOT / "docs" / "forms.md").read_text()
IMPORTS = "import hmac\nfrom datetime import datetime\nfrom hashlib import sha256\n"


class DripHead(Answer):
    """Sends a head without an end, a byte at a time."""

    def send(self, handler: Any) -> None:
        handler.close_connection = True
        try:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while not handler.server.over.wait(0.02):
                handler.wfile.write(b"x")
        except OSError:
            return


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started


def shipment(url: Any, *key_ids: str) -> Shipment:
    given = {"url": url}
    made = Shipment("acme", ID, "contact", "2025-01-26T10:04:00.000Z", "crm", given, PAYLOAD)
    return made._replace(key_ids=key_ids or ("hook-1",))


def sender(**settings: Any) -> WebhookDestination:
    return WebhookDestination(
        lambda tenant, key: SECRET, **{"local": True, "seconds": 5.0, **settings}
    )


def test_the_payload_arrives_as_it_was_sent_signed_and_with_its_key(server: Server) -> None:
    server.will_answer(Answer(status=204, body=b""))
    outcome = sender().deliver(shipment(f"{server.url}/hooks/forms?a=1"), NOW)
    assert outcome == DeliveryOutcome(response_status=204)
    (request,) = server.requests
    assert (request.method, request.path, request.parameters) == (
        "POST",
        "/hooks/forms",
        {"a": "1"},
    )
    assert request.body.encode() == PAYLOAD
    assert request.headers["idempotency-key"] == f"{ID}:crm"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == server.url.removeprefix("http://")
    signed = (b"application/json", f"{ID}:crm".encode(), PAYLOAD)
    digests = ":".join(hashlib.sha256(one).hexdigest() for one in signed)
    moment = f"{int(NOW.timestamp())}.000000"
    said = f"v2:{moment}:POST:/hooks/forms?a=1:{digests}"
    expected = hmac.new(SECRET.encode(), said.encode(), hashlib.sha256).hexdigest()
    assert request.headers["x-form-signature"] == f"v2={expected}"
    assert request.headers["x-form-timestamp"] == moment


def test_redirects_are_not_followed(server: Server) -> None:
    for status in (301, 302, 307, 308):
        server.will_answer(Answer(status=status, headers={"Location": f"{server.url}/inside"}))
        outcome = sender().deliver(shipment(f"{server.url}/hooks"), NOW)
        assert (outcome.response_status, outcome.again) == (status, False)
    assert {request.path for request in server.requests} == {"/hooks"}


@pytest.mark.parametrize("answer", [Drop(), Hang(), DripHead()])
def test_an_answer_that_does_not_come_is_worth_another_attempt(
    server: Server, answer: Answer
) -> None:
    # For as long as the test takes: a sender without a bound would not come back.
    server.will_answer(answer)
    outcome = sender(seconds=0.5).deliver(shipment(server.url), NOW)
    assert outcome.again
    assert str(outcome.error).startswith("the destination did not answer: ")


@pytest.mark.parametrize("answer", [Drip(), Flood()])
def test_an_answer_without_an_end_is_not_read(server: Server, answer: Answer) -> None:
    server.will_answer(answer)
    outcome = sender().deliver(shipment(server.url), NOW)
    assert outcome == DeliveryOutcome(response_status=200)


def test_nobody_there_is_worth_another_attempt() -> None:
    with running() as started:
        url = started.url
    outcome = sender().deliver(shipment(url), NOW)
    assert outcome.again
    assert outcome.error == "the destination did not answer: ConnectionRefusedError"


@pytest.mark.parametrize(
    "url",
    [
        *("", None, 7, "crm.example.com", "ftp://example.com/", "https://", "file:///etc/passwd"),
        *("https://user@example.com/", "https://a:b@example.com/", "https://example.com:x/"),
        *("https://exa mple.com/", "https://example.com/\r\nX: y", "https://example.com\\@in/"),
        *("https://[fe80::1%25eth0]/", "https://[::1/", "https://example.com/" + "x" * 2048),
        *("http://example.com/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/"),
        *("https://2130706433/", "https://127.1/", "https://[64:ff9b::7f00:1]/"),
        *("https://[::ffff:8.8.8.8]/", "https://[2002:7f00:1::]/", "https://[2001::1]/"),
    ],
)
def test_what_is_no_address_is_refused_and_nobody_is_asked(url: Any) -> None:
    def resolver(host: str, port: int) -> list[str]:
        raise AssertionError("no name is to be resolved")

    outcome = WebhookDestination(lambda *_: SECRET, resolver=resolver).deliver(shipment(url), NOW)
    assert str(outcome.error).startswith("the destination's url must ")
    assert not outcome.again


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("inside.example.com", ["10.0.0.1"]),
        ("metadata.example.com", ["169.254.169.254"]),
        ("mixed.example.com", ["8.8.8.8", "192.168.0.1"]),
        ("mapped.example.com", ["::ffff:127.0.0.1"]),
        ("nat64.example.com", ["64:ff9b::7f00:1"]),
    ],
)
def test_names_that_lead_inside_are_refused(host: str, addresses: list[str]) -> None:
    webhook = WebhookDestination(lambda *_: SECRET, resolver=lambda *_: addresses)
    outcome = webhook.deliver(shipment(f"https://{host}/"), NOW)
    assert outcome == DeliveryOutcome("the destination's address is not public")


def test_plain_requests_stay_on_this_machine_even_when_they_are_allowed() -> None:
    outcome = sender(resolver=lambda *_: ["8.8.8.8"]).deliver(shipment("http://localhost/"), NOW)
    assert outcome == DeliveryOutcome("the destination's address is not public")
    assert sender().deliver(shipment("http://example.com/"), NOW).error == (
        "the destination's url must be an https URL"
    )


class Informational(Answer):
    """Informational answers before the one that is meant."""

    def send(self, handler: Any) -> None:
        for status in self.body:
            handler.send_response_only(status)
            handler.send_header("Link", "</style.css>; rel=preload")
            handler.end_headers()
        handler.send_response(self.status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@pytest.mark.parametrize("before", [[100], [102], [103], [102, 102, 103], [100] * 8])
def test_informational_answers_are_passed_over(server: Server, before: list[int]) -> None:
    server.will_answer(Informational(before, 204), Informational(before, 503))
    assert sender().deliver(shipment(server.url), NOW) == DeliveryOutcome(response_status=204)
    assert sender().deliver(shipment(server.url), NOW).response_status == 503


def test_informational_answers_without_an_end_are_no_answer(server: Server) -> None:
    server.will_answer(Informational([103] * 9, 200))
    outcome = sender().deliver(shipment(server.url), NOW)
    assert (outcome.error, outcome.again) == (
        "the destination did not answer: HTTPException",
        True,
    )


def test_a_name_server_that_never_answers_does_not_hold_the_delivery(server: Server) -> None:
    over = threading.Event()

    def resolver(host: str, port: int) -> list[str]:
        over.wait()
        return ["127.0.0.1"]

    outcome = sender(seconds=0.2, resolver=resolver).deliver(shipment(server.url), NOW)
    assert not over.is_set()
    over.set()
    assert outcome == DeliveryOutcome(
        "the destination's name was not looked up in time", again=True
    )
    assert server.requests == []


def test_the_lookup_of_the_name_is_part_of_the_time_that_a_request_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = [100.0, 107.0]  # before the lookup, and after it
    given: list[float] = []

    def post(*_: Any, seconds: float, **__: Any) -> connection.Answer:
        given.append(seconds)
        return connection.Answer(200, None)

    monkeypatch.setattr(webhooks, "post", post)
    hook = WebhookDestination(
        lambda *_: SECRET, resolver=lambda *_: ["8.8.8.8"], clock=lambda: moments.pop(0)
    )
    assert hook.deliver(shipment("https://example.com/"), NOW).error is None
    assert given == [3.0]


def test_no_time_is_left_to_connect_when_the_lookup_took_it_all(server: Server) -> None:
    target = connection.Target("127.0.0.1", server.server_port, "localhost", False)
    with pytest.raises(connection.NoAnswer, match="too slow"):
        connection.post(target, "/", b"", {}, seconds=0.0)
    assert server.requests == []


def test_an_unsigned_request_is_never_sent(server: Server) -> None:
    missing = WebhookDestination(lambda *_: None, local=True)
    outcome = missing.deliver(shipment(server.url), NOW)
    # It may be that it is made in this moment.
    assert outcome == DeliveryOutcome(
        "no secret is kept for the destination, to sign with", again=True
    )
    assert server.requests == []


def verified(secret: str, request: Request) -> bool:
    """As a receiver does it, by the page that tells how."""
    (code,) = re.findall(r"^```python\n(def verified.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(IMPORTS + code, names)  # noqa: S102 - our own page
    headers = {name.title(): value for name, value in request.headers.items()}
    return bool(names["verified"](secret, request.path, request.body.encode(), headers, NOW))


def test_while_a_secret_is_rotated_whoever_has_either_of_the_two_can_verify(server: Server) -> None:
    values = {"hook-2": "the new one", "hook-1": "the old one"}
    server.will_answer(Answer(), Answer())
    hook = WebhookDestination(lambda tenant, key: values.get(key), local=True)
    assert hook.deliver(shipment(f"{server.url}/hook", "hook-2", "hook-1"), NOW).error is None
    (request,) = server.requests
    assert request.headers["x-form-key-id"] == "hook-2, hook-1"
    assert request.headers["x-form-signature"].count("v2=") == 2
    assert [verified(secret, request) for secret in values.values()] == [True, True]
    assert not verified("another", request)
    del values["hook-2"]  # it is being made
    assert hook.deliver(shipment(f"{server.url}/hook", "hook-2", "hook-1"), NOW).error is None
    assert verified("the old one", server.requests[1])


def test_a_receiver_that_fails_twice_and_then_accepts(
    forms: FormTable, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_WEBHOOKS", "true")
    world = World(forms)
    world.webhook = sender()
    world.tenant("acme", webhook(url=f"{server.url}/hooks"))
    server.will_answer(Answer(status=503), Answer(status=500), Answer(status=200))
    made = world.submit()
    world.drain()
    assert world.attempts(made) == [
        ("crm", 1, "RETRYING"),
        ("crm", 2, "RETRYING"),
        ("crm", 3, "SUCCEEDED"),
    ]
    assert world.status(made) == "DELIVERED"
    assert [request.body.encode() for request in server.requests] == [PAYLOAD] * 3
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1
