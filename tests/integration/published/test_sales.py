"""The examples of "Sales Intelligence DynamoDB Schema", by its sections."""

import logging
import math
import random
import string
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import pytest

from lambdas.errors import RequestConflict
from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import (
    Sale,
    Sales,
    create_sales_record,
    get_category_shard,
    get_embedding_shard,
    sales_table,
)
from tablewright.commands.changes.backfill import main as backfill
from tablewright.model import last_character, uniform
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import ResourceMissing, Throttled
from tablewright.runtime.store.attribute_values import encode
from tablewright.testing import Database, Fault, Faulty
from tests.integration.conftest import CURSORS
from tests.integration.sales.http import BUCKET, PUBLISHED, Http, conforms

TENANT = "carousel-labs"
FIELDS: dict[str, Any] = {
    "tenant": TENANT,
    "product_id": "prod_123",
    "sale_id": "sale_abc",
    "sale_date": "2025-12-29",
    "sale_price": Decimal("99.99"),
    "original_price": Decimal("199.99"),
    "category": "dress",
    "brand": "Nike",
    "embedding_id": "emb_xyz",
    "embedding_s3_key": "s3://bucket/carousel-labs/products/prod_123/sales/sale_abc.json",
}
NOW = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)


def record(**changes: Any) -> Sale:
    return create_sales_record(now=NOW, **{**FIELDS, **changes})


def hundred() -> list[Sale]:
    return [
        record(
            product_id=f"prod_{i}",
            sale_id=f"sale_{i}",
            brand=None,
            embedding_id=f"emb_{i}",
            embedding_s3_key=f"s3://bucket/carousel-labs/products/prod_{i}/sales/sale_{i}.json",
        )
        for i in range(100)
    ]


@pytest.fixture
def sales_database(dynamodb: Database) -> Database:
    dynamodb.table(Sales)
    return dynamodb


@pytest.fixture
def caller(sales_database: Database) -> Caller:
    return Boto3Client(sales_database.client())


@pytest.fixture
def repo(caller: Caller) -> SalesRepository:
    return repository(caller)


def repository(caller: Caller, **options: Any) -> SalesRepository:
    return SalesRepository(
        "sales", "eu-west-1", access=lambda _: caller, cursors=CURSORS, now=lambda: NOW, **options
    )


@pytest.fixture
def http(sales_database: Database, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(sales_database, monkeypatch)


def stored(database: Database) -> dict[str, Any]:
    """The only item."""
    (item,) = database.items()
    return {name: next(iter(value.values())) for name, value in item.items()}


# Table Schema


def test_keys_of_the_examples(repo: SalesRepository, sales_database: Database) -> None:
    repo.put_sale(record(product_id="prod_12345", sale_id="sale_abc123"))
    item = stored(sales_database)
    assert item["PK"] == "TENANT#carousel-labs#PRODUCT#prod_12345"
    assert item["SK"] == "SALE#2025-12-29#sale_abc123"


def test_attributes(repo: SalesRepository, sales_database: Database) -> None:
    repo.put_sale(record())
    item = stored(sales_database)
    shard, product_shard = item["GSI1PK"][-1], item["GSI2PK"][-1]
    assert item == {
        "PK": "TENANT#carousel-labs#PRODUCT#prod_123",
        "SK": "SALE#2025-12-29#sale_abc",
        "tenant": TENANT,
        "productId": "prod_123",
        "saleId": "sale_abc",
        "saleDate": "2025-12-29",
        "salePrice": "99.99",
        "originalPrice": "199.99",
        "category": "dress",
        "brand": "Nike",
        "season": "WINTER",
        "embeddingId": "emb_xyz",
        "embeddingS3Key": FIELDS["embedding_s3_key"],
        "ttl": str(int(datetime(2027, 12, 29, tzinfo=UTC).timestamp())),
        "createdAt": "2025-12-29T10:15:00.000Z",
        "updatedAt": "2025-12-29T10:15:00.000Z",
        "GSI1PK": f"TENANT#carousel-labs#CATEGORY#dress#SHARD#{shard}",
        "GSI1SK": "DATE#2025-12-29#PRICE#0000009999",
        "GSI2PK": f"TENANT#carousel-labs#EMBTYPE#PRODUCT#SHARD#{product_shard}",
        "GSI2SK": "DATE#2025-12-29",
        "GSI3PK": "TENANT#carousel-labs#BRAND#Nike",
        "GSI3SK": "DATE#2025-12-29#PRICE#0000009999",
    }
    assert int(shard) in range(10)
    assert int(product_shard) == get_embedding_shard("prod_123")


def test_the_published_shards_can_be_chosen(caller: Caller, sales_database: Database) -> None:
    published = repository(caller, table=sales_table(function=last_character))
    published.put_sale(record(sale_id="sale_abc0"))
    assert stored(sales_database)["GSI1PK"] == "TENANT#carousel-labs#CATEGORY#dress#SHARD#8"


def run_backfill(
    database: Database, monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str
) -> int:
    """Run `tablewright backfill` on the table."""
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    table = ("--table", "sales", "--region", "eu-west-1")
    return backfill(["tablewright.catalog.sales.design:Sales", *table, *options])


def published_item(**changes: Any) -> dict[str, Any]:
    """An item as `putSale` of the document writes it: dates of JavaScript, a price in floats."""
    fields = {**FIELDS, "season": "WINTER", **changes}
    item: dict[str, Any] = {
        Sale.__entity__.by_name[name].stored: value for name, value in fields.items()
    }
    tenant, day, sale = fields["tenant"], fields["sale_date"], fields["sale_id"]
    cents = math.floor(float(fields["sale_price"]) * 100)
    item |= {
        "PK": f"TENANT#{tenant}#PRODUCT#{fields['product_id']}",
        "SK": f"SALE#{day}#{sale}",
        "GSI1PK": f"TENANT#{tenant}#CATEGORY#{fields['category']}#SHARD#{get_category_shard(sale)}",
        "GSI1SK": f"DATE#{day}#PRICE#{cents:010}",
        "GSI2PK": f"TENANT#{tenant}#EMBTYPE#PRODUCT#SHARD#"
        f"{get_embedding_shard(fields['product_id'])}",
        "GSI2SK": f"DATE#{day}",
        "GSI3PK": f"TENANT#{tenant}#BRAND#{fields['brand']}",
        "GSI3SK": f"DATE#{day}#PRICE#{cents:010}",
        "createdAt": "2025-12-29T09:00:00.123Z",
        "updatedAt": "2025-12-29T09:00:00.123Z",
        "ttl": Decimal(1830038400),
    }
    return item


# Table Schema: items that the published code has stored


# 1.15 * 100 is 114.99999999999999 in floats, so its keys say 114 cents.
@pytest.mark.parametrize("price", ["99.99", "1.15"])
def test_they_are_read_and_listed(
    http: Http,
    sales_database: Database,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    price: str,
) -> None:
    item = published_item(sale_price=Decimal(price))
    sales_database.write([{name: encode(value) for name, value in item.items()}])
    key: dict[str, Any] = {"productId": "prod_123", "saleDate": "2025-12-29", "saleId": "sale_abc"}
    sale = http("GET", "/sale", **key).json
    assert (sale["salePrice"], sale["createdAt"]) == (float(price), item["createdAt"])
    for name, value in (("category", "dress"), ("brand", "Nike"), ("productId", "prod_123")):
        query: dict[str, Any] = {name: value}
        assert http("GET", "/sales", **query).json["items"] == [sale], query
    assert len(http("GET", "/embeddings").json["items"]) == 1
    # Trends are read from the keys, so they show the rounding until a program writes the item.
    (month,) = http("GET", "/trend", category="dress", by="month").json["periods"]
    assert month["min"] == (1.14 if price == "1.15" else 99.99)
    before = sales_database.items("sales")
    assert run_backfill(sales_database, monkeypatch, tmp_path) == 1
    assert sales_database.items("sales") == before, "a backfill changes nothing that an item has"
    changed = http("PATCH", "/sale", {"salePrice": 5}, **key)
    assert (changed.status, changed.json["salePrice"]) == (200, 5)
    assert http("GET", "/sales", category="dress").json["items"] == [changed.json]
    (month,) = http("GET", "/trend", category="dress", by="month").json["periods"]
    assert month["min"] == 5


# TTL Configuration


@pytest.mark.parametrize(
    ("sold", "expires"),
    [
        ("2025-12-29", "2027-12-29"),
        ("2028-02-28", "2030-02-28"),
        ("2028-02-29", "2030-02-28"),  # which has no second anniversary: decision 7
        ("2028-03-01", "2030-03-01"),
    ],
)
def test_a_sale_expires_two_years_after_its_date(
    repo: SalesRepository, sales_database: Database, sold: str, expires: str
) -> None:
    repo.put_sale(record(sale_date=sold))
    moment = datetime.fromisoformat(expires).replace(tzinfo=UTC)
    assert stored(sales_database)["ttl"] == str(int(moment.timestamp()))


def test_the_backfill_command(
    repo: SalesRepository,
    sales_database: Database,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    repo.put_sale(record(sale_date="2099-12-29"))
    (item,) = sales_database.items("sales")
    without = {name: value for name, value in item.items() if name != "ttl"}
    sales_database.client().put_item(TableName="sales", Item=without)
    given = (sales_database, monkeypatch, tmp_path, "--only", "ttl", "--keep-later")
    assert run_backfill(*given, "--dry-run") == 0
    assert sales_database.items("sales") == [without]
    assert run_backfill(*given) == 0
    assert sales_database.items("sales") == [item]


# Access Patterns


def test_1_and_2_write_and_get_a_single_sale(repo: SalesRepository) -> None:
    repo.put_sale(record())
    assert repo.get_sale(TENANT, "prod_123", "2025-12-29", "sale_abc") == record()
    assert repo.get_sale(TENANT, "prod_123", "2025-12-29", "sale_other") is None


def test_a_second_put_changes_nothing(repo: SalesRepository) -> None:
    assert repo.put_sale(record()).is_new
    assert not repo.put_sale(record()).is_new
    with pytest.raises(RequestConflict, match="Send another saleId") as conflict:
        repo.put_sale(record(sale_price=Decimal(5)))
    assert conflict.value.errors == (("/salePrice", "is 99.99 in the stored sale"),)
    repo.put_sale(record(sale_id="plain", brand=None))
    with pytest.raises(RequestConflict) as conflict:
        repo.put_sale(record(sale_id="plain"))
    assert conflict.value.errors == (("/brand", "is absent in the stored sale"),)


def test_3_query_category_trends(repo: SalesRepository) -> None:
    days = ["2024-12-31", "2025-01-01", "2025-03-01", "2025-03-31", "2025-04-01"]
    spring = [record(sale_id=f"sale_{day}", sale_date=day, season="SPRING") for day in days]
    winter = [record(sale_id=f"w{n}", sale_date="2025-02-01") for n in range(30)]
    repo.batch_write_sales([*spring, *winter, record(sale_id="c", category="coat")])
    range_ = ("2025-01-01", "2025-03-31")
    trends = repo.query_category_season(TENANT, "dress", "SPRING", *range_)
    assert trends.items == spring[1:4]
    every_season = repo.query_category_season(TENANT, "dress", None, *range_)
    assert sorted(map(id_of, every_season.items)) == sorted(map(id_of, [*spring[1:4], *winter]))


def test_4_find_product_embeddings(repo: SalesRepository) -> None:
    days = ["2024-12-31", "2025-01-01", "2025-12-31", "2026-01-01"]
    repo.batch_write_sales([record(sale_id=day, sale_date=day) for day in days])
    repo.put_sale(record(product_id="prod_124"))
    found = repo.query_product_embeddings(TENANT, "prod_123", "2025-01-01", "2025-12-31")
    assert [one.sale_id for one in found.items] == days[1:3]
    assert {one.embedding_s3_key for one in found.items} == {FIELDS["embedding_s3_key"]}


def test_5_analyze_brand_pricing(repo: SalesRepository) -> None:
    days = ["2025-11-30", "2025-12-01", "2025-12-31", "2026-01-01"]
    sales = [record(product_id=f"p{day}", sale_date=day) for day in days]
    repo.batch_write_sales([*sales, record(brand=None), record(sale_id="p", brand="Puma")])
    found = repo.query_brand_pricing(TENANT, "Nike", "2025-12-01", "2025-12-31")
    assert found.items == sales[1:3]


def test_6_batch_write(repo: SalesRepository, sales_database: Database) -> None:
    assert repo.batch_write_sales(hundred()).stored == 100
    assert len(sales_database.items()) == 100
    again = repo.batch_write_sales(hundred())
    assert (again.stored, again.unchanged) == (0, 100)
    assert repo.batch_write_sales([]).stored == 0


def test_a_page_of_a_query_continues_at_its_cursor(repo: SalesRepository) -> None:
    repo.batch_write_sales(hundred())
    first = repo.query_category_season(TENANT, "dress", None, limit=60)
    second = repo.query_category_season(TENANT, "dress", None, limit=60, cursor=first.cursor)
    assert len({id_of(sale) for sale in [*first.items, *second.items]}) == 100
    assert second.cursor is None


def test_a_cursor_without_a_limit_is_refused(repo: SalesRepository) -> None:
    repo.batch_write_sales(hundred())
    cursor = repo.query_category_season(TENANT, "dress", None, limit=60).cursor
    with pytest.raises(ValueError, match="pass the limit too"):
        repo.query_category_season(TENANT, "dress", None, cursor=cursor)


def id_of(sale: Sale) -> str:
    return sale.sale_id


# Sharding Deep Dive


def test_examples_of_category_shards() -> None:
    ids = ("sale_abc0", "sale_abc1", "sale_abca")
    assert [get_category_shard(id) for id in ids] == [8, 9, 7]


def test_examples_of_embedding_shards() -> None:
    # By the published algorithm, and not the numbers beside it: decision 2.
    ids = ("prod_123", "prod_abc", "f47ac10b")
    assert [get_embedding_shard(id) for id in ids] == [0, 1, 0]


def test_ten_thousand_products_deviate_by_a_tenth_at_most() -> None:
    shards = Counter(get_embedding_shard(f"prod_{n}") for n in range(10_000))
    assert set(shards) == set(range(5))
    assert all(abs(count / 2_000 - 1) < 0.1 for count in shards.values())


# Integration with Code


def test_the_published_body_is_answered_with_201_and_the_sale_id(
    http: Http, sales_database: Database
) -> None:
    created = http("POST", "/sales", PUBLISHED)
    assert created.status == 201
    assert created.json["saleId"] == "sale_abc"
    assert conforms(created, "Sale")
    item = stored(sales_database)
    assert (item["saleDate"], item["salePrice"]) == ("2025-12-29", "99.99")
    assert item["embeddingS3Key"] == (
        f"s3://{BUCKET}/carousel-labs/products/prod_123/sales/sale_abc.json"
    )
    again = http("POST", "/sales", PUBLISHED)
    assert (again.status, again.json) == (200, created.json)


@pytest.mark.parametrize("id", ["prod/1", "SKU+1", "a b", "50%", "Ünï?", "x&y", "..", "a,b"])
def test_every_id_that_is_accepted_is_found(http: Http, id: str) -> None:
    created = http("POST", "/sales", {**PUBLISHED, "productId": id, "saleId": id})
    assert created.status == 201
    key: dict[str, Any] = {"productId": id, "saleDate": "2025-12-29", "saleId": id}
    assert http("GET", "/sale", **key).json == created.json
    assert http("GET", "/sales", productId=id).json["items"] == [created.json]
    assert len(http("GET", "/embeddings", productId=id).json["items"]) == 1
    assert http("PATCH", "/sale", {"salePrice": 5}, **key).json["salePrice"] == 5
    assert http("DELETE", "/sale", **key).status == 204
    assert http("GET", "/sale", **key).status == 404


def deviation(shards: Counter[int]) -> float:
    """The standard deviation of ten shards, as a part of an even share."""
    counts = [shards[number] for number in range(10)]
    return pstdev(counts) / mean(counts)


# Testing: the six key test cases


@pytest.mark.parametrize("alphabet", [string.hexdigits[:16], string.ascii_lowercase])
def test_1_shard_distribution(alphabet: str) -> None:
    chance = random.Random(4)
    ids = ["".join(chance.choices(alphabet, k=12)) for _ in range(10_000)]
    assert deviation(Counter(get_category_shard(id, function=uniform) for id in ids)) < 0.05
    assert deviation(Counter(map(get_category_shard, ids))) > 0.1  # decision 2


def test_1_shards_of_numbered_sales_are_even_as_published() -> None:
    shards = Counter(get_category_shard(f"sale_{n}") for n in range(10_000))
    assert set(shards.values()) == {1_000}


def test_2_key_format(repo: SalesRepository, sales_database: Database) -> None:
    repo.put_sale(record(sale_price=Decimal("1.15")))
    item = stored(sales_database)
    assert item["GSI1SK"] == item["GSI3SK"] == "DATE#2025-12-29#PRICE#0000000115"


def test_3_ttl_calculation(repo: SalesRepository, sales_database: Database) -> None:
    repo.put_sale(record(sale_date="2026-01-01"))
    expires = datetime.fromtimestamp(int(stored(sales_database)["ttl"]), UTC)
    assert expires == datetime(2028, 1, 1, tzinfo=UTC)


def test_4_batch_operations(caller: Caller) -> None:
    sizes: list[int] = []

    class Counting:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchExecuteStatement":
                sizes.append(len(params["Statements"]))
            return caller.call(operation, params)

    assert repository(Counting()).batch_write_sales(hundred()).stored == 100
    assert sizes == [25, 25, 25, 25]


def test_5_multi_tenant(repo: SalesRepository) -> None:
    repo.put_sale(record())
    for tenant in ("carousel-lab", "carousel-labs2", "acme"):
        assert repo.get_sale(tenant, "prod_123", "2025-12-29", "sale_abc") is None
        assert repo.query_category_season(tenant, "dress", None).items == []
        assert repo.query_product_embeddings(tenant, "prod_123").items == []
        assert repo.query_embeddings(tenant).items == []
        assert repo.query_brand_pricing(tenant, "Nike").items == []


def test_a_batch_has_sales_of_one_tenant(repo: SalesRepository, sales_database: Database) -> None:
    with pytest.raises(ValueError, match="one tenant, not of \\['acme', 'carousel-labs'\\]"):
        repo.batch_write_sales([record(), record(tenant="acme")])
    assert sales_database.items() == []


def test_6_error_handling(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    failing = repository(Faulty(caller, Fault(0, "throttled")))
    with pytest.raises(Throttled):
        failing.get_sale(TENANT, "prod_123", "2025-12-29", "sale_abc")
    (entry,) = caplog.records
    assert (entry.message, entry.__dict__["operation"]) == (
        "Sales operation failed",
        "get_sale",
    )


# Monitoring


def test_logs(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    repo = repository(caller, logger=logging.getLogger("published"))
    with caplog.at_level(logging.INFO, "published"):
        repo.put_sale(record())
        repo.query_category_season(TENANT, "dress", "WINTER")
        repo.query_brand_pricing(TENANT, "Nike")
    sale, category, brand = (entry.__dict__ for entry in caplog.records)
    assert sale["message"] == "Sale stored"
    assert (sale["tenant"], sale["productId"], sale["saleId"]) == (
        TENANT,
        "prod_123",
        "sale_abc",
    )
    assert sale["shards"].keys() == {"category", "embedding"}
    for entry, name, value in ((category, "category", "dress"), (brand, "brand", "Nike")):
        assert entry["message"] == "Query executed"
        assert (entry["tenant"], entry[name], entry["itemCount"]) == (TENANT, value, 1)


# Troubleshooting


def test_table_not_found(caller: Caller) -> None:
    missing = SalesRepository("no-such-table", "eu-west-1", access=lambda _: caller)
    with pytest.raises(ResourceMissing, match="non-existent table"):
        missing.get_sale(TENANT, "prod_123", "2025-12-29", "sale_abc")
