"""The sales intelligence table: prices by product, category, brand and embedding.

Category entries are spread over ten shards by the sale's id and embedding entries over five by the
product's id, so that no partition of an index takes the writes of a whole tenant; the brand index
holds branded sales only.
"""

from decimal import Decimal

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
    Choice,
    Date,
    Delete,
    Entity,
    Expiry,
    Get,
    Index,
    Key,
    Money,
    Name,
    Put,
    Query,
    ShardFunction,
    Shards,
    Table,
    Text,
    Timestamp,
    Update,
    java_hash,
    uniform,
)

SEASONS = ("SPRING", "SUMMER", "FALL", "WINTER")


def _id(name: str, stored: str) -> Text:
    """An id is part of addresses, in which other characters do not arrive as they were sent."""
    return Text(
        name,
        stored,
        max_length=128,
        pattern="[A-Za-z0-9][A-Za-z0-9._~:@-]*",
        form="letters, digits and . _ ~ : @ -, beginning with a letter or digit",
    )


def sales_design(*, category_shard: ShardFunction = uniform) -> Table:
    """The design; `category_shard` chooses a sale's shard in the category index.

    `last_character` keeps writing where tables that used it have their entries; reads find the
    entries of either.
    """
    sale = Entity(
        "Sale",
        describes="One sale of a product; all sales of a product are in one partition, by date.",
        key=Key("TENANT#{tenant}#PRODUCT#{product_id}", "SALE#{sale_date}#{sale_id}"),
        indexed={
            "GSI1": Key(
                "TENANT#{tenant}#CATEGORY#{category}#SHARD#{shard}",
                "DATE#{sale_date}#PRICE#{sale_price}",
                shards=Shards(10, by="sale_id", function=category_shard),
            ),
            "GSI2": Key(
                "TENANT#{tenant}#EMBTYPE#PRODUCT#SHARD#{shard}",
                "DATE#{sale_date}",
                shards=Shards(5, by="product_id", function=java_hash),
            ),
            "GSI3": Key("TENANT#{tenant}#BRAND#{brand}", "DATE#{sale_date}#PRICE#{sale_price}"),
        },
        fields=(
            # Also an IAM session tag, whose values may not hold other characters.
            Text(
                "tenant",
                max_length=64,
                pattern="[A-Za-z0-9][A-Za-z0-9_.-]*",
                form="letters, digits, '_', '.' and '-', beginning with a letter or digit",
            ),
            _id("product_id", "productId"),
            _id("sale_id", "saleId"),
            Date("sale_date", "saleDate"),
            Money("sale_price", "salePrice"),
            Money("original_price", "originalPrice"),
            Name("category", max_length=128),
            Name("brand", optional=True, max_length=128),
            Choice("season", SEASONS),
            Text("embedding_id", "embeddingId", max_length=128),
            Text(
                "embedding_s3_key",
                "embeddingS3Key",
                max_length=1024,
                pattern="s3://[^/]+/.+",
                form="an S3 address, s3://bucket/key",
            ),
            Timestamp("created_at", "createdAt"),
            Timestamp("updated_at", "updatedAt"),
        ),
        expires=Expiry("sale_date", years=2),
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
    )
    return Table(
        "sales",
        describes="Pricing intelligence and sales analytics for many tenants, kept for two years.",
        pk="PK",
        sk="SK",
        ttl="ttl",
        tenant="tenant",
        entities=(sale,),
        indexes=(
            Index("GSI1", pk="GSI1PK", sk="GSI1SK", projects=KEYS_ONLY),
            Index(
                "GSI2",
                pk="GSI2PK",
                sk="GSI2SK",
                projects=("embedding_s3_key", "product_id", "category", "sale_price", "brand"),
            ),
            Index("GSI3", pk="GSI3PK", sk="GSI3SK", projects=KEYS_ONLY, sparse=True),
        ),
        patterns=(
            Put("put_sale", "Sale", create=True, describes="Store a new sale."),
            BatchPut(
                "put_sales",
                "Sale",
                describes="Load many sales, in the place of any with their keys.",
            ),
            BatchCreate(
                "create_sales", "Sale", describes="Store those of many sales that are new."
            ),
            Get("get_sale", "Sale", describes="Read one sale."),
            BatchGet(
                "get_sales", "Sale", consistent=True, describes="Read sales that were there before."
            ),
            Update("update_sale", "Sale", describes="Change a sale's prices or description."),
            Delete("delete_sale", "Sale", describes="Remove a sale."),
            Query(
                "product_sales", "Sale", range="sale_date", describes="Sales of a product, by date."
            ),
            Query(
                "category_sales",
                "Sale",
                index="GSI1",
                range="sale_date",
                hydrate=True,
                filters=("season",),
                describes="Sales of a category, by date, of one season or all.",
            ),
            Query(
                "category_prices",
                "Sale",
                index="GSI1",
                range="sale_date",
                describes="Prices of a category, by date, read from the index keys alone.",
            ),
            Query(
                "product_embeddings",
                "Sale",
                range="sale_date",
                select=("product_id", "sale_id", "sale_date", "embedding_id", "embedding_s3_key"),
                describes="Embeddings of a product's sales, by date.",
            ),
            Query(
                "embeddings",
                "Sale",
                index="GSI2",
                range="sale_date",
                describes="Embeddings of all of a tenant's sales, by date.",
            ),
            Query(
                "brand_sales",
                "Sale",
                index="GSI3",
                range="sale_date",
                hydrate=True,
                describes="Sales of a brand, by date.",
            ),
        ),
    )


SALES = sales_design()
SALE = SALES.entities["Sale"]
