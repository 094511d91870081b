"""Which region is active, and where calls go when one cannot be reached."""

from typing import Any

import pytest

from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.runtime.errors import Conflict, Throttled, Unavailable, Unreachable
from tablewright.runtime.regions import RegionalCaller, Regions
from tablewright.runtime.store.store import Store

HOME, AWAY, THIRD = NAMES = ("us-east-1", "us-west-2", "eu-west-1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Switch:
    """The edge of the switch's table: answers with a region, or fails."""

    def __init__(self) -> None:
        self.region: str | None = None
        self.failure: Exception | None = None
        self.asked = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        if self.failure:
            raise self.failure
        if self.region is None:
            return {}
        texts = {**ActiveRegion.__entity__.example, "region": self.region}
        item = {name: {"S": str(value)} for name, value in texts.items()}
        return {"Item": {**item, "version": {"N": "3"}}}


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def regions(switch: Switch, clock: Clock) -> Regions:
    return Regions(Store(RegionSwitch, "switch", switch), "sentiment", NAMES, clock=clock)


def test_a_system_that_was_never_moved_is_active_at_home(regions: Regions) -> None:
    assert regions.active() == HOME
    assert regions.order() == NAMES


def test_the_active_region_is_first_and_the_others_keep_their_order(
    regions: Regions, switch: Switch
) -> None:
    switch.region = THIRD
    assert regions.order() == (THIRD, HOME, AWAY)


def test_a_region_that_the_system_is_not_in_is_not_believed(
    regions: Regions, switch: Switch
) -> None:
    switch.region = "ap-south-1"
    assert regions.active() == HOME


def test_the_switch_is_asked_every_five_seconds_and_no_more_often(
    regions: Regions, switch: Switch, clock: Clock
) -> None:
    assert regions.active() == HOME
    switch.region = AWAY
    clock.now += 4.9
    assert (regions.active(), switch.asked) == (HOME, 1)
    clock.now += 0.1
    assert (regions.active(), switch.asked) == (AWAY, 2)


def test_what_the_switch_said_serves_for_a_minute_while_it_cannot_be_read(
    regions: Regions, switch: Switch, clock: Clock
) -> None:
    switch.region = AWAY
    assert regions.active() == AWAY
    switch.failure = Unavailable("down")
    clock.now += 59
    assert regions.active() == AWAY
    clock.now += 1
    with pytest.raises(Unavailable):
        regions.active()


def test_without_any_answer_no_region_is_guessed(regions: Regions, switch: Switch) -> None:
    switch.failure = Unavailable("down")
    with pytest.raises(Unavailable):
        regions.active()


class World:
    """Regions that answer with their names, or fail."""

    def __init__(self, clock: Clock) -> None:
        self.order = NAMES
        self.failures: dict[str, Exception] = {}
        self.connected: list[str] = []
        self.called: list[str] = []
        self.caller = RegionalCaller(lambda: self.order, self._connect, clock=clock)

    def _connect(self, region: str) -> Any:
        self.connected.append(region)
        world = self

        class One:
            def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
                world.called.append(region)
                if region in world.failures:
                    raise world.failures[region]
                return {"region": region}

        return One()

    def call(self) -> str:
        return str(self.caller.call("PutItem", {})["region"])


@pytest.fixture
def world(clock: Clock) -> World:
    return World(clock)


def test_calls_go_to_the_active_region_and_no_other_client_is_made(world: World) -> None:
    assert [world.call(), world.call()] == [HOME, HOME]
    assert world.connected == [HOME]


def test_a_call_that_was_never_sent_goes_to_the_next_region(world: World) -> None:
    world.failures = {HOME: Unreachable("no connection")}
    assert world.call() == AWAY


@pytest.mark.parametrize("failure", [Unavailable("lost"), Throttled("later"), Conflict("other")])
def test_a_call_that_may_have_had_an_effect_goes_nowhere_else(
    world: World, failure: Exception
) -> None:
    world.failures = {HOME: failure}
    with pytest.raises(type(failure)):
        world.call()
    assert world.called == [HOME]


def test_a_region_that_could_not_be_reached_is_asked_last_for_ten_seconds(
    world: World, clock: Clock
) -> None:
    world.failures = {HOME: Unreachable("no connection")}
    world.call()
    world.failures = {}
    clock.now += 9.9
    assert world.call() == AWAY
    clock.now += 0.1
    assert world.call() == HOME


def test_when_no_region_can_be_reached_that_is_said(world: World) -> None:
    world.failures = {name: Unreachable(f"{name}: no connection") for name in NAMES}
    with pytest.raises(Unreachable, match=THIRD):
        world.call()
    world.failures = {HOME: Unreachable("still none")}
    # All of them are avoided by now: the order is what counts again.
    assert world.call() == AWAY
