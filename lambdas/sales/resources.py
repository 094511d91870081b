"""Resources of the sales functions: the table, seen with the credentials of a request's tenant."""

from collections.abc import Callable
from datetime import UTC, datetime

from lambdas.contract import TENANT
from lambdas.sales.contract import ApiEnvironment
from lambdas.sales.sales import TenantSales
from tablewright.catalog.sales.design import (
    CATEGORY_SHARDS,
    EMBEDDING_SHARDS,
    PROJECTION,
    YEARS_KEPT,
    Sales,
    sales_table,
)
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import Tenants


def table_of(environment: ApiEnvironment) -> type[Sales]:
    """The table, as the function is told of it."""
    return sales_table(
        category_shards=int(environment.category_shards or CATEGORY_SHARDS),
        embedding_shards=int(environment.embedding_shards or EMBEDDING_SHARDS),
        years=int(environment.sale_years or YEARS_KEPT),
        projects=environment.sale_projection or PROJECTION,
    )


class Resources:
    """Opens the sales of a tenant. Kept for the life of the function's environment."""

    def __init__(
        self,
        table_name: str,
        connect: Callable[[str], Caller],
        cursors: Cursors,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        table: type[Sales] = Sales,
    ) -> None:
        self._table_name = table_name
        self._connect = connect
        self._cursors = cursors
        self.now = now
        self.table = table

    @classmethod
    def of(cls, environment: ApiEnvironment) -> "Resources":
        session = own_session()
        tenants = Tenants(session, environment.tenant_role_arn, tag=TENANT)
        tenants.prepare()
        secret = environment.cursor_secret_arn
        keys = SecretKeys(lambda: connect(session, "secretsmanager"), secret, purpose="sales")
        return cls(
            environment.sales_intelligence_table_name,
            tenants.access,
            Cursors(keys),
            table=table_of(environment),
        )

    def sales_of(self, tenant: str) -> TenantSales:
        store = Store(
            self.table,
            self._table_name,
            self._connect(tenant),
            cursors=self._cursors,
            now=self.now,
        )
        return TenantSales(store, tenant)
