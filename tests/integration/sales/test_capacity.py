"""What access patterns cost, and what would make them cost more; the pages have all figures."""

from decimal import Decimal
from itertools import count

import pytest

from docs.scenarios.sales import PRODUCT, TENANT, sale
from lambdas.sales.sales_repository import SalesRepository
from tablewright.catalog.sales.design import Sale, Sales, shards_of
from tablewright.model import replaced
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.meter import Meter
from tablewright.testing import Database
from tablewright.testing.metering import FaithfulMeter


def test_a_put_costs_one_unit_for_the_table_and_one_for_each_index(dynamodb: Database) -> None:
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    dynamodb.store(Sales, meter).put(Sales.put_sale, sale(0))
    assert dict(meter.written) == {"table": 1, "GSI1": 1, "GSI2": 1, "GSI3": 1}


def test_a_batch_costs_the_sum_of_its_items(dynamodb: Database) -> None:
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    dynamodb.store(Sales, meter).put_many(Sales.put_sales, [sale(n) for n in range(25)])
    assert meter.write_units == 25 * 4


def test_a_sale_without_a_brand_costs_one_unit_less(dynamodb: Database) -> None:
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    plain = replaced(sale(0), brand=None)
    dynamodb.store(Sales, meter).put(Sales.put_sale, plain)
    assert meter.write_units == 3
    assert dict(meter.written) == {"table": 1, "GSI1": 1, "GSI2": 1}


def test_embeddings_of_a_product_cost_less_in_its_partition_than_in_its_index_shard(
    dynamodb: Database,
) -> None:
    """One shard of the index holds a fifth of all the tenant's sales."""
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    store = dynamodb.store(Sales, meter)
    store.put_many(
        Sales.put_sales, [replaced(sale(n), product_id=f"p{n % 50}") for n in range(1000)]
    )

    meter.reset()
    own = list(store.each(Sales.product_embeddings, {**TENANT, "product_id": "p7"}))
    in_partition = meter.read_units
    meter.reset()
    every = list(store.each(Sales.embeddings, TENANT))
    a_fifth = meter.read_units / 5
    found = sorted(r["sale_id"] for r in own)
    assert found == sorted(r["sale_id"] for r in every if r["product_id"] == "p7")
    assert in_partition * 3 < a_fifth


def test_a_whole_category_is_summed_up_for_a_fraction_of_reading_its_sales(
    dynamodb: Database,
) -> None:
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    store = dynamodb.store(Sales, meter)
    store.put_many(Sales.put_sales, [sale(n) for n in range(400)])
    where = {**TENANT, "category": "dress"}
    meter.reset()
    assert len(list(store.each(Sales.category_prices, where))) == 400
    keys_alone = meter.read_units
    meter.reset()
    assert len(list(store.each(Sales.category_sales, where))) == 400
    assert keys_alone == 10
    assert meter.read_units == keys_alone + 400 * Decimal("0.5")


@pytest.mark.parametrize(
    ("entries", "keys_alone", "whole_sales"),
    [
        (40, Decimal(10), Decimal(200)),
        (54, Decimal(15), Decimal(270)),
        (100, Decimal(20), Decimal(500)),
    ],
)
def test_a_category_costs_by_the_entries_of_each_shard(
    dynamodb: Database, entries: int, keys_alone: Decimal, whole_sales: Decimal
) -> None:
    """The document has 10 units for 50 to 100 entries of each shard, and returns whole sales."""
    dynamodb.table(Sales)
    dynamodb.store(Sales).put_many(Sales.put_sales, evenly_sharded(entries))
    meter = Meter(Boto3Client(dynamodb.client()))
    store = dynamodb.store(Sales, meter)
    prices = list(store.each(Sales.category_prices, {**TENANT, "category": "dress"}))
    assert (len(prices), meter.read_units) == (10 * entries, keys_alone)
    meter.reset()
    repo = SalesRepository("sales", access=lambda _: meter)
    sales = repo.query_category_season(TENANT["tenant"], "dress", "SPRING").items
    assert 0 < len(sales) < 10 * entries
    assert keys_alone + whole_sales <= meter.read_units <= keys_alone + whole_sales + 5


def evenly_sharded(entries: int) -> list[Sale]:
    """Sales of which each shard of the category index has so many."""
    by_shard: dict[int, list[Sale]] = {shard: [] for shard in range(10)}
    for number in count():
        made = sale(number)
        shard = by_shard[shards_of(made)["category"]]
        if len(shard) < entries:
            shard.append(made)
        if all(len(one) == entries for one in by_shard.values()):
            return [one for shard in by_shard.values() for one in shard]
    raise AssertionError


def test_the_published_body_costs_a_consistent_read_more(dynamodb: Database) -> None:
    """It has no date, so the sale is looked for under that of yesterday."""
    dynamodb.table(Sales)
    meter = FaithfulMeter(Boto3Client(dynamodb.client()), Sales.__design__)
    repo = SalesRepository("sales", access=lambda _: meter)
    repo.put_sale(replaced(sale(0), created_at="2099-03-01T12:00:00.000Z"), is_dated=False)
    assert (meter.read_units, meter.write_units) == (Decimal(1), Decimal(4))
    meter.reset()
    repo.put_sale(replaced(sale(20), created_at="2099-03-01T23:59:59.000Z"), is_dated=False)
    assert (meter.read_units, meter.write_units) == (Decimal(1), Decimal(7))


def test_a_product_page_reads_the_page_and_not_the_partition(dynamodb: Database) -> None:
    dynamodb.table(Sales)
    meter = Meter(Boto3Client(dynamodb.client()))
    store = dynamodb.store(Sales, meter)
    sales = [replaced(sale(n), product_id="prod_0") for n in range(1000)]
    store.put_many(Sales.put_sales, sales)
    meter.reset()
    assert len(store.query(Sales.product_sales, PRODUCT, limit=20).items) == 20
    assert meter.read_units == Decimal("1.5")
