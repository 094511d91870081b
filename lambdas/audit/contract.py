"""Contract of the audit: its environment and its metric."""

import json
from typing import NamedTuple

from lambdas.contract import Environment

# Counts what a run found wrong; an alarm watches it.
AUDIT_FAILURES = "AuditFailures"
REPORTS_PREFIX = "reports/"


class TenantRole(NamedTuple):
    """A role whose sessions reach the items of one tenant of a table, by a tag of the session."""

    design: str
    stack: str
    # How the role's id begins in the stack's template.
    id: str
    tag: str


class AuditEnvironment(Environment):
    """Variables of the audit; `stacks` and `tenant_roles` are lists in JSON."""

    stacks: str
    tenant_roles: str
    reports_bucket: str

    @property
    def stack_names(self) -> list[str]:
        return [str(name) for name in json.loads(self.stacks)]

    @property
    def roles(self) -> list[TenantRole]:
        return [TenantRole(*one) for one in json.loads(self.tenant_roles)]
