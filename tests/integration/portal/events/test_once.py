"""Events are stored once and never changed, whatever is sent again, at once, or half way."""

from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest

from lambdas.portal.events.log import EventLog
from lambdas.portal.events.rules import events_from
from tablewright.catalog.portal.events import Events
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.retry import Backoff
from tablewright.testing import Database, survives_every_fault
from tablewright.testing.metering import FaithfulMeter
from tests.integration.http import Answer
from tests.integration.portal.events.event_world import (
    ADA,
    BOB,
    NOW,
    VARIANTS,
    World,
    id_of,
    ids,
    minutes,
    pool,
    problem,
    view,
)


@pytest.fixture(params=list(VARIANTS.values()), ids=list(VARIANTS))
def world(
    request: pytest.FixtureRequest, dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> World:
    return World(dynamodb, monkeypatch, request.param)


def test_the_same_batch_thrice_is_stored_once(world: World) -> None:
    batch = [view(n, NOW - minutes(n)) for n in range(5)]
    told = world.send(*batch)
    stored = world.items()
    for _ in range(2):
        world.now += minutes(10)
        assert world.send(*batch) == told
    assert world.items() == stored
    assert len(stored) == 5


def test_batches_that_overlap_are_stored_once(world: World) -> None:
    events = [view(n) for n in range(9)]
    for begin in (0, 3, 1):
        world.send(*events[begin : begin + 6])
    assert ids(world.stored()) == ids(events)


def test_an_event_is_changed_by_nobody(world: World) -> None:
    world.send(view(1), view(2, metadata={"n": 2, "of": [1, {"a": None}]}))
    before = world.items()
    tried = [
        (BOB, view(1)),
        (ADA, view(1, event_name="content.deleted")),
        (ADA, view(1, metadata={"n": 7})),
        (ADA, view(1, metadata=None)),
        (ADA, view(1, content_id=None)),
        (ADA, view(2, metadata={"n": 2, "of": [1, {"a": False}]})),
    ]
    for claims, event in tried:
        refused = problem(world("POST", {"events": [event]}, claims=claims), 409)
        reason = "belongs to another event: give each its own"
        assert refused == {"/events/0/event_id": reason}
    assert world.items() == before


def test_the_others_of_a_batch_are_stored_beside_a_taken_id(world: World) -> None:
    world.send(view(2), claims=BOB)
    batch = [view(n) for n in (1, 2, 3)]
    for _ in range(2):
        assert list(problem(world("POST", {"events": batch}), 409)) == ["/events/1/event_id"]
    stored = world.stored()
    assert [(e["event_id"], e["user_id"]) for e in stored] == [
        (id_of(1), "ada"),
        (id_of(2), "bob"),
        (id_of(3), "ada"),
    ]


def test_eight_that_send_the_same_at_once_store_it_once(world: World) -> None:
    batch = {"events": [view(n) for n in range(6)]}
    answers = at_once(lambda number: world("POST", batch), 8)
    assert [answer.status for answer in answers] == [202] * 8
    assert ids(world.stored()) == [id_of(n) for n in range(6)]


def test_of_users_who_claim_one_id_at_once_one_has_it(world: World) -> None:
    users = [{**ADA, "sub": f"user-{number}"} for number in range(8)]
    answers = at_once(lambda n: world("POST", {"events": [view()]}, claims=users[n]), 8)
    assert sorted(answer.status for answer in answers) == [202] + [409] * 7
    (winner,) = (n for n, answer in enumerate(answers) if answer.status == 202)
    assert [event["user_id"] for event in world.stored()] == [f"user-{winner}"]


def appended(world: World, edge: Caller) -> None:
    body = {"events": [view(n) for n in range(4)]}
    assert EventLog(world.store(edge)).store_events(events_from(body, "ada", NOW)) == []


def test_every_fault_at_every_call_of_a_batch(world: World) -> None:
    calls = survives_every_fault(
        lambda edge: appended(world, edge), world.items, fresh=world.emptied
    )
    assert len(calls) == 1
    assert ids(world.stored()) == [id_of(n) for n in range(4)]


def test_every_fault_at_every_call_of_a_batch_that_is_sent_again(world: World) -> None:
    """Two of it are there, which makes a call that looks at them."""
    two = events_from({"events": [view(n) for n in (1, 2)]}, "ada", NOW)

    def fresh() -> Caller:
        edge = world.emptied()
        assert all(world.store().create_many(Events.store_event, two))
        return edge

    calls = survives_every_fault(lambda edge: appended(world, edge), world.items, fresh=fresh)
    assert len(calls) == 2
    assert ids(world.stored()) == [id_of(n) for n in range(4)]


class Refusing:
    """Throttles the events with some numbers, so many times."""

    def __init__(self, caller: Caller, numbers: set[int], times: int = 1000) -> None:
        self._caller = caller
        self.numbers = numbers
        self.times = times

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation != "BatchExecuteStatement":
            return self._caller.call(operation, params)
        refused = [self._refused(one) for one in params["Statements"]]
        self.times -= any(refused)
        passed = [s for s, no in zip(params["Statements"], refused, strict=True) if not no]
        answers = []
        if passed:
            answers = self._caller.call(operation, {**params, "Statements": passed})["Responses"]
        error = {"Error": {"Code": "ThrottlingError", "Message": "injected"}}
        return {"Responses": [error if no else answers.pop(0) for no in refused]}

    def _refused(self, statement: dict[str, Any]) -> bool:
        documents = (one["M"] for one in statement["Parameters"] if "M" in one)
        numbers = {int(one["n"]["N"]) for one in documents if "n" in one}
        return self.times > 0 and bool(numbers & self.numbers)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: None)


@pytest.mark.usefixtures("impatient")
def test_events_that_are_throttled_for_a_while_are_stored_in_the_same_request(
    world: World,
) -> None:
    refusing = Refusing(world.edge, {1, 4, 5}, times=3)
    world.start(refusing)
    assert world("POST", {"events": [view(n) for n in range(8)]}).status == 202
    assert refusing.times == 0
    assert ids(world.stored()) == [id_of(n) for n in range(8)]


@pytest.mark.usefixtures("impatient")
def test_a_batch_of_which_some_were_throttled_is_completed_by_its_repetition(world: World) -> None:
    refusing = Refusing(world.edge, {1, 4, 5})
    world.start(refusing)
    batch = {"events": [view(n) for n in range(8)]}
    assert problem(world("POST", batch), 503) == {}
    # The others are not held up by them.
    assert ids(world.stored()) == [id_of(n) for n in (0, 2, 3, 6, 7)]
    refusing.numbers = set()
    assert world("POST", batch).status == 202
    assert ids(world.stored()) == [id_of(n) for n in range(8)]


def test_an_event_costs_two_writes_and_no_reads(world: World) -> None:
    """As many as without a condition: one in the table, one in the index."""
    meter = FaithfulMeter(world.edge, world.table.__design__)
    log = EventLog(world.store(meter))
    events = events_from({"events": [view(n) for n in range(10)]}, "ada", NOW)
    log.store_events(events)
    assert (meter.write_units, meter.read_units, meter.calls) == (Decimal(20), Decimal(0), 1)
    meter.reset()
    log.store_events(events)
    # Sent again: a write to the table that is refused, and a look at each.
    assert (meter.write_units, meter.read_units, meter.calls) == (Decimal(10), Decimal(10), 2)


def test_a_failing_table_is_answered_as_busy(world: World) -> None:
    class Gone:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            raise Unavailable("injected")

    world.start(Gone())
    for answer in (world("POST", {"events": [view()]}), world("GET", user_id="ada")):
        assert problem(answer, 503) == {}
        assert "retry-after" in answer.headers


def at_once(work: Any, many: int) -> list[Answer]:
    barrier = Barrier(many)

    def begin(number: int) -> Answer:
        barrier.wait()
        answer: Answer = work(number)
        return answer

    with pool(many) as executor:
        return list(executor.map(begin, range(many)))
