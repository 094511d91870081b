"""Resources of the sales functions: the table, seen with the credentials of a request's tenant."""

from collections.abc import Callable
from datetime import UTC, datetime

import boto3

from lambdas.contract import TENANT
from lambdas.sales.contract import ApiEnvironment
from lambdas.sales.sales import TenantSales
from tablewright.catalog.sales.design import Sales
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import Tenants


class Resources:
    """Opens the sales of a tenant. Kept for the life of the function's environment."""

    def __init__(
        self,
        table_name: str,
        connect: Callable[[str], Caller],
        cursors: Cursors,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._table_name = table_name
        self._connect = connect
        self._cursors = cursors
        self.now = now

    @classmethod
    def of(cls, environment: ApiEnvironment) -> "Resources":
        session = boto3.session.Session()
        tenants = Tenants(session, environment.tenant_role_arn, tag=TENANT)
        tenants.prepare()
        secret = environment.cursor_secret_arn
        keys = SecretKeys(lambda: connect(session, "secretsmanager"), secret)
        return cls(environment.sales_intelligence_table_name, tenants.access, Cursors(keys))

    def sales_of(self, tenant: str) -> TenantSales:
        store = Store(
            Sales,
            self._table_name,
            self._connect(tenant),
            cursors=self._cursors,
            now=self.now,
        )
        return TenantSales(store, tenant)
