"""Settings of the sales system."""

import re

from cdk_app.parsers import matching, one_of, or_none, whole
from cdk_app.setting import Setting
from tablewright.catalog.sales.design import CATEGORY_SHARDS as CATEGORY
from tablewright.catalog.sales.design import EMBEDDING_SHARDS as EMBEDDING
from tablewright.catalog.sales.design import (
    PROJECTION,
    PROJECTIONS,
    SHARD_FUNCTIONS,
    YEARS_KEPT,
)

CATEGORY_SHARDS = Setting(
    name="category_shards",
    parser=whole("shards", CATEGORY, 100),
    example="20",
    default=str(CATEGORY),
    says="Over how many partitions the sales of a category are spread. It can be raised at any "
    "time, and [not be lowered](sharding.md#sales).",
)
CATEGORY_SHARD_FUNCTION = Setting(
    name="category_shard_function",
    parser=one_of(*SHARD_FUNCTIONS),
    example="last_character",
    default="uniform",
    says="How a new sale's shard follows from its id: evenly, or by its last character "
    "[as published](decisions/0002-shard-functions.md). It can be changed at any time.",
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
EMBEDDING_BUCKET = Setting(
    name="embedding_bucket",
    parser=or_none(matching(re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"), "a bucket's name")),
    example="acme-embeddings",
    default="none",
    says="The bucket in `embeddingS3Key` of sales that come without one; none: "
    "`bg-remover-{stage}-embeddings`. It is not created.",
)
