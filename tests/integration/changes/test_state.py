"""Migration state: one runner at a time, one state for each table, safe at every crash."""

import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from tablewright.changes.state import LeaseHeld, MigrationState
from tablewright.testing import Crash, Database, survives_every_fault

ARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/orders"
OTHER_ARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/orders-2"
START = datetime(2026, 11, 17, 12, tzinfo=UTC)


class Clock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class World:
    """A control table of its own on the engine, and runners on one clock."""

    def __init__(self, database: Database, control_table: str = "control") -> None:
        self.database = database
        self.clock = Clock()
        self.control_table = control_table

    def runner(
        self, owner: str, arn: str = ARN, migration: str = "0001", caller: Any = None
    ) -> MigrationState:
        return MigrationState(
            caller or self.database.caller,
            arn,
            migration,
            control_table=self.control_table,
            owner=owner,
            now=self.clock,
        )


@pytest.fixture
def world(dynamodb: Database) -> World:
    return World(dynamodb)


def test_state_of_a_migration_that_nobody_began_is_empty(world: World) -> None:
    assert world.runner("a").load() == {}
    world.runner("a").acquire()
    assert world.runner("b").load() == {}


def test_control_table_is_made_on_demand_and_billed_on_demand(world: World) -> None:
    world.runner("a").acquire()
    client = world.database.client()
    table = client.describe_table(TableName="control")["Table"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert [one["AttributeName"] for one in table["KeySchema"]] == ["table_arn", "migration"]


def test_saved_values_are_loaded_by_the_next_runner(world: World) -> None:
    first = world.runner("a")
    first.acquire()
    values = {"step": 2, "positions": {"0": {"PK": {"S": "ORDER#1"}}}, "text": "ä😀"}
    first.save(values)
    first.save(values | {"step": 3})
    first.release()
    second = world.runner("b")
    second.acquire()
    assert second.load() == values | {"step": 3}


def test_two_runners_collide(world: World) -> None:
    first, second = world.runner("host-1:17"), world.runner("host-2:4")
    first.acquire(60)
    with pytest.raises(LeaseHeld, match=r"0001.*host-1:17 until 2026-11-17 12:01:00 UTC") as held:
        second.acquire()
    assert (held.value.owner, held.value.until) == ("host-1:17", START + timedelta(seconds=60))
    with pytest.raises(LeaseHeld):
        second.save({"step": 1})
    with pytest.raises(LeaseHeld):
        second.renew()
    second.release()
    assert first.load() == {}
    first.save({"step": 1})
    first.release()
    second.acquire()


def test_two_runners_of_one_name_collide(world: World) -> None:
    world.runner("ci").acquire()
    with pytest.raises(LeaseHeld):
        world.runner("ci").acquire()


def test_lease_that_ran_out_is_taken_over_and_its_owner_cannot_save(world: World) -> None:
    first, second = world.runner("a"), world.runner("b")
    first.acquire(60)
    first.save({"step": 1})
    world.clock.move(59)
    with pytest.raises(LeaseHeld):
        second.acquire()
    world.clock.move(2)
    second.acquire()
    assert second.load() == {"step": 1}
    with pytest.raises(LeaseHeld, match="held by b"):
        first.save({"step": 9})
    with pytest.raises(LeaseHeld):
        first.renew()
    first.release()
    second.save({"step": 2})
    assert first.load() == {"step": 2}


@pytest.mark.parametrize("verb", ["save", "renew"])
def test_lease_is_extended_by_each_save(world: World, verb: str) -> None:
    first = world.runner("a")
    first.acquire(60)
    world.clock.move(50)
    first.save({}) if verb == "save" else first.renew()
    world.clock.move(50)
    with pytest.raises(LeaseHeld):
        world.runner("b").acquire()


def test_lease_is_held_while_a_runner_works_without_saving(dynamodb: Database) -> None:
    def runner(owner: str) -> MigrationState:
        return MigrationState(dynamodb.caller, ARN, "1", control_table="control", owner=owner)

    with runner("a").hold(seconds=1):
        time.sleep(2.5)
        with pytest.raises(LeaseHeld, match="held by a"):
            runner("b").acquire()
    runner("b").acquire()


def test_nothing_is_saved_without_a_lease(world: World) -> None:
    world.runner("a").acquire()
    free = world.runner("a", migration="0002")
    with pytest.raises(LeaseHeld, match="held by nobody"):
        free.save({"step": 1})
    assert free.load() == {}


def test_second_table_and_second_migration_start_from_zero(world: World) -> None:
    first = world.runner("a")
    first.acquire()
    first.save({"step": 5})
    for other in (world.runner("b", OTHER_ARN), world.runner("b", migration="0002")):
        assert other.load() == {}
        other.acquire()
        other.save({"step": 1})
    assert first.load() == {"step": 5}


def test_state_holds_the_positions_of_a_hundred_segments(world: World) -> None:
    runner = world.runner("a")
    runner.acquire()
    key = {"PK": {"S": "x" * 2048}, "SK": {"S": "y" * 1024}}
    values = {"positions": {str(number): key for number in range(100)}}
    runner.save(values)
    assert runner.load() == values


def test_runners_make_the_control_table_at_the_same_time(world: World) -> None:
    class MadeMeanwhile:
        """A caller that another runner is faster than."""

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "CreateTable":
                world.runner("faster", migration="0002").acquire()
            return world.database.caller.call(operation, params)

    world.runner("slower", caller=MadeMeanwhile()).acquire()
    with pytest.raises(LeaseHeld):
        world.runner("c").acquire()


def remove_control_table(database: Database) -> None:
    client = database.client()
    if "control" not in client.list_tables()["TableNames"]:
        return
    client.delete_table(TableName="control")


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_between_any_two_calls_the_next_runner_goes_on(
    dynamodb: Database, effect: str
) -> None:
    steps = 3
    for kill in count(1):
        remove_control_table(dynamodb)
        world = World(dynamodb)
        numbers = count(1)

        class Dying:
            def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
                dies = next(numbers) == kill  # noqa: B023 - called in this very turn
                if dies and effect == "before":
                    raise Crash
                try:
                    return dynamodb.caller.call(operation, params)
                finally:
                    if dies:
                        raise Crash

        done: list[int] = []

        def run(runner: MigrationState) -> None:
            runner.acquire()
            for step in range(runner.load().get("step", 0), steps):
                done.append(step)  # noqa: B023 - called in this very turn
                runner.save({"step": step + 1})
            runner.release()

        try:
            run(world.runner("dies", caller=Dying()))
            break
        except Crash:
            world.clock.move(61)
            run(world.runner("next"))
        assert world.runner("c").load() == {"step": steps}, kill
        assert sorted(set(done)) == list(range(steps)), kill
        # The step at which it died is done twice at most.
        assert len(done) <= steps + 1, kill
    assert kill > 6


def test_every_fault_at_every_call_ends_the_same(dynamodb: Database) -> None:
    world = World(dynamodb)

    def fresh() -> None:
        world.clock.move(61)
        if "control" in dynamodb.client().list_tables()["TableNames"]:
            dynamodb.empty("control")

    def work() -> None:
        world.clock.move(61)
        runner = world.runner("a")
        runner.acquire()
        runner.save({"step": 1})
        runner.renew()
        runner.release()

    world.runner("first", migration="another").acquire()
    survives_every_fault(work, lambda: dynamodb.items("control"), fresh=fresh)
    (item,) = dynamodb.items("control")
    assert item.keys() == {"table_arn", "migration", "state"}


def test_state_is_one_item_that_people_can_read(world: World) -> None:
    runner = world.runner("a")
    runner.acquire()
    runner.save({"step": 1})
    (item,) = world.database.items("control")
    assert item["state"] == {"S": '{"step": 1}'}
    assert item["table_arn"] == {"S": ARN}
    assert item["lease_owner"] == {"S": "a"}
