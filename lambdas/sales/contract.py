"""Contract of the sales system: routes and environment, for its stack, handler and document."""

from lambdas.contract import PagesEnvironment, Route

_SALE = "/products/{product_id}/sales/{sale_date}/{sale_id}"

LIST_SALES = Route("GET", "/sales")
CREATE_SALE = Route("POST", "/sales")
CREATE_SALES = Route("POST", "/sales/batch")
PRODUCT_SALES = Route("GET", "/products/{product_id}/sales")
GET_SALE = Route("GET", _SALE)
CHANGE_SALE = Route("PATCH", _SALE)
DELETE_SALE = Route("DELETE", _SALE)
PRODUCT_EMBEDDINGS = Route("GET", "/products/{product_id}/embeddings")
EMBEDDINGS = Route("GET", "/embeddings")
TREND = Route("GET", "/trend")
OPENAPI = Route("GET", "/openapi.json")

ROUTES = (
    *(LIST_SALES, CREATE_SALE, CREATE_SALES, PRODUCT_SALES, GET_SALE, CHANGE_SALE, DELETE_SALE),
    *(PRODUCT_EMBEDDINGS, EMBEDDINGS, TREND, OPENAPI),
)


class ApiEnvironment(PagesEnvironment):
    """What the function of the API is told; of shards, years and projection, if not as
    published."""

    sales_intelligence_table_name: str
    cursor_secret_arn: str
    tenant_role_arn: str
    category_shards: str | None = None
    embedding_shards: str | None = None
    sale_years: str | None = None
    sale_projection: str | None = None
