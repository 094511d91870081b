"""The function itself: batches, what it says, and what a delivery costs."""

import io
import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from lambdas.forms.delivery.resources import Resources
from lambdas.forms.handlers import deliver
from tablewright.testing.metering import FaithfulMeter
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.delivery.deliveries import (
    BUSY,
    PAYLOAD,
    SECRET,
    Edge,
    Scripted,
    World,
    archive,
    webhook,
)
from tests.integration.http import Context
from tests.integration.sentiment.http import metered


@pytest.fixture
def world(forms: FormTable) -> World:
    return World(forms)


def records(world: World) -> list[dict[str, str]]:
    taken = [body for _, body, _ in world.cloud.messages]
    world.cloud.messages.clear()
    return [{"messageId": str(number), "body": body} for number, body in enumerate(taken)]


def use(world: World, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """The function over this world; gives its log."""
    log = io.StringIO()
    metered(monkeypatch)
    monkeypatch.setattr(deliver.logger.registered_handler, "stream", log)

    def begin(asked: Any, now: Any) -> Any:
        detail = asked._asdict()
        event = {"source": "tablewright.forms", "detail-type": "submission.created"}
        return world.carry_out(json.dumps({**event, "detail": detail}))

    def attempt(asked: Any, now: Any) -> Any:
        return world.carry_out(asked.message)

    parts = Resources(SimpleNamespace(begin=begin), SimpleNamespace(attempt=attempt))  # type: ignore[arg-type]
    monkeypatch.setattr(deliver, "resources", lambda: parts)
    return log


def test_a_message_that_fails_does_not_take_the_others_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(world, monkeypatch)
    world.tenant("acme", webhook())
    made = world.submit()
    batch = records(world)
    batch.insert(0, {"messageId": "bad", "body": "no message"})
    answer = deliver.handler({"Records": batch}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert deliver.handler({"Records": records(world)}, Context()) == {"batchItemFailures": []}
    assert world.status(made) == "DELIVERED"


def test_a_receiver_that_refuses_is_the_tenant_s_business_and_rings_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(world, monkeypatch)
    world.tenant("acme", webhook())
    world.webhook = Scripted(BUSY._replace(again=False))
    made = world.submit()
    deliver.handler({"Records": records(world)}, Context())
    batch = records(world)
    assert "DeliveriesFailed" not in capsys.readouterr().out
    for _ in range(2):
        assert deliver.handler({"Records": batch}, Context()) == {"batchItemFailures": []}
    assert '"DeliveriesFailed":[1.0]' in capsys.readouterr().out
    assert world.attempts(made) == [("crm", 1, "FAILED")]
    assert world.status(made) == "FAILED"


def test_nothing_of_payloads_and_secrets_is_logged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = use(world, monkeypatch)
    world.tenant("acme", webhook(), archive())

    class Talkative(Scripted):
        def deliver(self, shipment: Any, now: Any) -> Any:
            raise ValueError(f"{shipment.payload!r} {SECRET}")

    world.webhook = Talkative()
    world.submit()
    deliver.handler({"Records": records(world)}, Context())
    deliver.handler({"Records": records(world)}, Context())
    assert "not delivered" in log.getvalue()
    for private in ("Ada", "Lovelace", PAYLOAD.decode(), SECRET):
        assert private not in log.getvalue()


def test_what_a_delivery_costs(world: World) -> None:
    """Recorded, claimed, finished and the submission's status; one event for two deliveries."""
    world.tenant("acme", webhook(), archive())
    meter = FaithfulMeter(world.dynamo)
    metered = Edge(meter, world.cloud)
    made = world.submit()
    world.carry_out(world.cloud.messages.pop()[1], metered)
    fan_out = (meter.read_units, meter.write_units)
    units: list[tuple[Decimal, Decimal]] = []
    for _, body, _ in world.cloud.messages:
        meter.reset()
        assert world.carry_out(body, metered) == "SUCCEEDED"
        units.append((meter.read_units, meter.write_units))
    assert world.status(made) == "DELIVERED"
    # Two records with two index entries each.
    assert fan_out[1] == 6
    # A claim is one unit; to finish is the item, and an entry removed and one added per index.
    assert units[0][1] == 6
    # The last one also changes the submission's status: five more.
    assert units[1][1] == 11
    assert fan_out[0] <= Decimal("3.5")
    assert max(read for read, _ in units) <= 7
