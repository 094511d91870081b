"""The calendar as the schedule calls it: what it answers, logs, measures, and goes on with."""

import json
from typing import Any

import pytest

from lambdas.portal.handlers import run_calendar
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.testing import Database
from tests.integration.http import Context, Hurried
from tests.integration.portal.fan_out.fan_out_world import BUCKET, NOW, FanOutWorld
from tests.integration.sentiment.http import metered, metrics


class Invoked:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "Invoke"
        assert params["FunctionName"] == Context.invoked_function_arn
        assert params["InvocationType"] == "Event"
        self.events.append(json.loads(params["Payload"]))
        return {"StatusCode": 202}


def start(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch, functions: Caller) -> None:
    """A new environment of the function."""
    calendar = room.calendar(page=2, done=run_calendar.log_step, failed=run_calendar.log_failure)
    made = run_calendar.Resources(calendar, lambda: functions, lambda: NOW)
    monkeypatch.setattr(run_calendar, "resources", lambda: made)


@pytest.fixture
def room(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> FanOutWorld:
    metered(monkeypatch)
    room = FanOutWorld(dynamodb)

    start(room, monkeypatch, Invoked())
    for number in range(5):
        room.write(f"c{number}", status="Approved", expiry_date=NOW)
    return room


@pytest.fixture
def invoked(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> Invoked:
    made = Invoked()
    start(room, monkeypatch, made)
    return made


def test_a_run_is_measured(
    room: FanOutWorld, invoked: Invoked, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = run_calendar.handler({"source": "aws.scheduler"}, Context())
    assert answer == {"looked_at": 5, "steps": 5, "failed": 0, "after": None}
    counted = {one["name"]: one["values"] for one in metrics(capsys.readouterr().out)}
    assert counted == {"CalendarContents": [5.0], "CalendarSteps": [5.0]}
    assert invoked.events == []


def test_a_run_that_is_out_of_time_calls_the_next(room: FanOutWorld, invoked: Invoked) -> None:
    event: dict[str, Any] = {}
    answers = []
    for _ in range(3):
        answers.append(run_calendar.handler(event, Hurried()))
        event = invoked.events[-1]
    assert [one["steps"] for one in answers] == [2, 2, 1]
    assert [one["after"]["content_id"] for one in invoked.events] == ["c1", "c3"]
    assert room.due() == []


def test_a_run_that_cannot_call_the_next_fails(
    room: FanOutWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            raise Unavailable("injected")

    start(room, monkeypatch, Down())
    with pytest.raises(Unavailable):
        run_calendar.handler({}, Hurried())
    assert room.due() == ["c2", "c3", "c4"]


def test_failures_are_counted(
    room: FanOutWorld, invoked: Invoked, capsys: pytest.CaptureFixture[str]
) -> None:
    file = {"s3_key": "content/x/1", "s3_bucket": BUCKET}
    room.write("x", status="Approved", expiry_date=NOW, expiry_policy="hard_expire", **file)
    room.cloud.broken = True
    answer = run_calendar.handler({}, Context())
    assert (answer["looked_at"], answer["failed"]) == (6, 1)
    counted = {one["name"]: one["values"] for one in metrics(capsys.readouterr().out)}
    assert counted["CalendarFailures"] == [1.0]
    assert room.due() == ["x"]


@pytest.mark.parametrize(
    "after",
    ["c1", {"due_at": "2025-01-26T12:00:00.000Z"}, {"due_at": "soon", "content_id": "c1"}],
)
def test_a_position_that_is_none_is_refused(room: FanOutWorld, after: Any) -> None:
    with pytest.raises(ValueError, match=r"after|due_at"):
        run_calendar.handler({"after": after}, Context())
