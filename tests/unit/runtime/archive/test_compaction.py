"""From the stream to the files of a day: each item once, whatever is delivered how often."""

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.runtime.archive.objects import DAYS, FILES, INCOMING
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict
from tablewright.testing import survives_every_fault
from tests.unit.runtime.archive.archive_world import (
    DAY,
    EXPIRED_AT,
    TONIGHT,
    World,
    note,
    removal,
    removals,
)


@pytest.fixture
def world() -> World:
    return World(most_rows=3)


def test_what_expired_is_in_the_files_of_its_day_as_it_was(world: World) -> None:
    world.take(removals(range(5)))
    assert [name.split("/")[0] for name in world.names] == ["incoming"]
    (done,) = world.compact()
    assert (done.day, done.incoming, done.rows, done.files) == (DAY, 1, 5, 2)
    assert world.items() == [note(number) for number in range(5)]
    assert not [name for name in world.names if name.startswith(INCOMING)]


def test_what_comes_in_today_waits_for_tomorrow(world: World) -> None:
    world.take(removals([1]))
    assert [one.incoming for one in world.compact(at=EXPIRED_AT)] == [0]
    assert world.items() == []
    world.compact()
    assert world.items() == [note(1)]


def test_a_record_that_is_delivered_again_weeks_later_changes_nothing(world: World) -> None:
    world.take(removals(range(5)))
    world.compact()
    before = world.objects()
    world.take(removals([3]))
    world.take(removals([1, 4]))
    world.compact(at=TONIGHT + timedelta(days=20))
    assert world.objects() == before


def test_a_record_that_comes_late_takes_its_place(world: World) -> None:
    world.take(removals([0, 1, 2, 3, 5, 6]))
    world.compact()
    first = [name for name in world.names if name.startswith(FILES)]
    world.take(removals([4]))
    world.compact(at=TONIGHT + timedelta(days=20))
    assert world.items() == [note(number) for number in range(7)]
    files = [name for name in world.names if name.startswith(FILES)]
    assert files[0] == first[0], "what stays the same is not written again"
    assert len(files) == 3
    assert first[1] not in files, "what was replaced is gone"
    at_once = World(most_rows=3)
    at_once.take(removals(range(7)))
    at_once.compact()
    assert world.objects() == at_once.objects()


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_however_batches_are_cut_repeated_and_mixed_the_files_are_the_same(
    number: int, chance: random.Random
) -> None:
    records = removals(range(number))
    expected = World(most_rows=3)
    expected.take(records)
    expected.compact()
    world = World(most_rows=3)
    batches = _batches(records, chance)
    for batch in batches:
        world.take(batch)
        if chance.random() < 0.3:
            world.compact()
    # The last, at a time when nothing that broke off can be under way any more.
    world.take(batches[0])
    world.compact(at=TONIGHT + timedelta(days=1))
    assert world.objects() == expected.objects()


def _batches(records: list[Any], chance: random.Random) -> list[list[Any]]:
    """Every record at least once, in batches that are in order."""
    batches = [[one] for one in records]
    for _ in range(chance.randint(0, 6)):
        begin = chance.randrange(len(records))
        batches.append(records[begin : begin + chance.randint(1, 5)])
    chance.shuffle(batches)
    return batches


@pytest.mark.thorough
def test_every_fault_at_every_call_from_the_stream_to_the_manifest(world: World) -> None:
    def work(edge: Caller) -> None:
        world.take(removals([0, 2, 4]), edge)
        world.take(removals([1, 2, 3]), edge)
        world.compact(edge)

    assert len(survives_every_fault(work, world.objects, fresh=world.empty)) >= 12


@pytest.mark.thorough
def test_every_fault_at_every_call_when_a_day_is_compacted_anew(world: World) -> None:
    """The second set of files takes the place of the first."""

    def begin() -> Caller:
        world.empty()
        world.take(removals([0, 2, 3, 4]))
        world.compact()
        return world.edge

    def work(edge: Caller) -> None:
        world.take(removals([1, 5]), edge)
        world.compact(edge, at=TONIGHT + timedelta(days=1))

    assert len(survives_every_fault(work, world.objects, fresh=begin)) >= 10
    assert world.items() == [note(number) for number in range(6)]


def test_a_run_that_another_has_overtaken_changes_nothing(world: World) -> None:
    """It knew of one batch of two: what it would say of the day is no longer so."""
    world.take(removals([1]))

    class Overtaken:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "PutObject" and params["Key"].startswith(DAYS):
                world.take(removals([2]))
                world.compact()
            return world.edge.call(operation, params)

    with pytest.raises(Conflict):
        world.compact(Overtaken())
    assert world.items() == [note(1), note(2)]
    world.compact()
    assert world.items() == [note(1), note(2)]


def test_what_a_run_left_that_did_not_come_to_its_end_is_removed(world: World) -> None:
    world.take(removals([1, 2]))
    (name,) = world.names
    left = f"{FILES}day={DAY}/{name.rpartition('/')[2][:40]}-of-another-set.parquet"
    world.edge.call("PutObject", {"Bucket": "archive", "Key": left, "Body": b"..."})
    world.compact(at=EXPIRED_AT + timedelta(minutes=59))
    assert left in world.names, "a run may be about to commit it"
    world.take(removals([3]))
    world.compact()
    assert left not in world.names


def test_two_records_of_one_number_in_two_shards_are_two(world: World) -> None:
    world.take([removal(note(1), 7)])
    world.take([removal(note(2), 7)])
    world.compact()
    assert world.items() == [note(1), note(2)]
