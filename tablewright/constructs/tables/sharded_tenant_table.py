"""Sharded multi-tenant table: tenants apart in every key, each in as many shards as it needs."""

from collections.abc import Iterator

from tablewright.constructs.tables.table import DesignTable
from tablewright.model.table import Design


class ShardedTenantTable(DesignTable):
    """A table whose design sets tenants apart and spreads what they write over shards.

    Example::

        forms = ShardedTenantTable(self, "Forms", design=Forms)
        access = forms.tenant_access_role("TenantAccess", Forms.submissions, assumed_by=role)
    """

    def lacks(self, design: Design) -> Iterator[str]:
        if design.tenant is None:
            yield "it has no tenants: name the field that sets them apart"
        if not any(key.shards for entity in design.entity_list for key in entity.keys):
            yield "none of its keys has shards"
