"""Planners that fail, die, or meet another: every tenant ends with one epoch of the right count."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.sharding.planner import PlannerRun
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.store.batches import delete_request, write_all
from tablewright.runtime.transport import Transport
from tablewright.testing import survives_every_fault
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.sharding.planners import NOW, VOLUMES, World, three_tenants


@pytest.fixture
def world(forms: FormTable) -> World:
    return World(forms)


@pytest.fixture
def three(forms: FormTable) -> World:
    return three_tenants(forms)


class Failing:
    """Throttles whatever concerns a tenant."""

    def __init__(self, caller: Caller, tenant: str) -> None:
        self._caller = caller
        self._key = f"TENANT#{tenant}"

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation != "BatchGetItem" and f"'{self._key}'" in repr(params):
            raise Throttled("injected")
        return self._caller.call(operation, params)


def test_a_tenant_that_fails_does_not_stop_the_others(three: World) -> None:
    run = three.run(Failing(three.dynamo, "large"))
    assert run == PlannerRun(looked_at=3, appended=1, failed=1)
    assert three.failed == ["large"]
    assert three.shards(*VOLUMES) == {"large": [], "middle": [4], "small": []}
    assert three.run() == PlannerRun(looked_at=3, appended=1)


def test_a_tenant_whose_epochs_are_unsound_does_not_stop_the_others(three: World) -> None:
    key = {"PK": {"S": "TENANT#large"}, "SK": {"S": "SHARDS#main"}}
    spoiled = {**key, "shard_mapping": {"L": [{"M": {"from": {"S": "soon"}}}]}}
    three.forms.database.write([spoiled])
    assert three.run() == PlannerRun(looked_at=3, appended=1, failed=1)


def test_planning_ends_the_same_whatever_fails_on_the_way(three: World) -> None:
    def fresh() -> Caller:
        keys = [
            {name: item[name] for name in ("PK", "SK")}
            for item in three.forms.database.items()
            if item["SK"]["S"] == "SHARDS#main"
        ]
        requests = [delete_request(key) for key in keys]
        write_all(Transport(three.dynamo), "forms", requests)
        three.forms.set_epochs("middle", (NOW - timedelta(days=90), 2))
        return three.dynamo

    def work(caller: Caller) -> None:
        # What a tenant's failure left undone is done by the next day's run.
        if three.run(caller).failed:
            assert three.run(caller).failed == 0

    calls = survives_every_fault(work, lambda: three.forms.database.items(), fresh=fresh)
    assert len(calls) > 10
    assert three.shards(*VOLUMES) == {"large": [10], "middle": [2, 4], "small": []}


def test_planners_at_the_same_moment_append_one_epoch(three: World) -> None:
    three.forms.set_epochs("middle", (NOW - timedelta(days=90), 2))
    with ThreadPoolExecutor(8) as planners:
        runs = list(planners.map(lambda _: three.run(), range(8)))
    assert {run.failed for run in runs} == {0}
    assert three.shards(*VOLUMES) == {"large": [10], "middle": [2, 4], "small": []}


@pytest.mark.parametrize(
    ("operation", "existing"),
    [("Query", False), ("PutItem", False), ("Query", True), ("UpdateItem", True)],
)
def test_what_an_operator_sets_meanwhile_stands(
    world: World, operation: str, existing: bool
) -> None:
    """At whichever call of the planner it happens: the planner's own is a conflict, no error."""
    world.tenant("acme", 20_000)
    if existing:
        world.forms.set_epochs("acme", (NOW - timedelta(days=90), 2))

    class Meanwhile:
        done = False

        def call(self, name: str, params: dict[str, Any]) -> dict[str, Any]:
            # Of the queries, those of counts: by then the epochs have been read.
            counts = name != "Query" or "METRICS" in repr(params)
            if name == operation and counts and not self.done:
                self.done = True
                operator = world.forms.counts()
                operator.change("acme", 50, distribution_strategy="manual")
            return world.dynamo.call(name, params)

    assert world.run(Meanwhile()) == PlannerRun(looked_at=1, conflicts=1)
    assert world.shards("acme")["acme"][-1] == 50
    assert world.run() == PlannerRun(looked_at=1)
    assert world.shards("acme")["acme"][-1] == 50
