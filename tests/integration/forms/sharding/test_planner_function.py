"""The planner as the schedule calls it: what it answers, logs and measures."""

import json
from datetime import datetime
from typing import Any

import pytest

from lambdas.forms.handlers import plan_shards as plan
from lambdas.forms.sharding.planner import PlannerRun, ShardPlanner
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.model import InvalidValue
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.sharding.planners import NOW, VOLUMES, World, three_tenants
from tests.integration.http import Context, Hurried
from tests.integration.sentiment.http import Logs, metered, metrics


@pytest.fixture
def three(forms: FormTable) -> World:
    return three_tenants(forms)


class Invoked:
    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append({"operation": operation, **params})
        return {"StatusCode": 202}


@pytest.fixture
def invoked(three: World, monkeypatch: pytest.MonkeyPatch) -> Invoked:
    metered(monkeypatch)

    class Now(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Now":
            return cls.fromtimestamp(NOW.timestamp(), tz)

    monkeypatch.setattr(plan, "datetime", Now)
    planning = ShardPlanner(
        three.forms.store(),
        three.forms.counts(),
        ShardRules(),
        report=plan._report,
        failed=plan._failed,
    )
    monkeypatch.setattr(plan, "planner", lambda: planning)
    lambdas = Invoked()
    monkeypatch.setattr(plan, "functions", lambda: lambdas)
    return lambdas


def test_a_run_is_logged_with_its_reasons_and_measured(
    three: World,
    invoked: Invoked,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs = Logs(monkeypatch)
    monkeypatch.setattr(plan.logger.registered_handler, "stream", logs._stream)
    answer = plan.handler({"source": "aws.scheduler"}, Context())
    assert answer == {**PlannerRun(looked_at=3, appended=2)._asdict(), "dry_run": False}
    (done,) = logs.of("Shard planning completed")
    assert (done["extra"]["looked_at"], done["extra"]["appended"]) == (3, 2)
    large, middle = (entry["extra"] for entry in logs.of("shards decided"))
    assert (large["tenant_id"], large["shards"], large["wanted"]) == ("large", 1, 10)
    assert large["reason"].startswith("10,001 submissions in 30 days ask for 10, ")
    assert (middle["tenant_id"], middle["outcome"]) == ("middle", "appended")
    counted = {one["name"]: one["values"] for one in metrics(capsys.readouterr().out)}
    assert counted == {"ShardPlannerTenants": [3.0], "ShardPlannerEpochs": [2.0]}
    assert invoked.calls == []


def test_a_dry_run_of_the_function_changes_nothing(three: World, invoked: Invoked) -> None:
    before = three.forms.database.items()
    answer = plan.handler({"dry_run": True}, Context())
    assert answer == {**PlannerRun(looked_at=3)._asdict(), "dry_run": True}
    assert three.forms.database.items() == before
    with pytest.raises(InvalidValue, match="dry_run must be true or false"):
        plan.handler({"dry_run": "yes"}, Context())


def test_a_run_that_is_out_of_time_calls_the_next(three: World, invoked: Invoked) -> None:
    event: dict[str, Any] = {"dry_run": False}
    for _ in range(3):
        plan.handler(event, Hurried())
        event = json.loads(invoked.calls[-1]["Payload"])
    assert [json.loads(call["Payload"]) for call in invoked.calls] == [
        {"dry_run": False, "after": "large"},
        {"dry_run": False, "after": "middle"},
    ]
    assert {call["InvocationType"] for call in invoked.calls} == {"Event"}
    assert {call["FunctionName"] for call in invoked.calls} == {Context.invoked_function_arn}
    assert three.shards(*VOLUMES) == {"large": [10], "middle": [4], "small": []}
