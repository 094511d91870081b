"""A cut-over with programs at work loses nothing and doubles nothing, in both directions."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any

import pytest

from tablewright.changes.copying.copier import CopyRefused
from tablewright.changes.copying.cut_over import TablesDiffer
from tablewright.changes.copying.pointer import (
    CLOSING,
    PointerState,
    TableClosing,
    TableMoved,
    TablePointer,
)
from tablewright.runtime.errors import InvalidState
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.changes.copying.shop import (
    WAS,
    NewOrder,
    OldOrder,
    Shop,
    ShopBefore,
    new_order,
    old_order,
    order,
)
from tests.integration.changes.copying.world import NEW_NAME, OLD_NAME, TIMES, World, ordered


@pytest.fixture
def world(dynamodb: Database, tmp_path: Path) -> World:
    return World(dynamodb, tmp_path, ShopBefore, Shop, was=WAS)


class Program:
    """A program of clients: each writes by the active version, and keeps a model of what it
    wrote."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.model: dict[str, dict[str, Any]] = {}
        self._lock = Lock()
        self.done = Event()
        self.written: dict[str, int] = {"old": 0, "new": 0}
        self.refused = 0

    def client(self, number: int) -> None:
        world, random = self._world, Random(number)
        pointer = world.pointer()
        items = {"old": (OLD_NAME, old_order), "new": (NEW_NAME, new_order)}
        callers = {version: pointer.guard(world.database.caller, version) for version in items}
        while not self.done.wait(0.05):
            name = f"o{number}-{random.randrange(6)}"
            before, values = (
                self.model.get(name),
                order(number, id=name, total=random.randrange(999)),
            )
            values["state"] = f"s{random.randrange(3)}"
            try:
                version = pointer.active()
                table, item = items[version]
                if before and item is new_order and before["state"] != values["state"]:
                    values["state"] = before["state"]
                if before and random.random() < 0.3:
                    gone = item(before)
                    names = ("PK", "SK") if version == "old" else ("pk", "sk")
                    key = {one: gone[one] for one in names}
                    callers[version].call("DeleteItem", {"TableName": table, "Key": key})
                    values = {}
                else:
                    request = {"TableName": table, "Item": item(values)}
                    callers[version].call("PutItem", request)
            except (TableClosing, TableMoved):
                self.refused += 1
                continue
            with self._lock:
                self.written[version] += 1
                self.model.pop(name, None)
                if values:
                    self.model[name] = values

    @property
    def orders(self) -> list[dict[str, Any]]:
        return list(self.model.values())


def test_programs_that_follow_the_pointer_lose_nothing_there_and_back(world: World) -> None:
    world.run()
    program = Program(world)
    with ThreadPoolExecutor(3) as pool:
        clients = [pool.submit(program.client, number) for number in range(3)]
        try:
            program.done.wait(0.5)
            world.move("new")
            while program.written["new"] < 12 and not any(one.done() for one in clients):
                program.done.wait(0.1)
            world.run()
            world.move("old")
            former = program.written["old"]
            while program.written["old"] < former + 10 and not any(one.done() for one in clients):
                program.done.wait(0.1)
        finally:
            program.done.set()
        for one in clients:
            one.result()
    world.run()
    assert program.refused
    assert min(program.written.values()) >= 10
    assert world.items(OLD_NAME) == ordered(map(old_order, program.orders))
    assert world.items(NEW_NAME) == ordered(map(new_order, program.orders))


def test_old_readers_see_what_new_programs_write_until_contract(world: World) -> None:
    world.write(OLD_NAME, old_order(order(1)), old_order(order(2)))
    world.run()
    world.move("new")
    pointer = world.pointer()
    new = Store(Shop, NEW_NAME, pointer.guard(world.database.caller, "new"))
    old = Store(ShopBefore, OLD_NAME, pointer.guard(world.database.caller, "old"))
    changed = NewOrder(order_id="o3", state="s1", bill_to="b", ship_to="s", total=9)
    new.put(Shop.place, changed)
    world.delete(NEW_NAME, new_order(order(1)), "pk", "sk")
    world.run()
    seen: Any = old.get(ShopBefore.order, order_id="o3")
    assert (seen.status, seen.bill_to, seen.ship_to, seen.total) == ("s1", "b", "s", 9)
    assert len(world.items(OLD_NAME)) == 2
    with pytest.raises(TableMoved, match="'new' is"):
        old.put(
            ShopBefore.place, OldOrder(order_id="x", status="y", bill_to="b", ship_to="s", total=1)
        )


def test_tables_that_differ_are_opened_again(world: World) -> None:
    world.write(OLD_NAME, old_order(order(1)))
    world.run()
    state = world.state()
    with state.hold():
        copier = world.copier(state)
        copier.begin()
        cut_over = world.cut_over(copier)
        cut_over._sleep = lambda _: world.write(
            OLD_NAME, {**old_order(order(2)), "total": {"S": "bad"}}
        )
        with pytest.raises(TablesDiffer, match="refused: PK ORDER#o2"):
            cut_over.run("new")
    assert world.pointer().active() == "old"
    assert world.state().load()["active"] == "old"


def test_what_an_unguarded_program_wrote_to_the_old_table_is_named_and_kept(
    world: World,
) -> None:
    world.write(OLD_NAME, old_order(order(1)))
    world.run()
    world.move("new")
    stray = old_order(order(7))
    world.write(OLD_NAME, stray)
    with pytest.raises(TablesDiffer, match="extra: PK ORDER#o7"):
        world.move("old")
    assert stray in world.items(OLD_NAME)
    assert world.pointer().active() == "new"


def test_a_cut_over_that_did_not_end_is_undone_or_repeated(world: World) -> None:
    world.write(OLD_NAME, old_order(order(1)))
    world.run()
    pointer = world.pointer()
    pointer.move(pointer.read(), PointerState(CLOSING, *TIMES[1:3], "of another run"))
    with pytest.raises(TableClosing):
        world.pointer().active()
    state = world.state()
    with state.hold():
        copier = world.copier(state)
        assert world.cut_over(copier).reopen()
    assert world.pointer().active() == "old"
    pointer.move(pointer.read(), PointerState(CLOSING, *TIMES[1:3], "of another run"))
    world.move("new")
    assert world.pointer().active() == "new"


def test_a_pointer_that_contradicts_the_state_is_refused(world: World) -> None:
    world.run()
    pointer = world.pointer()
    pointer.move(pointer.read(), PointerState("new", *TIMES[1:3]))
    for work in (world.run, lambda: world.move("new"), lambda: world.move("old")):
        with pytest.raises(CopyRefused, match="the pointer says new, and the state old"):
            work()


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


class Slow:
    """A caller that takes so long, and during whose call something happens."""

    def __init__(self, clock: Clock, seconds: float, happens: Any = lambda: None) -> None:
        self._clock, self._seconds, self._happens = clock, seconds, happens
        self.calls = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self._clock.time += self._seconds
        self._happens()
        return {}


@pytest.fixture
def pointers(dynamodb: Database) -> tuple[TablePointer, TablePointer, Clock]:
    """A pointer for clients and one for the cut-over, with the clock of the clients."""
    from tablewright.changes.state import MigrationState

    arn, clock = "arn:aws:dynamodb:eu-west-1:1:table/a", Clock()
    MigrationState(dynamodb.caller, arn, "0001", owner="test").acquire()
    own = TablePointer(dynamodb.caller, arn, "0001")
    own.move(None, PointerState("old", 5, 30))
    return TablePointer(dynamodb.caller, arn, "0001", clock=clock), own, clock


def move(pointer: TablePointer, to: str) -> None:
    state = pointer.read()
    assert state
    pointer.move(state, state._replace(active=to))


def test_a_guard_refuses_writes_to_a_version_that_is_not_active(
    pointers: tuple[TablePointer, TablePointer, Clock],
) -> None:
    client, own, clock = pointers
    edge = Slow(clock, 0)
    guard = client.guard(edge, "old")
    guard.call("PutItem", {})
    move(own, CLOSING)
    clock.time += 4.9
    guard.call("PutItem", {})  # the pointer is relied on for five seconds
    clock.time += 0.2
    for operation in ("PutItem", "UpdateItem", "TransactWriteItems", "BatchExecuteStatement"):
        with pytest.raises(TableClosing):
            guard.call(operation, {})
    guard.call("Query", {})
    move(own, "new")
    clock.time += 5
    with pytest.raises(TableMoved):
        guard.call("DeleteItem", {})
    assert client.active() == "new"
    assert edge.calls == 3


def test_a_write_that_took_too_long_is_not_acknowledged_when_the_table_moved(
    pointers: tuple[TablePointer, TablePointer, Clock],
) -> None:
    client, own, clock = pointers
    client.guard(Slow(clock, 36), "old").call("PutItem", {})  # nothing moved: it is good
    late = Slow(clock, 36, lambda: move(own, "new"))
    with pytest.raises(TableMoved, match="longer than 30 seconds") as problem:
        client.guard(late, "old").call("PutItem", {})
    assert problem.value.maybe_applied
    assert late.calls == 1


def test_a_pointer_without_an_item_refuses_writes(dynamodb: Database) -> None:
    client = TablePointer(dynamodb.caller, "arn", "0009")
    with pytest.raises(InvalidState, match="`tablewright migration run` makes it"):
        client.active()


def test_moving_a_pointer_that_another_run_moved_is_refused(
    pointers: tuple[TablePointer, TablePointer, Clock],
) -> None:
    from tablewright.runtime.errors import Conflict

    _, own, _ = pointers
    state = own.read()
    assert state
    own.move(state, state._replace(active=CLOSING, run="a"))
    own.move(state, state._replace(active=CLOSING, run="a"))  # an answer was lost
    with pytest.raises(Conflict):
        own.move(state._replace(active=CLOSING, run="b"), state)
