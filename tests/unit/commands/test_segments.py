"""What commands share that go through a whole table: how they stop."""

from collections import Counter
from typing import Any

import pytest

from tablewright.commands.items.segments import carry_out
from tablewright.runtime.errors import StoreError, Throttled, Unavailable
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress, ProgressMismatch
from tablewright.runtime.segments.walk import Patient, Walk


class Bar:
    def update(self, count: int) -> None:
        pass


class Endless:
    """A table whose segments never end, but for one that fails."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if params["Segment"] == 1:
            raise Unavailable("gone")
        return {"Items": [], "ScannedCount": 0, "LastEvaluatedKey": {"PK": {"S": "a"}}}


def test_one_segment_that_cannot_go_on_stops_the_others() -> None:
    walk = Walk(Endless(), {"TableName": "table"}, lambda _: Counter(), Progress(None, "table", 3))
    with pytest.raises(Unavailable, match="gone"):
        walk.run(Bar())


def test_a_throttled_call_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(Backoff, "sleep", lambda _, seconds: waited.append(seconds))

    class Busy:
        calls = 0

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            self.calls += 1
            if self.calls < 4:
                raise Throttled("busy")
            return {"calls": self.calls}

    assert Patient(Busy()).call("Scan", {}) == {"calls": 4}
    assert len(waited) == 3


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (StoreError("no"), 2, "Stopped: no\nNothing is lost: the same command goes on from here."),
        (ProgressMismatch("no"), 2, "Stopped: no\n"),
        (KeyboardInterrupt(), 130, "Stopped. The same command goes on from here."),
    ],
)
def test_what_stops_a_command_is_said_and_told_by_its_code(
    error: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise error

    assert carry_out(work) == code
    assert told in capsys.readouterr().err
