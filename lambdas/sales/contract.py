"""Contract of the sales system: routes and environment, for its stack, handler and document."""

from lambdas.contract import PagesEnvironment, Route

LIST_SALES = Route("GET", "/sales")
CREATE_SALE = Route("POST", "/sales")
CREATE_SALES = Route("POST", "/sales/batch")
# Ids may hold any text, so they stand in the query string.
GET_SALE = Route("GET", "/sale")
CHANGE_SALE = Route("PATCH", "/sale")
DELETE_SALE = Route("DELETE", "/sale")
EMBEDDINGS = Route("GET", "/embeddings")
TREND = Route("GET", "/trend")
OPENAPI = Route("GET", "/openapi.json")

ROUTES = (
    *(LIST_SALES, CREATE_SALE, CREATE_SALES, GET_SALE, CHANGE_SALE, DELETE_SALE),
    *(EMBEDDINGS, TREND, OPENAPI),
)


class ApiEnvironment(PagesEnvironment):
    """Environment of the API's function; shards, years and projection if not as published."""

    sales_intelligence_table_name: str
    cursor_secret_arn: str
    tenant_role_arn: str
    embedding_bucket: str
    category_shards: str | None = None
    category_shard_function: str | None = None
    embedding_shards: str | None = None
    sale_years: str | None = None
    sale_projection: str | None = None
