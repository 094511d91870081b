"""A closed day in the bucket: exactly its events, in their order, in the same bytes each time."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from lambdas.portal.events.export import FolderDisturbed, Progress, manifest_key, part_key
from lambdas.portal.events.rules import events_from
from tablewright.catalog.portal.events import Event
from tablewright.model import InvalidValue, Record
from tablewright.runtime.aws import Caller
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.faults import survives_every_fault
from tests.integration.conftest import Database
from tests.integration.portal.events.event_world import (
    CLOSED,
    DAY,
    NOW,
    VARIANTS,
    World,
    ids,
    minutes,
    view,
)

PARTS = [part_key(DAY, number) for number in range(3)]


@pytest.fixture(params=list(VARIANTS.values()), ids=list(VARIANTS))
def world(
    request: pytest.FixtureRequest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> World:
    return filled(World(database, monkeypatch, request.param))


def filled(world: World) -> World:
    """Seven events in three milliseconds of a day, and the first and last of the days beside it."""
    inside = [view(n, NOW - minutes(n // 3), metadata={"Ü": "\u2028", "ü": n}) for n in range(7)]
    others = [view(8, datetime.fromisoformat(f"{DAY}T00:00:00Z") - timedelta(milliseconds=1))]
    world.send(*inside, *others)
    world.now += timedelta(hours=12)
    world.send(view(9, datetime.fromisoformat(f"{DAY}T23:59:59.999Z")))
    world.send(view(10, datetime.fromisoformat(f"{DAY}T23:59:59.999Z") + timedelta(milliseconds=1)))
    return world


def of_day(world: World) -> list[Event]:
    return [event for event in world.stored() if event.date_bucket == DAY]


def as_stored(line: Record) -> Event:
    """The event that a line tells."""
    metadata = {"metadata": json.loads(line["metadata"])} if "metadata" in line else {}
    return Event(**{**line, **metadata, "date_bucket": DAY})


def test_the_parts_hold_exactly_the_events_of_the_day_in_order(world: World) -> None:
    progress = world.export(part_events=3).run(DAY, CLOSED)
    assert progress is not None
    assert (progress.whole, [events for events, _ in progress.parts]) == (True, [3, 3, 2])
    assert list(world.edge.puts) == [*PARTS, manifest_key(DAY)]
    exported = world.exported()
    assert [as_stored(line) for line in exported] == of_day(world)
    assert exported[0].keys() == {
        *("event_id", "event_name", "user_id", "content_id", "metadata", "timestamp")
    }
    assert {type(value) for line in exported for value in line.values()} == {str}
    assert json.loads(exported[0]["metadata"]) == {"Ü": "\u2028", "ü": 6}


def test_both_variants_export_the_same_bytes(
    dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for table in VARIANTS.values():
        made = filled(World(Database(dynamodb_local), monkeypatch, table))
        made.export(part_events=3).run(DAY, CLOSED)
        found.append(made.edge.objects)
    assert found[0] == found[1]
    assert len(found[0]) == 4


def test_a_part_ends_by_its_bytes_too(world: World) -> None:
    progress = world.export(part_bytes=1).run(DAY, CLOSED)
    assert progress is not None
    assert [events for events, _ in progress.parts] == [1] * 8
    assert len(world.exported()) == 8


def test_an_empty_day_has_a_manifest_and_no_parts(world: World) -> None:
    world.export().run("2099-01-20", CLOSED)
    assert list(world.edge.objects) == [manifest_key("2099-01-20")]
    assert world.exported("2099-01-20") == []


def test_a_day_is_closed_when_nothing_of_it_is_taken_any_more(world: World) -> None:
    """The last moment that an event of the day is let in is an hour before its export."""
    last = view(1, datetime.fromisoformat(f"{DAY}T23:59:59.999Z"))
    taken = datetime.fromisoformat(last_taken := "2099-01-27T23:59:59.999Z")
    assert events_from({"events": [last]}, "ada", taken)
    assert CLOSED - taken > timedelta(minutes=59), last_taken
    with pytest.raises(InvalidValue, match="must be closed: 2099-01-26 is so from 2099-01-28T01"):
        world.export().run(DAY, CLOSED - timedelta(milliseconds=1))
    assert world.edge.objects == {}
    assert world.export().run(DAY, CLOSED) is not None


def test_what_cannot_be_exported_is_refused(world: World) -> None:
    expired = datetime.fromisoformat(f"{DAY}T00:00:00Z") + timedelta(days=90)
    with pytest.raises(InvalidValue, match="older events expire"):
        world.export().run(DAY, expired)
    for day in ("2099-02-30", "yesterday", None, 7, "2099-1-26"):
        with pytest.raises(InvalidValue, match="day must be"):
            world.export().run(day, CLOSED)  # type: ignore[arg-type]
    assert world.edge.objects == {}
    world.export().run(DAY, expired - timedelta(milliseconds=1))
    assert len(world.exported()) == 8


def test_a_day_that_is_whole_is_not_written_again(world: World) -> None:
    world.export(part_events=3).run(DAY, CLOSED)
    world.edge.puts.clear()
    assert world.export(part_events=3).run(DAY, CLOSED) is None
    assert world.edge.puts == []
    days = ["2099-01-24", "2099-01-25", DAY]
    assert world.export().missing(days) == days[:2]


def whole_by_runs(world: World, edge: Caller, size: int = 3) -> None:
    """One part a run, each told by the one before, as the function does."""
    event: dict[str, Any] = {}
    for _ in range(10):
        export = world.export(edge, part_events=size)
        progress = export.run(DAY, CLOSED, Progress.of(event), in_time=lambda: False)
        if progress is None or progress.whole:
            return
        event = json.loads(json.dumps(progress.to_event()))
    raise AssertionError("the export does not end")


def test_runs_that_go_on_from_each_other_write_what_one_writes(world: World) -> None:
    world.export(part_events=3).run(DAY, CLOSED)
    expected = dict(world.edge.objects)
    for size in (1, 2, 3):
        world.edge.objects.clear()
        world.export(part_events=size).run(DAY, CLOSED)
        assert [as_stored(line) for line in world.exported()] == of_day(world)
    world.edge.objects.clear()
    whole_by_runs(world, world.edge)
    assert world.edge.objects == expected


def test_every_fault_at_every_call_of_an_export(world: World) -> None:
    def fresh() -> Caller:
        world.edge.objects.clear()
        return world.edge

    def outcome() -> dict[str, bytes]:
        return dict(world.edge.objects)

    def at_once(edge: Caller) -> None:
        world.export(edge, part_events=3).run(DAY, CLOSED)

    for work in (at_once, lambda edge: whole_by_runs(world, edge, 5)):
        assert survives_every_fault(fresh, work, outcome) >= 8
        assert ids(world.exported()) == ids(of_day(world))


def test_a_manifest_is_there_only_when_all_parts_are(world: World) -> None:
    class Watching:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if params.get("Key") == manifest_key(DAY):
                assert sorted(world.edge.objects) == PARTS
            return world.edge.call(operation, params)

    world.export(Watching(), part_events=3).run(DAY, CLOSED)
    assert manifest_key(DAY) in world.edge.objects


def test_two_exports_at_once_write_the_same(world: World) -> None:
    world.export(part_events=3).run(DAY, CLOSED)
    expected = dict(world.edge.objects)
    # One that is overtaken between any two of its parts.
    for parts_before in (1, 2):
        world.edge.objects.clear()
        slow = Progress()
        for _ in range(parts_before):
            one_part = world.export(part_events=3)
            slow = one_part.run(DAY, CLOSED, slow, in_time=lambda: False) or slow
        world.export(part_events=3).run(DAY, CLOSED)
        assert world.export(part_events=3).run(DAY, CLOSED, slow) is None
        assert world.edge.objects == expected
    world.edge.objects.clear()
    with ThreadPoolExecutor(4) as executor:
        runs = [executor.submit(world.export(part_events=3).run, DAY, CLOSED) for _ in range(4)]
    assert all(run.exception() is None for run in runs)
    assert world.edge.objects == expected


def test_a_folder_with_other_files_is_not_declared_whole(world: World) -> None:
    stray = part_key(DAY, 7)
    world.edge.objects[stray] = gzip.compress(b"{}\n")
    with pytest.raises(FolderDisturbed, match=f"1 objects are too many or gone, such as {stray}"):
        world.export(part_events=3).run(DAY, CLOSED)
    assert manifest_key(DAY) not in world.edge.objects
    del world.edge.objects[stray]
    world.export(part_events=3).run(DAY, CLOSED)
    assert len(world.exported()) == 8


@pytest.mark.parametrize(
    "event",
    [
        {"parts": [[1, 2]]},
        {"after": ["a", "b"]},
        {"parts": [], "after": ["a", "b"]},
        {"parts": 3, "after": ["a", "b"]},
        {"parts": [[1]], "after": ["a", "b"]},
        {"parts": [["1", 2]], "after": ["a", "b"]},
        {"parts": [[1, 2]], "after": ["a", 1]},
    ],
)
def test_progress_that_no_run_has_sent_is_refused(event: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match="what the run before has sent"):
        Progress.of(event)
