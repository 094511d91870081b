"""A backfill by the clock: however its runs end, the table is in the end as by one command."""

import json
from collections import Counter
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.pace import Bucket
from tablewright.changes.backfill.scheduled import carrying_on
from tablewright.changes.backfill.scheduled.checkpoints import Checkpoints
from tablewright.changes.backfill.scheduled.handler import handler
from tablewright.changes.backfill.scheduled.plan import PLAN, BackfillPlan
from tablewright.constructs import Backfill as BackfillConstruct
from tablewright.constructs import DesignTable
from tablewright.model import Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.deadline import invocation
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments import walk
from tablewright.runtime.wire.client import WireClient
from tablewright.testing import Database, least_privilege, survives_every_fault
from tests.infrastructure.synthesis import new_stack, template_of
from tests.integration.changes.designs import (
    NAME,
    Before,
    Indexed,
    completed_items,
    fill,
    item_of,
    line,
    order,
    records,
    stored,
)
from tests.integration.http import Context

KEPT = "dev-checkpoints"


class Brief(Context):
    """An invocation that has time for so many pages."""

    def __init__(self, pages: int) -> None:
        self._asked = -1  # once for the deadline of its calls
        self._pages = pages

    def get_remaining_time_in_millis(self) -> int:
        self._asked += 1
        return 1 if self._asked > self._pages else super().get_remaining_time_in_millis()


class Counting:
    """A caller that counts what is called of which table."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.calls: Counter[tuple[str, str]] = Counter()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls[operation, params["TableName"]] += 1
        return self._caller.call(operation, params)


@pytest.fixture(autouse=True)
def environment(dynamodb: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        **dynamodb.environment,
        "LAMBDA_TASK_ROOT": str(tmp_path),
        "BACKFILL_TABLE": NAME,
        "BACKFILL_CHECKPOINTS": KEPT,
        "POWERTOOLS_SERVICE_NAME": "orders",
        "POWERTOOLS_METRICS_NAMESPACE": "Shop",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(walk, "PAGE", 3)
    dynamodb.table(Checkpoints, KEPT)


def plan_of(new: type[Table], folder: Path, *, run: int = 1) -> BackfillPlan:
    """The plan of a backfill from the design before, in the function's bundle."""
    plan = BackfillPlan.of(new.__design__, Before.__design__, rate=10_000, run=run)
    (folder / PLAN).write_text(plan.to_json())
    return plan


def run_to_the_end(pages: int) -> int:
    """Invoke the function until it is done; gives how often."""
    for number in range(1, 100):
        if handler({}, Brief(pages))["done"]:
            return number
    raise AssertionError("it never ends")


def test_many_short_runs_end_as_one_long_one(dynamodb: Database, tmp_path: Path) -> None:
    some = records(14)
    fill(dynamodb, Indexed, Before, some)
    assert Backfill(Indexed, Before, NAME, dynamodb.caller).run()
    by_command = stored(dynamodb)
    dynamodb.empty(NAME)
    dynamodb.write([item_of(Before, one) for one in some], NAME)
    plan_of(Indexed, tmp_path)
    assert run_to_the_end(pages=2) > 3
    assert stored(dynamodb) == by_command == completed_items(Indexed, some)


def test_it_survives_every_fault_at_every_call(
    dynamodb: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: None)
    monkeypatch.setattr(carrying_on, "SEGMENTS", 1)
    monkeypatch.setattr(walk, "PAGE", 1)
    some = [order(1), line(2)]
    plan = plan_of(Indexed, tmp_path)
    dynamodb.table(Indexed, NAME)

    def fresh() -> None:
        dynamodb.empty(NAME)
        dynamodb.empty(KEPT)
        dynamodb.write([item_of(Before, one) for one in some], NAME)

    def work() -> None:
        # Two runs, the first with time for one page.
        for pages in (1, 100):
            in_time = partial(next, iter([True] * pages), False)
            carrying_on.carry_on(plan, NAME, KEPT, dynamodb.caller, in_time)

    calls = survives_every_fault(work, lambda: stored(dynamodb), fresh=fresh)
    operations = Counter(call.operation for call in calls)
    assert operations["Scan"] == operations["PutItem"], "a checkpoint after every page"
    assert stored(dynamodb) == completed_items(Indexed, some)


def test_once_it_is_done_it_reads_its_checkpoint_alone(dynamodb: Database, tmp_path: Path) -> None:
    some = records(10)
    fill(dynamodb, Indexed, Before, some)
    plan = plan_of(Indexed, tmp_path)
    run_to_the_end(pages=100)
    # What old programs write afterwards is another run's.
    dynamodb.write([item_of(Before, order(99))], NAME)
    caller = Counting(dynamodb.caller)
    carried = carrying_on.carry_on(plan, NAME, KEPT, caller, lambda: True)
    assert carried.done
    assert carried.outcomes["completed"] == 10
    assert caller.calls == {("GetItem", KEPT): 1}
    plan_of(Indexed, tmp_path, run=2)
    assert handler({}, Context()) == {"done": True, "completed": 1, "unchanged": 10}
    assert stored(dynamodb) == completed_items(Indexed, [*some, order(99)])


def test_each_run_tells_how_far_it_is_and_what_is_left(
    dynamodb: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    item = item_of(Before, order(2))
    strange = {**item, "PK": {"S": "ORDER#secret-name"}, "total": {"S": "secret-name"}}
    dynamodb.write([strange], NAME)
    plan_of(Indexed, tmp_path)
    for _ in range(2):  # at work, and done
        handler({}, Context())
        (told,) = map(json.loads, capsys.readouterr().out.splitlines())
        assert told["outcomes"] == {"completed": 1, "left": 1}
        assert (told["done"], told["BackfillItemsLeft"]) == (True, 1)
        (metric,) = told["_aws"]["CloudWatchMetrics"]
        assert metric["Namespace"] == "Shop"
        assert [told[name] for names in metric["Dimensions"] for name in names] == ["orders"]
        assert "secret-name" not in json.dumps(told), "what is in items stays out of logs"


def test_its_role_allows_what_it_calls_and_nothing_else(
    dynamodb: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = new_stack()
    table = DesignTable(stack, "Table", design=Indexed)
    BackfillConstruct(stack, "Backfill", table=table, before=Before)
    rights = least_privilege(template_of(stack), "BackfillRunFunction")
    fill(dynamodb, Indexed, Before, [order(1), order(2), line(3)])
    plan_of(Indexed, tmp_path)
    caller = WireClient.call

    def writes_between(self: WireClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and params["Key"]["PK"] == {"S": "ORDER#o2"}:
            # Another program is faster, so the item is read again.
            dynamodb.write([item_of(Indexed, order(2, note="newer"))], NAME)
        return caller(self, operation, params)

    monkeypatch.setattr(WireClient, "call", writes_between)
    with rights.recording():
        run_to_the_end(pages=100)
    rights.assert_exact()
    newer = item_of(Indexed, order(2, note="newer"))
    assert newer in stored(dynamodb)
    assert [one for one in stored(dynamodb) if one != newer] == completed_items(
        Indexed, [order(1), line(3)]
    )


def test_throttling_ends_a_run_with_an_error_only_while_it_has_time(
    dynamodb: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: None)
    fill(dynamodb, Indexed, Before, [order(1)])
    plan = plan_of(Indexed, tmp_path)

    throttled = Event()

    class Throttling:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem":
                throttled.set()
                raise Throttled("slower")
            return dynamodb.caller.call(operation, params)

    with pytest.raises(Throttled):
        carrying_on.carry_on(plan, NAME, KEPT, Throttling(), lambda: True)
    throttled.clear()
    late = carrying_on.carry_on(plan, NAME, KEPT, Throttling(), lambda: not throttled.is_set())
    assert throttled.is_set()
    assert not late.done


def test_nobody_waits_for_units_beyond_the_end_of_an_invocation() -> None:
    bucket = Bucket(1)
    bucket.consume(3600)
    with invocation(None, at_most=0):
        bucket.wait()
