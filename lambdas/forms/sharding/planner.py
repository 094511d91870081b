"""Shard planner: gives tenants that have outgrown their shards a new epoch, by their counts."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.forms.sharding.decision import Decision
from lambdas.forms.sharding.strategy import FormBridgeShardingStrategy
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.tenants import TenantShards
from tablewright.model.sharding.epochs import read_epochs
from tablewright.runtime.errors import Conflict
from tablewright.runtime.sharding.counts import ShardCounts
from tablewright.runtime.store.store import Store

_PAGE = 100

APPENDED, PLANNED, KEPT, CONFLICT = "appended", "planned", "kept", "conflict"

Report = Callable[[str, Decision, str], Any]
Failed = Callable[[str, Exception], Any]


class PlannerRun(NamedTuple):
    """What a run did; `after` is the tenant to go on after when its time was up."""

    looked_at: int = 0
    appended: int = 0
    conflicts: int = 0
    failed: int = 0
    after: str | None = None


class ShardPlanner:
    """Plans the shards of active tenants, one after the other in order of their ids.

    `report` gets every decision and what came of it, `failed` of tenants that could not be
    planned: the next run finds them again.
    """

    def __init__(
        self,
        store: Store,
        counts: ShardCounts[TenantShards],
        rules: ShardRules,
        *,
        report: Report,
        failed: Failed,
    ) -> None:
        self._store = store
        self._counts = counts
        self._strategy = FormBridgeShardingStrategy(store, rules)
        self._report = report
        self._failed = failed

    def run(
        self,
        now: datetime,
        *,
        dry_run: bool = False,
        after: str | None = None,
        in_time: Callable[[], bool] = lambda: True,
    ) -> PlannerRun:
        """Plan all tenants after one, as long as there is time; a dry run changes nothing."""
        done: list[str | None] = []
        last = after
        for tenant in self._tenants(after):
            # One at least, so that runs that follow one another come to an end.
            if done and not in_time():
                return _run(done, last)
            done.append(self._one(tenant, now, dry_run))
            last = tenant
        return _run(done, None)

    def _tenants(self, after: str | None) -> Iterator[str]:
        active = {"state": "active"}
        for one in self._store.each(Forms.tenants, active, since=after, at_once=_PAGE):
            if one.tenant_id != after:
                yield one.tenant_id

    def _one(self, tenant: str, now: datetime, dry_run: bool) -> str | None:
        """What came of a tenant; None when it failed, whatever the reason: others are waiting."""
        try:
            return self._plan(tenant, now, dry_run)
        except Exception as error:
            self._failed(tenant, error)
            return None

    def _plan(self, tenant: str, now: datetime, dry_run: bool) -> str:
        config = self._strategy.get_tenant_shard_config(tenant)
        decision = self._strategy.calculate_optimal_shards(tenant, config, now)
        outcome = KEPT
        if decision.changes:
            outcome = PLANNED
            if not dry_run:
                outcome = self._append(tenant, decision, config)
        self._report(tenant, decision, outcome)
        return outcome

    def _append(self, tenant: str, decision: Decision, config: TenantShards | None) -> str:
        try:
            self._counts.change(
                tenant,
                decision.wanted,
                expected=read_epochs(config.shard_mapping if config else ()),
                distribution_strategy=decision.strategy,
            )
        except Conflict:
            return CONFLICT  # another planner or an operator was first, and knows as much
        return APPENDED


def _run(done: list[str | None], after: str | None) -> PlannerRun:
    return PlannerRun(
        len(done), done.count(APPENDED), done.count(CONFLICT), done.count(None), after
    )
