"""The table of many tenants' form submissions, ready for any CDK app."""

from aws_cdk import aws_iam as iam
from constructs import Construct

from tablewright.catalog.forms.design import FORMS
from tablewright.constructs.tables.table import StagedTable
from tablewright.constructs.tenant_role import TenantAccessRole
from tablewright.model.patterns import Pattern
from tablewright.model.sharding.epochs import EpochShards


class ShardedTenantTable(StagedTable):
    """Submissions of forms, their deliveries and counts, each tenant in as many shards as it needs.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        forms = ShardedTenantTable(self, "Forms", stage="dev")
        access = forms.tenant_access_role(
            "TenantAccess", FORMS.put_submission, FORMS.get_submission, assumed_by=function.role
        )
    """

    DESIGN = FORMS

    def tenant_access_role(
        self,
        id: str,
        *patterns: Pattern,
        assumed_by: iam.IRole,
        session_tag: str = "tenant",
        scope: Construct | None = None,
    ) -> TenantAccessRole:
        """A role whose sessions use these patterns on the keys of the tenant they are tagged with.

        What computes a shard reads the tenant's epochs, so their pattern is granted as well. A
        pattern that is not about one tenant is refused, such as the lookup of domains.

        Example::

            forms.tenant_access_role("TenantAccess", FORMS.submissions, assumed_by=function.role)
        """
        access = TenantAccessRole(scope or self, id, assumed_by=assumed_by, session_tag=session_tag)
        granted = list(dict.fromkeys(patterns))
        if self.design.epochs and any(self._sharded(pattern) for pattern in granted):
            granted = list(dict.fromkeys([*granted, self.design.patterns[self.design.epochs]]))
        access.grant(self, *granted)
        return access

    def _sharded(self, pattern: Pattern) -> bool:
        entities = (self.design.entities[name] for name in pattern.entities)
        return any(
            isinstance(key.shards, EpochShards) for entity in entities for key in entity.keys
        )
