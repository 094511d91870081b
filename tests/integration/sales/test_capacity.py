"""What each access pattern costs, measured, and what would make it cost more."""

import json
from decimal import Decimal
from typing import Any

import pytest

from docs.generate import MEASURED, PAGE, sales_page
from docs.measure import PRODUCT, TENANT, measure, sale
from local.dynamodb_local import DynamoDbLocal
from tablewright.designs.sales import SALES
from tablewright.runtime.dynamo import Dynamo
from tablewright.runtime.meter import Meter
from tests.integration.conftest import Database

Measured = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def measured(dynamodb_local: DynamoDbLocal) -> Measured:
    database = Database(dynamodb_local)
    return measure(Dynamo(database.client()), database.create(SALES))


def test_every_pattern_is_measured(measured: Measured) -> None:
    assert set(measured) == set(SALES.patterns)


def test_no_pattern_costs_more_than_the_table_s_page_says(measured: Measured) -> None:
    recorded = json.loads(MEASURED.read_text())
    assert measured == recorded, "costs have changed: if that is meant, run `make docs`"


def test_the_table_s_page_is_up_to_date(measured: Measured) -> None:
    assert sales_page(measured) == PAGE.read_text(), "run `make docs`"


@pytest.mark.parametrize("name", SALES.patterns)
def test_a_pattern_costs_hardly_more_than_its_floor(measured: Measured, name: str) -> None:
    units = {key: Decimal(measured[name][key]) for key in ("read", "write")}
    floors = {key: Decimal(measured[name][f"{key}_floor"]) for key in ("read", "write")}
    assert units["write"] == floors["write"]
    # A shard that runs dry is read once more: at most a quarter above the floor.
    assert floors["read"] <= units["read"] <= floors["read"] * Decimal("1.25")


def test_a_put_costs_one_unit_for_the_table_and_one_for_each_index(measured: Measured) -> None:
    assert measured["put_sale"]["write"] == "4.0"


def test_a_batch_costs_the_sum_of_its_items(measured: Measured) -> None:
    assert Decimal(measured["put_sales"]["write"]) == 25 * Decimal(measured["put_sale"]["write"])


def test_a_sale_without_a_brand_costs_one_unit_less(database: Database) -> None:
    database.create(SALES)
    meter = Meter(Dynamo(database.client()))
    plain = {name: value for name, value in sale(0).items() if name != "brand"}
    database.store(SALES, meter).put(SALES.put_sale, plain)
    assert meter.write_units == 3
    assert dict(meter.written) == {"table": 1, "GSI1": 1, "GSI2": 1}


def test_embeddings_of_a_product_cost_less_in_its_partition_than_in_its_index_shard(
    database: Database,
) -> None:
    """One shard of the index holds a fifth of all the tenant's sales."""
    database.create(SALES)
    meter = Meter(Dynamo(database.client()))
    store = database.store(SALES, meter)
    store.put_many(SALES.put_sales, [{**sale(n), "product_id": f"p{n % 50}"} for n in range(1000)])

    meter.reset()
    own = list(store.each(SALES.product_embeddings, {**TENANT, "product_id": "p7"}))
    in_partition = meter.read_units
    meter.reset()
    every = list(store.each(SALES.embeddings, TENANT))
    a_fifth = meter.read_units / 5
    found = sorted(r["sale_id"] for r in own)
    assert found == sorted(r["sale_id"] for r in every if r["product_id"] == "p7")
    assert in_partition * 3 < a_fifth


def test_a_whole_category_is_summed_up_for_a_fraction_of_reading_its_sales(
    database: Database,
) -> None:
    database.create(SALES)
    meter = Meter(Dynamo(database.client()))
    store = database.store(SALES, meter)
    store.put_many(SALES.put_sales, [sale(n) for n in range(400)])
    where = {**TENANT, "category": "dress"}
    meter.reset()
    assert len(list(store.each(SALES.category_prices, where))) == 400
    keys_alone = meter.read_units
    meter.reset()
    assert len(list(store.each(SALES.category_sales, where))) == 400
    assert keys_alone == 10
    assert meter.read_units == keys_alone + 400 * Decimal("0.5")


def test_a_product_page_reads_the_page_and_not_the_partition(database: Database) -> None:
    database.create(SALES)
    meter = Meter(Dynamo(database.client()))
    store = database.store(SALES, meter)
    sales = [{**sale(n), "product_id": "prod_0"} for n in range(1000)]
    store.put_many(SALES.put_sales, sales)
    meter.reset()
    assert len(store.query(SALES.product_sales, PRODUCT, limit=20).items) == 20
    assert meter.read_units == Decimal("1.5")
