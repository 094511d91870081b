"""Form table, ready for any CDK app."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.forms.design import Forms
from tablewright.constructs.tables.sharded_tenant_table import ShardedTenantTable
from tablewright.constructs.tables.table import TableOptions


class FormsTable(ShardedTenantTable):
    """Submissions of many tenants' forms, their deliveries and counts.

    Example::

        forms = FormsTable(self, "Forms")
        access = forms.tenant_access_role("TenantAccess", Forms.submissions, assumed_by=role)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=Forms, **options)
