"""The sales intelligence table: prices by product, category, brand and embedding.

Category entries are spread over ten shards by the sale's id and embedding entries over five by the
product's id, so that no partition of an index takes the writes of a whole tenant; the brand index
holds branded sales only. More shards can be had at any time: an entry stays in its shard until
what it is made of changes, and lists ask all shards.
"""

from __future__ import annotations

from datetime import UTC, datetime
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
    last_character,
    uniform,
)
from tablewright.model.fields.time import iso_utc

CATEGORY_SHARDS, EMBEDDING_SHARDS = 10, 5
YEARS_KEPT = 2
# By which a table chooses the shards of its category index: the first unless it is told otherwise.
SHARD_FUNCTIONS: dict[str, ShardFunction] = {"uniform": uniform, "last_character": last_character}
# What the indexes of categories and of brands carry, as published; or whole sales.
PROJECTION, PROJECTIONS = KEYS_ONLY, (KEYS_ONLY, ALL)
SEASONS = ("SPRING", "SUMMER", "FALL", "WINTER")
_BY_QUARTER = ("WINTER", "SPRING", "SUMMER", "FALL")
# Of four bytes a character, such an id still fits into a sort key.
_ID_LENGTH = 128
_ID, _ID_FORM = "[^ #](?:[^#]*[^ #])?", "text without '#' and without spaces at its ends"


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
    product_id: Field[str] = Text("productId", max_length=_ID_LENGTH, pattern=_ID, form=_ID_FORM)
    sale_id: Field[str] = Text("saleId", max_length=_ID_LENGTH, pattern=_ID, form=_ID_FORM)
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
    created_at: Field[str] = TimestampText("createdAt", resolution="ms")
    updated_at: Field[str] = TimestampText("updatedAt", resolution="ms")


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


def create_sales_record(*, now: datetime | None = None, **fields: Any) -> Sale:
    """Build a complete record: the season of its date unless one is given, and both times.

    The store adds keys and `ttl`. Raises InvalidRecord with every wrong or missing field.

    Example::

        create_sales_record(tenant="acme", product_id="prod_123", sale_date="2025-12-29", ...)
    """
    moment = iso_utc(now or datetime.now(UTC))
    if fields.get("season") is None:
        try:
            fields["season"] = season_of(Sale.sale_date.check(fields.get("sale_date")))
        except InvalidValue:
            fields["season"] = SEASONS[0]  # the date itself is reported
    return Sale(**{"created_at": moment, "updated_at": moment, **fields})


def get_category_shard(
    sale_id: str, count: int = CATEGORY_SHARDS, function: ShardFunction = last_character
) -> int:
    """Return the shard of a sale in the category index, by the published function unless another
    is given: tables use `uniform` unless they are told otherwise.

    >>> [get_category_shard(id) for id in ("sale_abc0", "sale_abc1", "sale_abca")]
    [8, 9, 7]
    """
    return function(sale_id, count)


def get_embedding_shard(product_id: str, count: int = EMBEDDING_SHARDS) -> int:
    """Return the shard of a product in the embedding index.

    >>> [get_embedding_shard(id) for id in ("prod_123", "prod_abc", "f47ac10b")]
    [0, 1, 0]
    """
    return java_hash(product_id, count)


def shards_of(sale: Sale, table: type[Sales] = Sales) -> dict[str, int]:
    """Return the shards of a sale's index entries."""
    keys = table.__design__.key_of(Sales.category_sales), table.__design__.key_of(Sales.embeddings)
    category, embedding = (key.shards for key in keys)
    if not isinstance(category, Shards) or not isinstance(embedding, Shards):
        raise TypeError(f"{table.__name__} has an index without shards")
    return {
        "category": get_category_shard(sale.sale_id, category.count, category.function),
        "embedding": get_embedding_shard(sale.product_id, embedding.count),
    }


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
