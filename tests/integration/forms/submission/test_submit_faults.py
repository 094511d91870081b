"""Every fault at every call of a submission, then the repetition; and what a submission costs."""

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.intake import SentForm, SubmissionIntake
from tablewright.catalog.forms.design import Forms
from tablewright.model import Record
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.testing import FaithfulMeter, survives_every_fault
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.submission.submitting import ADA, BUCKET, NOON, Edge, World, taken
from tests.integration.forms.submission.uploading import submit, uploaded

LARGE = b'{"file":"' + Random(1).randbytes(20_000).hex().encode() + b'"}'


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme", domain="example.com", requests_per_minute=10_000)
    return made


def emptied(world: World) -> Edge:
    world.forms.database.empty(of=lambda item: item["SK"]["S"].startswith(("SUB#", "REQUEST")))
    world.edge.objects.clear()
    return world.edge


@pytest.mark.parametrize("body", [ADA, LARGE], ids=["in the item", "in the bucket"])
@pytest.mark.parametrize("key", [None, "order 7"])
@pytest.mark.parametrize("named", [True, False])
def test_a_submission_is_stored_once_whatever_fails_on_the_way(
    world: World, body: bytes, key: str | None, named: bool
) -> None:
    """Requests are counted to their limit each time that they are made, and so left out here."""
    signed = world.signed(body, named=named, idempotency_key=key or "")
    headers = {**signed, "Origin": "https://example.com"}
    told: set[str] = set()

    def fresh() -> Caller:
        told.clear()
        return emptied(world)

    def work(edge: Caller) -> None:
        world.start(edge)
        answer = world.send(body, headers=headers, **({"Idempotency_Key": key} if key else {}))
        if answer.status == 503:
            raise Unavailable("as the sender sees it")
        told.add(taken(answer))

    def outcome() -> tuple[list[Record], list[Record], list[bytes]]:
        """What is stored, without the ids: those are the same wherever they stand."""
        (stored,) = world.stored()
        (request,) = world.requests()
        id = stored["submission_id"]
        assert told == {id} == {request["submission_id"]}
        assert set(world.edge.objects) == ({f"acme/{id}"} if body is LARGE else set())
        assert world.payloads() == [body]
        hidden = ("submission_id", "payload_key")
        plain = [{n: v for n, v in one.items() if n not in hidden} for one in (stored, request)]
        return plain[:1], plain[1:], list(world.edge.objects.values())

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 8


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "order 7"}], ids=["", "key"])
@pytest.mark.parametrize("body", [ADA, LARGE], ids=["in the item", "in the bucket"])
def test_an_upload_is_stored_once_whatever_fails_on_the_way(
    world: World, body: bytes, headers: dict[str, str]
) -> None:
    document = uploaded(world, body)
    place = f"_uploads/acme/{document['upload_id']}"
    told: set[str] = set()

    def fresh() -> Caller:
        told.clear()
        edge = emptied(world)
        edge.objects[place] = body
        return edge

    def work(edge: Caller) -> None:
        world.start(edge)
        answer = submit(world, document, **headers)
        if answer.status == 503:
            raise Unavailable("as the sender sees it")
        told.add(taken(answer))

    def outcome() -> tuple[Record, Record, list[bytes]]:
        (stored,), requests = map(dict, world.stored()), world.requests()
        assert len(requests) == 1 + len(headers)
        (request,) = (dict(one) for one in requests if "made_by" not in one)
        id = stored.pop("submission_id")
        assert told == {id} == {request.pop("submission_id")}
        assert set(world.edge.objects) == ({f"acme/{id}"} if body is LARGE else set())
        assert stored.pop("payload_key", None) in (None, f"acme/{id}")
        assert request.pop("payload_key") == f"acme/{id}"
        return stored, request, list(world.edge.objects.values())

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 9


class Metered:
    """Meters what goes to DynamoDB."""

    def __init__(self, world: World) -> None:
        self.meter = FaithfulMeter(world.forms.database.caller, Forms.__design__)
        self.edge = Edge(self.meter)
        self.edge.secrets = world.edge.secrets
        world.start(self.edge)

    def units(self, work: Any) -> tuple[Decimal, Decimal, int]:
        self.meter.reset()
        work()
        return self.meter.read_units, self.meter.write_units, self.meter.calls


def test_a_submission_costs_six_writes_and_after_the_first_no_reads(world: World) -> None:
    """One to claim it, one to count it, four to store it: in the table and in three indexes."""
    metered = Metered(world)
    first = metered.units(lambda: taken(world.send()))
    world.clock.pass_by(seconds=1)
    next_one = metered.units(lambda: taken(world.send()))
    # The secrets; the configuration and the epochs, which are read consistently.
    assert first == (Decimal("0.5") + 1 + 1, Decimal(6), 6)
    assert next_one == (Decimal(0), Decimal(6), 3)


def test_a_payload_in_the_bucket_costs_three_writes_more(world: World) -> None:
    """Item and claim are written in one transaction, which writes each of them twice."""
    metered = Metered(world)
    taken(world.send(LARGE))
    world.clock.pass_by(seconds=1)
    units = metered.units(lambda: taken(world.send(LARGE)))
    assert units == (Decimal(0), Decimal(9), 3)


def test_a_repetition_costs_no_second_object_and_no_second_item(world: World) -> None:
    store = world.forms.store()
    sent = SentForm("acme", "contact", "application/json", LARGE, "key")
    SubmissionIntake(store, PayloadCompressionManager(world.edge, BUCKET)).take(
        sent, {}, NOON, None
    )
    world.edge.objects.clear()
    SubmissionIntake(store, PayloadCompressionManager(world.edge, BUCKET)).take(
        sent, {}, NOON, None
    )
    assert world.edge.objects == {}
    assert len(world.stored()) == 1
