"""Resources of the sales function: the repository, with the credentials of a request's tenant."""

from typing import NamedTuple

from aws_lambda_powertools import Logger

from lambdas.contract import TENANT
from lambdas.sales.contract import ApiEnvironment
from lambdas.sales.rules import Defaults
from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import (
    CATEGORY_SHARDS,
    EMBEDDING_SHARDS,
    PROJECTION,
    SHARD_FUNCTIONS,
    YEARS_KEPT,
    Sales,
    sales_table,
)
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.tenancy import Tenants


def table_of(environment: ApiEnvironment) -> type[Sales]:
    """The table, as the function is told of it."""
    return sales_table(
        category_shards=int(environment.category_shards or CATEGORY_SHARDS),
        embedding_shards=int(environment.embedding_shards or EMBEDDING_SHARDS),
        years=int(environment.sale_years or YEARS_KEPT),
        function=SHARD_FUNCTIONS[environment.category_shard_function or "uniform"],
        projects=environment.sale_projection or PROJECTION,
    )


class Resources(NamedTuple):
    """Repository and stage settings. Kept for the life of the function's environment."""

    sales: SalesRepository
    embedding_bucket: str

    @classmethod
    def of(cls, environment: ApiEnvironment, logger: Logger) -> "Resources":
        session = own_session()
        tenants = Tenants(session, environment.tenant_role_arn, tag=TENANT)
        tenants.prepare()
        secret = environment.cursor_secret_arn
        keys = SecretKeys(lambda: connect(session, "secretsmanager"), secret, purpose="sales")
        repository = SalesRepository(
            environment.sales_intelligence_table_name,
            logger=logger,
            access=tenants.access,
            cursors=Cursors(keys),
            table=table_of(environment),
        )
        return cls(repository, environment.embedding_bucket)

    def defaults_of(self, tenant: str) -> Defaults:
        """Return the values that a tenant's new sales get from here."""
        return Defaults(tenant, self.sales.now(), self.embedding_bucket, self.sales.expires)
