"""Sharding strategy: the shard of a submission, its keys, and the number of a tenant's shards.

The published shard is MD5 of tenant and timestamp, modulo the tenant's shard count. Here it is a
hash of the submission id, modulo the count of the time that the id was made in: so one read finds
a submission by its id, and a changed count moves nothing.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from lambdas.forms.sharding.decision import Decision, TenantLoad, decide
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import HOURS_KEPT
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.submissions import OF_SUBMISSION, PENDING, Submission
from tablewright.catalog.forms.tenants import TenantShards
from tablewright.model.sharding.epochs import read_epochs
from tablewright.runtime.store.store import Store

VOLUME_DAYS = 30


class FormBridgeShardingStrategy:
    """Places submissions in the shards of their tenants, and decides how many shards they need.

    Example::

        strategy = FormBridgeShardingStrategy(store)
        key = strategy.create_submission_key("acme", submission_id, timestamp)
    """

    def __init__(self, store: Store, rules: ShardRules | None = None) -> None:
        self._store = store
        self._rules = rules or ShardRules()

    def get_shard_id(self, tenant_id: str, submission_id: str) -> str:
        """Return the shard of a submission, "0" for a tenant with one shard."""
        ids = {"tenant_id": tenant_id, "submission_id": submission_id}
        return OF_SUBMISSION.place(ids, self._store.epochs)

    def create_submission_key(
        self, tenant_id: str, submission_id: str, timestamp: str
    ) -> dict[str, Any]:
        """Return the table and index keys of a new submission, with its shard and tenant."""
        made = {
            "tenant_id": tenant_id,
            "submission_id": submission_id,
            "timestamp": timestamp,
            "status": PENDING,
        }
        return {
            **Forms.__design__.derived(Submission.__entity__, made, self._store.epochs),
            "shard_id": self.get_shard_id(tenant_id, submission_id),
            "tenant_id": tenant_id,
        }

    def get_tenant_shard_config(self, tenant_id: str) -> TenantShards | None:
        """Read the shard counts of a tenant, None if it never had more than one shard."""
        return self._store.get(Forms.get_shards, tenant_id=tenant_id)

    def calculate_optimal_shards(
        self, tenant_id: str, config: TenantShards | None, now: datetime
    ) -> Decision:
        """Decide the shard count of a tenant from its recent submissions."""
        return decide(
            self._get_recent_volume(tenant_id, now),
            read_epochs(config.shard_mapping if config else ()),
            now,
            self._rules,
            strategy=config.distribution_strategy if config else None,
        )

    def _get_recent_volume(self, tenant_id: str, now: datetime) -> TenantLoad:
        tenant = {"tenant_id": tenant_id}
        first_day = (now.astimezone(UTC) - timedelta(days=VOLUME_DAYS)).date().isoformat()
        first_hour = now - timedelta(hours=HOURS_KEPT)
        return TenantLoad.of(
            self._store.each(Forms.daily_metrics, tenant, since=first_day),
            self._store.each(Forms.hourly_metrics, tenant, since=first_hour),
        )
