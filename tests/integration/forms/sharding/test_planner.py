"""The planner over all tenants: what it decides, what it leaves alone, how it goes on."""

from datetime import timedelta

import pytest

from lambdas.forms.sharding.planner import PlannerRun
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.records import Records
from tests.integration.forms.conftest import FormTable, ids, key_of, pages, submission
from tests.integration.forms.sharding.planners import NOW, SHARDS, VOLUMES, World, three_tenants


@pytest.fixture
def world(forms: FormTable) -> World:
    return World(forms)


@pytest.fixture
def three(forms: FormTable) -> World:
    return three_tenants(forms)


def test_tenants_get_the_shards_of_their_volume(three: World) -> None:
    assert three.run() == PlannerRun(looked_at=3, appended=2)
    assert three.shards(*VOLUMES) == {"large": [10], "middle": [4], "small": []}
    stored = three.forms.store().get(Forms.get_shards, {"tenant_id": "large"})
    assert stored is not None
    assert stored["distribution_strategy"] == "volume"
    assert three.outcomes() == {"large": "appended", "middle": "appended", "small": "kept"}


def test_the_busiest_hour_of_three_days_decides_by_rate(world: World) -> None:
    world.tenant("fast", peak=63 * 3600)
    world.run()
    assert world.shards("fast") == {"fast": [2]}
    ((_, decision, _),) = world.told
    assert (decision.strategy, decision.shards, decision.wanted) == ("rate", 1, 2)
    assert "226,800 in the busiest hour for 2" in decision.reason


def test_a_second_run_finds_nothing_to_do(three: World) -> None:
    three.run()
    before = three.forms.database.items()
    assert three.run() == PlannerRun(looked_at=3)
    assert three.forms.database.items() == before


def test_disabled_tenants_are_left_alone(world: World) -> None:
    world.tenant("gone", 10**6, state="disabled")
    assert world.run() == PlannerRun()
    assert world.shards("gone") == {"gone": []}


def test_a_dry_run_tells_all_and_changes_nothing(three: World) -> None:
    before = three.forms.database.items()
    assert three.run(dry_run=True) == PlannerRun(looked_at=3)
    assert three.forms.database.items() == before
    assert {tenant: d.wanted for tenant, d, outcome in three.told if outcome == "planned"} == SHARDS


def test_runs_that_are_out_of_time_come_to_all_tenants_together(world: World) -> None:
    tenants = [f"tenant-{number:03}" for number in range(120)]
    records = Records(Forms.__design__, TenantConfig.__entity__)
    example = TenantConfig.__entity__.example
    items = [
        records.to_item(TenantConfig(**{**example, "tenant_id": tenant})) for tenant in tenants
    ]
    world.forms.database.write(items)
    looked_at, after = [], None
    for _ in range(20):
        left = iter(range(8))
        run = world.run(after=after, in_time=lambda left=left: next(left, None) is not None)
        looked_at.append(run.looked_at)
        after = run.after
        if after is None:
            break
    assert [tenant for tenant, _, _ in world.told] == tenants
    assert looked_at == [9] * 13 + [3]


def test_a_run_without_any_time_still_does_one(three: World) -> None:
    run = three.run(in_time=lambda: False)
    assert run == PlannerRun(looked_at=1, appended=1, after="large")
    assert three.run(after="large", in_time=lambda: False).after == "middle"
    assert three.run(after="middle", in_time=lambda: False) == PlannerRun(looked_at=1)


def test_shrinking_leaves_every_old_submission_one_read_away_and_lists_whole(
    world: World,
) -> None:
    """Ten shards, then four, then one: each a month after the last."""
    world.forms.set_epochs("acme", (NOW - timedelta(days=90), 10))
    world.tenant("acme", 5_000)
    clock = world.forms.clock
    made: list[Submission] = []

    def write(number: int) -> None:
        store = world.forms.store()
        for _ in range(number):
            record = submission(clock.pass_by(seconds=20), len(made))
            store.put(Forms.put_submission, record)
            made.append(record)

    def check() -> None:
        meter = Meter(world.dynamo)
        store = world.forms.store(meter)
        for record in made:
            assert store.get(Forms.get_submission, key_of(record)) == record
        assert meter.calls == len(made) + 1  # and the epochs, once
        for pattern, where in (
            (Forms.submissions, {}),
            (Forms.submissions_by_status, {"status": "PENDING"}),
            (Forms.submissions_by_form, {"form_id": "contact"}),
        ):
            found = pages(store, pattern, {"tenant_id": "acme", **where}, 7)
            assert ids(found) == ids(made)[::-1]

    write(30)
    assert world.run().appended == 1
    write(40)  # through the beginning of the new epoch
    check()
    clock.pass_by(days=31)
    assert world.run().appended == 1
    check()
    write(40)
    check()
    assert world.shards("acme") == {"acme": [10, 4, 1]}
    # Nothing was moved, and each epoch used its shards.
    used = {item["PK"]["S"] for item in world.forms.database.items() if "data" in item}
    assert len(used) == 10


def test_a_submission_costs_its_busiest_partition_what_the_rate_is_reckoned_with(
    world: World,
) -> None:
    meter = Meter(world.dynamo)
    store = world.forms.store(meter)
    made = submission(NOW, data=b"x" * 2000)
    store.put(Forms.put_submission, made)
    example = DeliveryAttempt.__entity__.example
    for destination in ("crm", "archive"):
        key = {
            "tenant_id": made["tenant_id"],
            "submission_id": made["submission_id"],
            "destination_id": destination,
            "attempt_num": 1,
        }
        begun = {**example, **key, "status": "PENDING", "timestamp": NOW}
        store.put(Forms.put_attempt, DeliveryAttempt(**begun))
        changes = {"status": "SUCCEEDED", "timestamp": NOW + timedelta(seconds=1)}
        store.update(Forms.update_attempt, key, changes)
    store.update(Forms.update_submission, key_of(made), {"status": "DELIVERED"})
    # All of GSI1's are in one partition of it; the other indexes have several.
    assert meter.written["GSI1"] == ShardRules().units_per_submission
