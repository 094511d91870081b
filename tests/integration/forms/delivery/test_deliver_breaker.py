"""The breaker of a destination: opened by failures in a row, tried by one, closed by a success."""

from datetime import timedelta

import pytest

from lambdas.forms.delivery.breaker import BreakerRules, Breakers
from tablewright.model.fields.time import iso_utc
from tests.integration.forms.conftest import NOON, FormTable
from tests.integration.forms.delivery.deliveries import BUSY, Scripted, World, webhook

RULES = BreakerRules(failures=3)


@pytest.fixture
def world(forms: FormTable) -> World:
    made = World(forms, breaker=RULES)
    made.tenant("acme", webhook())
    return made


def test_it_opens_after_failures_in_a_row_and_then_nothing_is_tried(world: World) -> None:
    world.webhook = Scripted(*[BUSY] * 3)
    many = [world.submit(number) for number in range(6)]
    for _ in range(12):  # six events and the first attempt of each
        world.step()
    assert len(world.webhook.shipments) == 3
    statuses = [world.attempts(one)[0][2] for one in many]
    assert statuses == ["RETRYING"] * 3 + ["PENDING"] * 3
    assert world.destination()["breaker_until"] == iso_utc(world.clock.moment + RULES.first)
    world.drain()
    assert {world.status(one) for one in many} == {"DELIVERED"}
    assert "failures" not in world.destination()
    assert "breaker_until" not in world.destination()


def test_what_meets_an_open_breaker_uses_no_attempt(world: World) -> None:
    world.change(failures=3, breaker_until=NOON + timedelta(minutes=30))
    made = world.submit()
    world.drain()
    assert world.clock.moment >= NOON + timedelta(minutes=30)
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]


def test_half_open_lets_one_through_and_the_next_when_that_one_is_lost(world: World) -> None:
    world.change(failures=3, breaker_until=NOON)
    breakers = Breakers(world.store, RULES)
    seen = world.destination()
    admitted = [breakers.admit(seen, f"attempt-{n}", NOON)[1] for n in range(4)]
    assert admitted == [0.0, 120.0, 120.0, 120.0]
    assert breakers.admit(world.destination(), "late", NOON)[1] == 120.0
    later = NOON + RULES.probe
    assert breakers.admit(world.destination(), "late", later)[1] == 0.0


def test_a_failed_probe_makes_the_pause_twice_as_long_and_a_success_ends_it(world: World) -> None:
    breakers = Breakers(world.store, RULES)
    now, pauses = NOON, []
    for number in range(6):
        destination, wait = breakers.admit(world.destination(), f"attempt-{number}", now)
        assert wait == 0
        breakers.failed(destination, f"attempt-{number}", now)
        until = world.destination().get("breaker_until")
        pauses.append(until)
        now += RULES.pause(number + 1)
    moments = [NOON + timedelta(seconds=seconds) for seconds in (30, 90, 210, 450)]
    assert pauses == [None, None, *map(iso_utc, moments)]
    destination, _ = breakers.admit(world.destination(), "probe", now)
    breakers.answered(destination)
    assert not {"failures", "breaker_until", "probed_by"} & world.destination().keys()


def test_a_failure_is_counted_once_and_those_under_way_do_not_make_the_pause_longer(
    world: World,
) -> None:
    breakers = Breakers(world.store, RULES)
    seen = world.destination()
    for name in ("a", "a", "b", "c", "d", "e"):
        # All of them were admitted when nothing had failed.
        breakers.failed(seen, name, NOON)
    found = world.destination()
    assert found["failures"] == 3
    assert found["breaker_until"] == iso_utc(NOON + RULES.first)


def test_breakers_of_tenants_and_destinations_are_apart(world: World) -> None:
    world.tenant("acme2", webhook())
    world.change(failures=3, breaker_until=NOON + timedelta(minutes=30))
    made = world.submit(tenant="acme2")
    world.drain()
    assert world.status(made) == "DELIVERED"
    assert world.clock.moment == NOON
