"""The export as the schedule calls it: which days, in how many runs, and what is told of it."""

import json
from typing import Any

import pytest

from lambdas.portal.events.export import EventExport, manifest_key
from lambdas.portal.events.rules import closed_days
from lambdas.portal.handlers import export_events
from tablewright.catalog.portal.events import Events
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled, Unavailable
from tablewright.testing.faults import Crash, survives_every_fault
from tests.integration.conftest import Database
from tests.integration.http import Context
from tests.integration.portal.events.event_world import (
    BUCKET,
    CLOSED,
    DAY,
    NOW,
    World,
    ids,
    minutes,
    view,
)
from tests.integration.sentiment.http import metered, metrics

SCHEDULED = {"detail-type": "Scheduled Event", "source": "aws.events"}


class Hurried(Context):
    def get_remaining_time_in_millis(self) -> int:
        return export_events.RESERVED_MS


@pytest.fixture
def world(database: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    metered(monkeypatch)
    made = World(database, monkeypatch, Events)
    made.send(*(view(n, NOW - minutes(n)) for n in range(5)))
    begin(made, made.edge, monkeypatch)
    return made


def begin(
    world: World, edge: Caller, monkeypatch: pytest.MonkeyPatch, functions: Caller | None = None
) -> None:
    """A new environment of the function."""
    export = EventExport(world.store(edge), edge, BUCKET, part_events=2)
    made = export_events.Resources(export, lambda: functions or edge, lambda: CLOSED)
    monkeypatch.setattr(export_events, "resources", lambda: made)


def carried_out(world: World, context: Context) -> list[dict[str, Any]]:
    """What the runs answer that were called, and those that these call."""
    answers = []
    while world.edge.invoked:
        answers.append(export_events.handler(world.edge.invoked.pop(0), context))
    return answers


def test_the_schedule_calls_a_run_for_each_closed_day_without_a_manifest(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    days = closed_days(CLOSED, export_events.DAYS_BACK)
    assert (days[-1], len(days)) == (DAY, 14)
    for day in days[3:-1]:
        world.edge.objects[manifest_key(day)] = b"{}"
    missing = [*days[:3], DAY]
    capsys.readouterr()
    assert export_events.handler(SCHEDULED, Context()) == {"days": missing}
    assert world.edge.invoked == [{"day": day} for day in missing]
    assert [m["values"] for m in metrics(capsys.readouterr().out)] == [[4.0]]
    carried_out(world, Context())
    assert ids(world.exported()) == ids(world.stored())
    assert export_events.handler(SCHEDULED, Context()) == {"days": []}


def test_a_day_is_exported_by_hand(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert export_events.handler({"day": DAY}, Context()) == {
        "day": DAY,
        "whole": True,
        "events": 5,
        "parts": 3,
    }
    counted = {one["name"]: one["values"] for one in metrics(capsys.readouterr().out)}
    assert counted == {"EventsExported": [5.0], "EventDaysExported": [1.0]}
    assert export_events.handler({"day": DAY}, Context()) == {"day": DAY, "whole": True}
    assert world.edge.invoked == []
    with pytest.raises(InvalidValue, match="must be closed"):
        export_events.handler({"day": "2099-01-27"}, Context())


def test_a_run_that_is_out_of_time_calls_the_next(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.edge.invoked.append({"day": DAY})
    capsys.readouterr()
    answers = carried_out(world, Hurried())
    # The last part is full or not: that nothing follows it is found by the run after it.
    assert [(one["events"], one["whole"]) for one in answers] == [
        (2, False),
        (4, False),
        (5, False),
        (5, True),
    ]
    counted = [m for m in metrics(capsys.readouterr().out) if m["name"] == "EventsExported"]
    assert [one["values"] for one in counted] == [[2.0], [2.0], [1.0]]
    assert ids(world.exported()) == ids(world.stored())


def test_every_fault_at_every_call_from_the_schedule_to_the_manifest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda repeats a run that failed with the event that it had."""
    monkeypatch.setattr(export_events, "DAYS_BACK", 1)

    def fresh() -> Caller:
        world.edge.objects.clear()
        return world.edge

    def work(edge: Caller) -> None:
        begin(world, edge, monkeypatch)
        waiting: list[dict[str, Any]] = [SCHEDULED]
        while waiting:
            event = waiting.pop(0)
            try:
                export_events.handler(event, Hurried())
            except (Throttled, Unavailable, Crash):
                begin(world, world.edge, monkeypatch)
                export_events.handler(event, Hurried())
            waiting += world.edge.invoked
            world.edge.invoked.clear()

    assert survives_every_fault(fresh, work, lambda: dict(world.edge.objects)) >= 15
    assert ids(world.exported()) == ids(world.stored())


def test_a_run_whose_successor_cannot_be_called_fails(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            raise Unavailable(json.dumps(operation))

    begin(world, world.edge, monkeypatch, Deaf())
    for event in (SCHEDULED, {"day": DAY}):
        with pytest.raises(Unavailable, match="Invoke"):
            export_events.handler(event, Hurried())
