"""Settings of the sales system."""

from cdk_app.parsers import one_of, whole
from cdk_app.setting import Setting
from tablewright.catalog.sales.design import CATEGORY_SHARDS as CATEGORY
from tablewright.catalog.sales.design import EMBEDDING_SHARDS as EMBEDDING
from tablewright.catalog.sales.design import PROJECTION, PROJECTIONS, YEARS_KEPT

CATEGORY_SHARDS = Setting(
    name="category_shards",
    parser=whole("shards", CATEGORY, 100),
    example="20",
    default=str(CATEGORY),
    says="Over how many partitions the sales of a category are spread. It can be raised at any "
    "time, and [not be lowered](sharding.md#sales).",
)
EMBEDDING_SHARDS = Setting(
    name="embedding_shards",
    parser=whole("shards", EMBEDDING, 100),
    example="10",
    default=str(EMBEDDING),
    says="The same of a tenant's embeddings.",
)
SALE_YEARS = Setting(
    name="sale_years",
    parser=whole("calendar years", 1, 10),
    example="7",
    default=str(YEARS_KEPT),
    says="How long sales stay in their table; those that are stored keep the expiry they have.",
)
SALE_PROJECTION = Setting(
    name="sale_projection",
    parser=one_of(*PROJECTIONS),
    example="ALL",
    default=PROJECTION,
    says="What the indexes of categories and of brands carry: keys, so that lists read each sale "
    "from the table, or whole sales ([what either costs](tables/sales.md#other-projections)). To "
    "be chosen before the first deployment: DynamoDB changes no projection of an index that is "
    "there, and `make deploy` refuses to try.",
)
