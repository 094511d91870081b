"""Webhooks over TLS, to a server of this machine under a certificate of its own authority.

Both certificates are valid until 2120 and certify nothing but the name that the tests use.
"""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lambdas.forms.destinations.shipment import DeliveryOutcome
from tests.integration.forms.delivery.deliveries import PAYLOAD
from tests.integration.forms.delivery.test_deliver_webhook import NOW, sender, shipment
from tests.integration.sentiment.sources.server import Answer, Server, running

FOLDER = Path(__file__).parent / "certificates"
NAME = "hooks.example.com"


class Secure:
    """A server behind TLS, and the names that it was asked for."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.asked: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(FOLDER / f"{NAME}.pem")
        context.sni_callback = lambda _, name, __: self.asked.append(name)
        server.socket = context.wrap_socket(server.socket, server_side=True)

    def deliver(self, host: str = NAME, **settings: Any) -> DeliveryOutcome:
        trusted = ssl.create_default_context(cafile=FOLDER / "authority.pem")
        given = {"context": trusted, "resolver": lambda *_: ["127.0.0.1"], **settings}
        url = f"https://{host}:{self.server.server_port}/hooks"
        return sender(**given).deliver(shipment(url), NOW)


@pytest.fixture
def secure() -> Iterator[Secure]:
    with Server() as server:
        made = Secure(server)
        with running(server):
            yield made


def test_the_name_is_asked_for_and_certified_while_the_address_was_looked_at(
    secure: Secure,
) -> None:
    secure.server.will_answer(Answer(status=204, body=b""))
    assert secure.deliver() == DeliveryOutcome(response_status=204)
    (request,) = secure.server.requests
    assert request.body.encode() == PAYLOAD
    assert request.headers["host"] == f"{NAME}:{secure.server.server_port}"
    assert secure.asked == [NAME]


def test_nothing_is_sent_to_whoever_has_no_certificate_for_the_name(secure: Secure) -> None:
    outcome = secure.deliver("other.example.com")
    assert outcome.error == "the destination did not answer: SSLCertVerificationError"
    assert outcome.again
    assert secure.server.requests == []


def test_nothing_is_sent_under_a_certificate_that_nobody_we_trust_has_signed(
    secure: Secure,
) -> None:
    outcome = secure.deliver(context=None)
    assert outcome.error == "the destination did not answer: SSLCertVerificationError"
    assert secure.server.requests == []


def test_a_name_that_changes_its_address_is_asked_for_once(secure: Secure) -> None:
    """The second answer would lead elsewhere: to nobody, where the first leads to the server."""
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    secure.server.will_answer(Answer())
    assert secure.deliver(resolver=lambda *_: answers.pop(0)).response_status == 200
    assert answers == [["10.0.0.1"]]
