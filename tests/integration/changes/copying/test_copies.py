"""A copy converges to the mapped items of the old table, whoever writes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from tablewright.changes.copying.copier import CopyRefused
from tablewright.changes.copying.cut_over import TablesDiffer
from tablewright.changes.state import LeaseHeld
from tablewright.testing import Database
from tests.integration.changes.copying.shop import (
    WAS,
    Shop,
    ShopBefore,
    new_line,
    new_order,
    old_line,
    old_order,
    order,
)
from tests.integration.changes.copying.world import NEW_NAME, OLD_NAME, World, ordered


@pytest.fixture
def world(dynamodb: Database, tmp_path: Path) -> World:
    return World(dynamodb, tmp_path, ShopBefore, Shop, was=WAS)


def test_every_item_is_copied_as_the_new_design_writes_it(world: World) -> None:
    some = [order(number, note="x" if number % 2 else None) for number in range(40)]
    world.write(OLD_NAME, *map(old_order, some))
    world.write(OLD_NAME, old_line("o1", "tea", 3))
    world.run()
    wanted = [*map(new_order, some), new_line("o1", "tea", 3)]
    assert world.items(NEW_NAME) == ordered(wanted)
    comparison = world.compare()
    assert comparison.differences == []
    assert comparison.items == {OLD_NAME: 41, NEW_NAME: 41}


def test_changes_deletions_and_new_items_are_followed(world: World) -> None:
    some = {number: order(number) for number in range(12)}
    world.write(OLD_NAME, *map(old_order, some.values()))
    world.run()
    some[1] = order(1, state="paid")  # another key in the new table
    some[2] = order(2, bill="ship2", ship="bill2")
    some[20] = order(20)
    world.write(OLD_NAME, *(old_order(some[number]) for number in (1, 2, 20)))
    world.delete(OLD_NAME, old_order(some.pop(3)), "PK", "SK")
    world.delete(OLD_NAME, old_order(some[4]), "PK", "SK")
    some[4] = order(4, state="again")
    world.write(OLD_NAME, old_order(some[4]))
    copier = world.run()
    assert world.items(NEW_NAME) == ordered(map(new_order, some.values()))
    assert not copier.refused
    assert copier.counts["removed"] == 3


def test_old_items_are_never_written(world: World) -> None:
    items = [old_order(order(number)) for number in range(5)]
    world.write(OLD_NAME, *items)
    world.client.update_table(TableName=OLD_NAME, DeletionProtectionEnabled=False)
    written: list[str] = []

    class Watched:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if "Item" in operation and operation not in ("GetItem", "BatchGetItem"):
                written.append(params["TableName"])
            return world.database.caller.call(operation, params)

    world.run(Watched())
    assert world.items(OLD_NAME) == ordered(items)
    assert OLD_NAME not in written
    assert NEW_NAME in written


def test_writers_lose_nothing_beside_a_copy(world: World) -> None:
    """Old programs write and delete meanwhile: the copy ends as the model of what they wrote."""
    model = {number: order(number) for number in range(60)}
    world.write(OLD_NAME, *map(old_order, model.values()))
    done = Event()

    def write(numbers: range) -> None:
        random = Random(numbers.start)
        client = world.database.client()
        while not done.is_set():
            number = random.choice(numbers)
            if random.random() < 0.2:
                item = old_order(order(number))
                client.delete_item(TableName=OLD_NAME, Key={k: item[k] for k in ("PK", "SK")})
                model.pop(number, None)
            else:
                state = f"s{random.randrange(4)}"
                model[number] = order(number, state=state, total=random.randrange(1000))
                client.put_item(TableName=OLD_NAME, Item=old_order(model[number]))
            done.wait(0.02)

    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write, range(at, at + 20)) for at in (0, 20, 40)]
        try:
            for _ in range(3):
                world.run()
        finally:
            done.set()
        for writer in writers:
            writer.result()
    world.run()
    assert world.items(NEW_NAME) == ordered(map(new_order, model.values()))
    assert world.compare().differences == []
    assert world.items(OLD_NAME) == ordered(map(old_order, model.values()))


def test_two_items_of_one_key_are_refused_by_name_and_neither_is_overwritten(
    dynamodb: Database, tmp_path: Path
) -> None:
    def merges(text: str) -> str:
        return text.replace("order_id=old.order_id", "order_id=old.order_id.lower()")

    world = World(dynamodb, tmp_path, ShopBefore, Shop, was=WAS, edit=merges)
    world.write(OLD_NAME, old_order(order(1)), old_order(order(2, id="O1", state="s1")))
    copier = world.run()
    (refused,) = copier.refused.items()
    assert refused[0] == "PK ORDER#O1, SK ORDER"
    assert "another key" in refused[1]
    assert world.items(NEW_NAME) == [new_order(order(1))]
    with pytest.raises(TablesDiffer, match="ORDER#O1"):
        world.move("new")
    assert world.pointer().active() == "old"


def test_keys_that_change_hands_are_copied(world: World) -> None:
    """Two lines exchange their product and order, which makes each the other's new key."""
    world.write(OLD_NAME, old_line("a", "b", 1), old_line("b", "a", 2))
    world.run()
    assert world.items(NEW_NAME) == ordered([new_line("a", "b", 1), new_line("b", "a", 2)])


def test_unknown_and_malformed_items_are_named_and_stop_the_cut_over(world: World) -> None:
    stranger = {"PK": {"S": "CONFIG"}, "SK": {"S": "x"}}
    bad = {**old_order(order(2)), "total": {"S": "many"}}
    world.write(OLD_NAME, old_order(order(1)), stranger, bad)
    copier = world.run()
    assert sorted(copier.refused) == ["PK CONFIG, SK x", "PK ORDER#o2, SK ORDER"]
    with pytest.raises(TablesDiffer) as problem:
        world.move("new")
    assert {one.kind for one in problem.value.comparison.differences} == {"refused"}
    assert world.pointer().active() == "old"
    world.write(OLD_NAME, old_order(order(2)))
    world.delete(OLD_NAME, stranger, "PK", "SK")
    world.move("new")
    assert world.pointer().active() == "new"
    assert world.items(NEW_NAME) == ordered([new_order(order(1)), new_order(order(2))])


def test_attributes_that_no_design_knows_are_carried_over(world: World) -> None:
    extra = {"extra": {"B": b"\x00\xff"}, "more": {"L": [{"N": "1"}]}}
    world.write(OLD_NAME, {**old_order(order(1)), **extra})
    world.write(OLD_NAME, {**old_order(order(2)), "opk": {"S": "taken"}})
    copier = world.run()
    assert world.items(NEW_NAME) == [{**new_order(order(1)), **extra}]
    assert "'opk'" in copier.refused["PK ORDER#o2, SK ORDER"]


def test_a_copy_begins_with_an_empty_table_and_keeps_to_it(world: World) -> None:
    world.write(NEW_NAME, new_order(order(1)))
    with pytest.raises(CopyRefused, match="has items"):
        world.run()
    world.delete(NEW_NAME, new_order(order(1)), "pk", "sk")
    world.write(OLD_NAME, old_order(order(1)))
    world.run()
    assert world.items(NEW_NAME) == [new_order(order(1))]


def test_records_that_the_stream_lost_are_found_by_another_scan(world: World) -> None:
    world.write(OLD_NAME, old_order(order(1)), old_order(order(2)))
    world.run()
    later = datetime.now(UTC) + timedelta(hours=30)
    world.delete(OLD_NAME, old_order(order(1)), "PK", "SK")
    world.write(OLD_NAME, old_order(order(2, state="moved")), old_order(order(3)))
    # All records are older than what the runner still reads.
    world.run(now=lambda: later)
    wanted = [new_order(order(2, state="moved")), new_order(order(3))]
    assert all(one in world.items(NEW_NAME) for one in wanted)
    kinds = [one.kind for one in world.compare().differences]
    assert kinds == ["extra", "extra"]
    world.move("new", now=lambda: later)
    assert world.items(NEW_NAME) == ordered(wanted)


def test_two_runners_cannot_work_at_once(world: World) -> None:
    with world.state().hold(), pytest.raises(LeaseHeld):
        world.run()
