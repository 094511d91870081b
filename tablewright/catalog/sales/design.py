"""The sales intelligence table: prices by product, category, brand and embedding.

Category entries are spread over ten shards by the sale's id and embedding entries over five by the
product's id, so that no partition of an index takes the writes of a whole tenant; the brand index
holds branded sales only. More shards can be had at any time: an entry stays in its shard until
what it is made of changes, and lists ask all shards.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from tablewright.model import (
    ALL,
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
    Choice,
    DateText,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    InvalidValue,
    Key,
    Money,
    Name,
    Put,
    Query,
    ShardFunction,
    Shards,
    Table,
    Text,
    TimestampText,
    Update,
    java_hash,
    uniform,
)
from tablewright.model.fields.time import iso_utc

CATEGORY_SHARDS, EMBEDDING_SHARDS = 10, 5
YEARS_KEPT = 2
# What the indexes of categories and of brands carry, as published; or whole sales.
PROJECTION, PROJECTIONS = KEYS_ONLY, (KEYS_ONLY, ALL)
SEASONS = ("SPRING", "SUMMER", "FALL", "WINTER")
_BY_QUARTER = ("WINTER", "SPRING", "SUMMER", "FALL")
# An id is part of addresses, in which other characters do not arrive as they were sent.
_ID = "[A-Za-z0-9][A-Za-z0-9._~:@-]*"
_ID_FORM = "letters, digits and . _ ~ : @ -, beginning with a letter or digit"


class Sale(
    Entity,
    key=Key("TENANT#{tenant}#PRODUCT#{product_id}", "SALE#{sale_date}#{sale_id}"),
    expires=Expiry("sale_date", years=YEARS_KEPT),
    example={
        "tenant": "carousel-labs",
        "product_id": "prod_123",
        "sale_id": "sale_abc",
        "sale_date": "2025-12-29",
        "sale_price": Decimal("99.99"),
        "original_price": Decimal("199.99"),
        "category": "dress",
        "brand": "Nike",
        "season": "WINTER",
        "embedding_id": "emb_xyz",
        "embedding_s3_key": "s3://bucket/carousel-labs/products/prod_123/sales/sale_abc.json",
        "created_at": "2025-12-29T10:15:00.000Z",
        "updated_at": "2025-12-29T10:15:00.000Z",
    },
):
    """One sale of a product; all sales of a product are in one partition, by date."""

    # Also an IAM session tag, whose values may not hold other characters.
    tenant: Field[str] = Text(
        max_length=64,
        pattern="[A-Za-z0-9][A-Za-z0-9_.-]*",
        form="letters, digits, '_', '.' and '-', beginning with a letter or digit",
    )
    product_id: Field[str] = Text("productId", max_length=128, pattern=_ID, form=_ID_FORM)
    sale_id: Field[str] = Text("saleId", max_length=128, pattern=_ID, form=_ID_FORM)
    sale_date: Field[str] = DateText("saleDate")
    sale_price: Field[Decimal] = Money("salePrice")
    original_price: Field[Decimal] = Money("originalPrice")
    category: Field[str] = Name(max_length=128)
    brand: Field[str | None] = Name(max_length=128, default=None)
    season: Field[str] = Choice(SEASONS)
    embedding_id: Field[str] = Text("embeddingId", max_length=128)
    embedding_s3_key: Field[str] = Text(
        "embeddingS3Key",
        max_length=1024,
        pattern="s3://[^/]+/.+",
        form="an S3 address, s3://bucket/key",
    )
    created_at: Field[str] = TimestampText("createdAt")
    updated_at: Field[str] = TimestampText("updatedAt")


def _by_category(count: int, function: ShardFunction, projects: str) -> Index:
    key = Key(
        "TENANT#{tenant}#CATEGORY#{category}#SHARD#{shard}",
        "DATE#{sale_date}#PRICE#{sale_price}",
        shards=Shards(count, by="sale_id", function=function),
    )
    return Index("GSI1", pk="GSI1PK", sk="GSI1SK", projects=projects, keys={Sale: key})


def _by_embedding(count: int) -> Index:
    key = Key(
        "TENANT#{tenant}#EMBTYPE#PRODUCT#SHARD#{shard}",
        "DATE#{sale_date}",
        shards=Shards(count, by="product_id", function=java_hash),
    )
    return Index(
        "GSI2",
        pk="GSI2PK",
        sk="GSI2SK",
        projects=(
            Sale.embedding_s3_key,
            Sale.product_id,
            Sale.category,
            Sale.sale_price,
            Sale.brand,
        ),
        keys={Sale: key},
    )


def _by_brand(projects: str) -> Index:
    key = Key("TENANT#{tenant}#BRAND#{brand}", "DATE#{sale_date}#PRICE#{sale_price}")
    return Index("GSI3", pk="GSI3PK", sk="GSI3SK", projects=projects, sparse=True, keys={Sale: key})


class Sales(Table, pk="PK", sk="SK", ttl="ttl", tenant="tenant", stream="NEW_AND_OLD_IMAGES"):
    """Pricing intelligence and sales analytics for many tenants, kept for two years."""

    by_category = _by_category(CATEGORY_SHARDS, uniform, PROJECTION)
    by_embedding = _by_embedding(EMBEDDING_SHARDS)
    by_brand = _by_brand(PROJECTION)

    put_sale = Put(Sale, create=True, describes="Store a new sale.")
    put_sales = BatchPut(Sale, describes="Load many sales, in the place of any with their keys.")
    create_sales = BatchCreate(Sale, describes="Store those of many sales that are new.")
    get_sale = Get(Sale, describes="Read one sale.")
    get_sales = BatchGet(Sale, consistent=True, describes="Read sales that were there before.")
    update_sale = Update(Sale, describes="Change a sale's prices or description.")
    delete_sale = Delete(Sale, describes="Remove a sale.")
    product_sales = Query(Sale, range=Sale.sale_date, describes="Sales of a product, by date.")
    category_sales = Query(
        Sale,
        by_category,
        range=Sale.sale_date,
        hydrate=True,
        filters=(Sale.season,),
        describes="Sales of a category, by date, of one season or all.",
    )
    category_prices = Query(
        Sale,
        by_category,
        range=Sale.sale_date,
        describes="Prices of a category, by date, read from the index keys alone.",
    )
    product_embeddings = Query(
        Sale,
        range=Sale.sale_date,
        select=(
            Sale.product_id,
            Sale.sale_id,
            Sale.sale_date,
            Sale.embedding_id,
            Sale.embedding_s3_key,
        ),
        describes="Embeddings of a product's sales, by date.",
    )
    embeddings = Query(
        Sale,
        by_embedding,
        range=Sale.sale_date,
        describes="Embeddings of all of a tenant's sales, by date.",
    )
    brand_sales = Query(
        Sale, by_brand, range=Sale.sale_date, hydrate=True, describes="Sales of a brand, by date."
    )
    brand_prices = Query(
        Sale,
        by_brand,
        range=Sale.sale_date,
        describes="Prices of a brand, by date, read from the index keys alone.",
    )


def season_of(sale_date: str) -> str:
    """The meteorological season of the northern hemisphere: spring is March to May, and so on."""
    return _BY_QUARTER[int(sale_date[5:7]) % 12 // 3]


def with_defaults(values: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The values of a new sale with what follows when it is not given: the season of its date,
    and that it is made and changed `now`.

    Example::

        sale = Sale(**with_defaults({"tenant": "acme", "sale_date": "2025-12-29", ...}, now))
    """
    moment = iso_utc(now)
    full = {"created_at": moment, "updated_at": moment, **values}
    if full.get("season") is None:
        try:
            full["season"] = season_of(Sale.sale_date.check(values.get("sale_date")))
        except InvalidValue:
            full["season"] = SEASONS[0]  # the date is refused by itself
    return full


def shards_of(sale: Sale, table: type[Sales] = Sales) -> dict[str, str]:
    """The shards that the entries of a sale are in, by what they are listed by."""
    listed = {"category": Sales.category_sales, "embedding": Sales.embeddings}
    keys = {name: table.__design__.key_of(query).shards for name, query in listed.items()}
    return {name: one.of(sale[one.by]) for name, one in keys.items() if isinstance(one, Shards)}


def sales_table(
    *,
    category_shards: int = CATEGORY_SHARDS,
    embedding_shards: int = EMBEDDING_SHARDS,
    years: int = YEARS_KEPT,
    function: ShardFunction = uniform,
    projects: str = PROJECTION,
) -> type[Sales]:
    """The table with other shards or indexes, or of sales that are kept longer; its patterns are
    the same.

    Numbers of shards may be raised while the table is in use, and not be lowered: a list asks as
    many shards as there are now. `function` chooses a sale's shard in the category index:
    `last_character` keeps writing where tables that used it have their entries; reads find the
    entries of either. With `projects=ALL`, the indexes of categories and of brands carry whole
    sales, and lists of these read nothing else; no update of a table can change that.

    Example::

        Store(sales_table(category_shards=20), table_name, caller)
    """
    if projects not in PROJECTIONS:
        raise ValueError(f"an index of sales projects {' or '.join(PROJECTIONS)}, not {projects}")
    if (category_shards, embedding_shards, years, function, projects) == (
        *(CATEGORY_SHARDS, EMBEDDING_SHARDS, YEARS_KEPT),
        *(uniform, PROJECTION),
    ):
        return Sales
    expires = {Sale: Expiry("sale_date", years=years)}

    class Variant(Sales, id=Sales.__design__.id, expires=expires):
        __doc__ = Sales.__doc__
        by_category = _by_category(category_shards, function, projects)
        by_embedding = _by_embedding(embedding_shards)
        by_brand = _by_brand(projects)

    return Variant
