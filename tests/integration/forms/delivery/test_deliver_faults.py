"""Faults at every call of a delivery: the same attempts, the same status, the same objects."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from lambdas.forms.delivery.breaker import BreakerRules
from lambdas.forms.destinations import webhook as web
from lambdas.forms.destinations.connection import Answer, NoAnswer, Target
from lambdas.forms.destinations.shipment import DeliveryOutcome
from lambdas.forms.destinations.webhook import WebhookDestination
from lambdas.forms.payload_compression import PayloadCompressionManager
from tablewright.catalog.forms.submissions import Submission
from tablewright.runtime.aws import Caller
from tablewright.testing import Crash, Database, survives_every_fault
from tests.integration.forms.conftest import NOON, FormTable
from tests.integration.forms.delivery.deliveries import BUSY, Scripted, World, archive, webhook

LARGE = random.Random(1).randbytes(40_000)
REFUSED = DeliveryOutcome("the destination answered 422", response_status=422)


class Trial:
    """A world for each fault, prepared alike."""

    def __init__(self, database: Database, prepare: Callable[[World], Submission], **settings: Any):
        self._forms = FormTable(database)
        self._database = database
        self._prepare = prepare
        self._settings = settings

    def fresh(self) -> Caller:
        self._database.empty()
        self._forms.clock.moment = NOON
        self.world = World(self._forms, **self._settings)
        self.submission = self._prepare(self.world)
        return self.world.edge

    def work(self, caller: Caller) -> None:
        """Consume the queue to its end, as often as it takes."""
        self.world.drain(caller)

    def outcome(self) -> Any:
        destination = self.world.destination()
        return (
            self.world.attempts(self.submission),
            self.world.status(self.submission),
            destination["state"],
            destination.get("failures"),
            destination.get("breaker_until") is None,
            self.world.cloud.objects,
            self.world.dead,
        )


class ByAttempt(Scripted):
    """Answers by the number of the attempt that the world is at, however often it is asked."""

    def __init__(self, world: World, *outcomes: DeliveryOutcome) -> None:
        super().__init__()
        self._world = world
        self._planned = outcomes

    def deliver(self, shipment: Any, now: Any) -> DeliveryOutcome:
        self.shipments.append(shipment)
        made = {"tenant_id": shipment.tenant_id, "submission_id": shipment.submission_id}
        numbers = [n for id, n, _ in self._world.attempts(made) if id == shipment.destination_id]
        place = (max(numbers) - 1) % 8
        return (
            self._planned[place]
            if place < len(self._planned)
            else DeliveryOutcome(response_status=200)
        )


def large(world: World) -> Submission:
    """A submission whose payload is in the bucket, at two destinations."""
    world.tenant("acme", webhook(), archive())
    payloads = PayloadCompressionManager(world.edge, "payloads")
    kept = payloads.store(payloads.process_payload(LARGE, beside=400), key="acme/1")
    assert "payload_key" in kept
    return world.submit(data=None, **kept)


def test_fan_out_and_attempts_survive_every_fault(dynamodb: Database) -> None:
    def prepare(world: World) -> Submission:
        made = large(world)
        world.webhook = ByAttempt(world, BUSY, BUSY)
        return made

    trial = Trial(dynamodb, prepare)
    trial.fresh()
    trial.world.drain()
    assert trial.outcome()[:2] == (
        [
            ("archive", 1, "SUCCEEDED"),
            ("crm", 1, "RETRYING"),
            ("crm", 2, "RETRYING"),
            ("crm", 3, "SUCCEEDED"),
        ],
        "DELIVERED",
    )
    calls = survives_every_fault(_except_destinations(trial), trial.outcome, fresh=trial.fresh)
    assert len(calls) > 30


def _except_destinations(trial: Trial) -> Callable[[Caller], None]:
    """Work whose destinations write past the faults: one there is an attempt that failed."""

    def work(caller: Caller) -> None:
        class Past:
            def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
                own = operation == "PutObject"
                return (trial.world.edge if own else caller).call(operation, params)

        trial.work(Past())

    return work


DESTINATIONS = {
    "S3": archive("crm"),
    "SES": {
        "destination_id": "crm",
        "destination_type": "email",
        "settings": {"to": ["ada@example.com"]},
    },
    "EventBridge": {
        "destination_id": "crm",
        "destination_type": "eventbridge",
        "settings": {"bus": "acme"},
    },
    "HTTP and Secrets Manager": webhook(),
}


@pytest.mark.parametrize("kind", DESTINATIONS)
def test_a_fault_at_a_destination_is_at_most_one_more_attempt(
    dynamodb: Database, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []

    def answer(target: Target, *_: Any, **__: Any) -> Answer:
        reached.append(target.host)
        return Answer(200, None)

    def prepare(world: World) -> Submission:
        reached.clear()
        world.tenant("acme", DESTINATIONS[kind])
        world.webhook = WebhookDestination(lambda *_: None, resolver=lambda *_: ["93.184.216.34"])
        return world.submit()

    monkeypatch.setattr(web, "post", answer)
    trial = Trial(dynamodb, prepare)

    def outcome() -> Any:
        """What was sent twice, because its answer was lost, is the same twice."""
        attempts = trial.world.attempts(trial.submission)
        assert [number for _, number, _ in attempts] == list(range(1, len(attempts) + 1))
        assert len(attempts) <= 2
        assert attempts[-1][2] == "SUCCEEDED"
        cloud = trial.world.cloud
        events = (one["Detail"] for one in cloud.events)
        sent = {repr(one) for one in (*cloud.mails, *events, *reached)}
        return trial.world.status(trial.submission), cloud.objects, sent

    # What is sent to a web server is one of the calls that can fail.
    web_server = (web, "post", NoAnswer("injected"))
    calls = survives_every_fault(trial.work, outcome, fresh=trial.fresh, beside=[web_server])
    assert len(calls) > 10


def test_giving_up_survives_every_fault(dynamodb: Database) -> None:
    def prepare(world: World) -> Submission:
        world.tenant("acme", webhook())
        world.webhook = ByAttempt(world, BUSY, REFUSED)
        return world.submit()

    trial = Trial(dynamodb, prepare)
    trial.fresh()
    trial.world.drain()
    assert trial.outcome()[1] == "FAILED"
    survives_every_fault(trial.work, trial.outcome, fresh=trial.fresh)


def test_a_breaker_that_opens_and_closes_survives_every_fault(dynamodb: Database) -> None:
    def prepare(world: World) -> Submission:
        world.tenant("acme", webhook())
        world.webhook = ByAttempt(world, BUSY, BUSY, BUSY)
        return world.submit()

    trial = Trial(dynamodb, prepare, breaker=BreakerRules(failures=2))
    trial.fresh()
    trial.world.drain()
    assert trial.outcome()[0][-1] == ("crm", 4, "SUCCEEDED")
    survives_every_fault(trial.work, trial.outcome, fresh=trial.fresh)


def test_disabling_what_is_gone_survives_every_fault(dynamodb: Database) -> None:
    gone = DeliveryOutcome("the destination answered 410", response_status=410, disables=True)

    def prepare(world: World) -> Submission:
        world.tenant("acme", webhook())
        world.webhook = ByAttempt(world, gone)
        return world.submit()

    trial = Trial(dynamodb, prepare)
    trial.fresh()
    trial.world.drain()
    assert trial.outcome()[1:3] == ("FAILED", "disabled")
    survives_every_fault(trial.work, trial.outcome, fresh=trial.fresh)


def test_redelivery_survives_every_fault(dynamodb: Database) -> None:
    def prepare(world: World) -> Submission:
        world.tenant("acme", webhook())
        world.webhook = Scripted(REFUSED)
        made = world.submit()
        world.drain()
        return made

    trial = Trial(dynamodb, prepare)

    def work(caller: Caller) -> None:
        trial.world.redeliver(trial.submission, edge=caller)

    def outcome() -> Any:
        trial.world.drain()
        return trial.world.attempts(trial.submission), trial.world.status(trial.submission)

    # Asked for twice, it is delivered twice.
    calls = survives_every_fault(work, outcome, fresh=trial.fresh, twice=False)
    assert outcome() == ([("crm", 1, "FAILED"), ("crm", 9, "SUCCEEDED")], "DELIVERED")
    assert len(calls) >= 5


def test_a_crash_in_the_middle_of_an_attempt_is_taken_over(forms: FormTable) -> None:
    world = World(forms)
    world.tenant("acme", webhook())

    class Dies(Scripted):
        def deliver(self, *args: Any) -> DeliveryOutcome:
            world.webhook = Scripted()
            raise Crash

    world.webhook = Dies()
    made = world.submit()
    try:
        world.drain()
    except Crash:
        assert world.attempts(made) == [("crm", 1, "PENDING")]
    world.drain()
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]
