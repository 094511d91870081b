"""Tenants with counts, and planners of their shards."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lambdas.forms.sharding.decision import Decision
from lambdas.forms.sharding.planner import PlannerRun, ShardPlanner
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.model import Entity
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Records
from tests.integration.forms.conftest import FormTable, epochs_in

# Far ahead, because the engine deletes what has expired.
NOW = datetime(2099, 6, 1, 12, 30, tzinfo=UTC)
VOLUMES = {"large": 10_001, "middle": 1_001, "small": 1_000}
SHARDS = {"large": 10, "middle": 4}


class World:
    """Tenants with counts, and planners."""

    def __init__(self, forms: FormTable) -> None:
        forms.clock.moment = NOW
        self.forms = forms
        self.dynamo = forms.database.caller
        self.told: list[tuple[str, Decision, str]] = []
        self.failed: list[str] = []

    def tenant(self, tenant: str, volume: int = 0, peak: int = 0, state: str = "active") -> None:
        config = {
            **TenantConfig.__entity__.example,
            "tenant_id": tenant,
            "state": state,
        }
        self.forms.store().put(Forms.put_config, TenantConfig(**config))
        # Half of it today, half on the first day that counts; the day before does not.
        for days, count in ((0, volume - volume // 2), (30, volume // 2), (31, 10**6)):
            day = {"date": (NOW - timedelta(days=days)).date().isoformat()}
            self.count(DailyMetrics, tenant_id=tenant, submission_count=Decimal(count), **day)
        for hours, count in ((0, 1), (72, peak), (73, 10**9)):
            hour = {"datetime": NOW - timedelta(hours=hours)}
            self.count(HourlyMetrics, tenant_id=tenant, submission_count=Decimal(count), **hour)

    def count(self, kind: type[Entity], **values: Any) -> None:
        records = Records(Forms.__design__, kind.__entity__)
        self.forms.database.write([records.to_item(kind(**values))])

    def planner(
        self, caller: Caller | None = None, rules: ShardRules | None = None
    ) -> ShardPlanner:
        return ShardPlanner(
            self.forms.store(caller),
            self.forms.counts(caller),
            rules or ShardRules(),
            report=lambda *said: self.told.append(said),
            failed=lambda tenant, _: self.failed.append(tenant),
        )

    def run(self, caller: Caller | None = None, **asked: Any) -> PlannerRun:
        return self.planner(caller).run(self.forms.clock.moment, **asked)

    def shards(self, *tenants: str) -> dict[str, list[int]]:
        """The counts of all epochs, by tenant."""
        counts = self.forms.counts()
        return {one: [epoch.shards for epoch in epochs_in(counts, one)] for one in tenants}

    def outcomes(self) -> dict[str, str]:
        return {tenant: outcome for tenant, _, outcome in self.told}


def three_tenants(forms: FormTable) -> World:
    """One for each number of shards that a volume can ask for."""
    world = World(forms)
    for tenant, volume in VOLUMES.items():
        world.tenant(tenant, volume)
    return world
