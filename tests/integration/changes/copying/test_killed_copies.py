"""A copy that dies at any of its calls converges when it is run again."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tablewright.runtime.aws import Caller
from tablewright.testing import Crash, Database
from tests.integration.changes.copying.shop import (
    WAS,
    Shop,
    ShopBefore,
    new_order,
    old_order,
    order,
)
from tests.integration.changes.copying.world import (
    NEW_NAME,
    OLD_NAME,
    Dying,
    World,
    ordered,
)


@pytest.fixture
def world(dynamodb: Database, tmp_path: Path) -> World:
    return World(dynamodb, tmp_path, ShopBefore, Shop, was=WAS)


def dies_everywhere(
    world: World,
    begin: Callable[[], object],
    work: Callable[[Caller], object],
    check: Callable[[], object],
    step: int,
) -> int:
    """Kill work at every call, and let another process repeat it; gives how many calls it makes."""
    for at in count(1, step):
        world.anew(f"{at:04}_change")
        begin()
        dying = Dying(world.database.caller, at, "after" if at // step % 2 else "before")
        try:
            work(dying)
        except Crash:
            world.after_the_lease()
            work(world.database.caller)
        check()
        if not dying.dead:
            return at
    raise AssertionError


def test_killed_at_every_call_a_copy_converges(world: World) -> None:
    some = [order(1), order(2)]

    def begin() -> None:
        world.write(OLD_NAME, *map(old_order, some))

    def work(caller: Caller) -> None:
        world.run(caller, segments=1)

    def check() -> None:
        assert world.items(NEW_NAME) == ordered(map(new_order, some))

    assert dies_everywhere(world, begin, work, check, 1) > 20


def test_killed_at_every_call_changes_are_followed(world: World) -> None:
    """An item that changes its key, a new one, and one that is deleted."""
    after = [order(1, state="moved"), order(4)]

    def begin() -> None:
        world.write(OLD_NAME, *map(old_order, [order(1), order(2)]))
        world.run(segments=1)
        world.write(OLD_NAME, *map(old_order, after))
        world.delete(OLD_NAME, old_order(order(2)), "PK", "SK")

    def work(caller: Caller) -> None:
        world.run(caller, segments=1)

    def check() -> None:
        assert world.items(NEW_NAME) == ordered(map(new_order, after))

    assert dies_everywhere(world, begin, work, check, 1) > 20


def test_killed_at_every_third_call_a_cut_over_and_the_way_back_lose_nothing(world: World) -> None:
    """Whatever dies, one version is active in the end, and both tables have the same orders."""

    def begin() -> None:
        world.write(OLD_NAME, old_order(order(1)), old_order(order(2)))
        world.run(segments=1)

    def work(caller: Caller) -> None:
        if not done:
            world.move("new", caller, segments=1)
            world.write(NEW_NAME, new_order(order(3)))
            done.append(True)
        world.move("old", caller, segments=1)

    done: list[bool] = []

    def check() -> None:
        some = [order(1), order(2), order(3)]
        assert world.pointer().active() == "old"
        assert world.items(NEW_NAME) == ordered(map(new_order, some))
        assert world.items(OLD_NAME) == ordered(map(old_order, some))
        done.clear()

    assert dies_everywhere(world, begin, work, check, 3) > 60
