"""Storing, reading, changing and removing sales, on the real engine."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.catalog.sales.design import SALE, SALES
from tablewright.model import InvalidRecord
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    NotFound,
)
from tablewright.runtime.store.attribute_values import decode, encode
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database
from tests.integration.sales.conftest import DRESS, TENANT, key_of, pages, sale


def test_a_sale_reads_back_as_it_was_stored(store: Store) -> None:
    stored = store.put(SALES.put_sale, sale())
    assert store.get(SALES.get_sale, key_of(sale())) == stored == sale()


def test_a_sale_that_is_not_there_is_none(store: Store) -> None:
    assert store.get(SALES.get_sale, key_of(sale())) is None


def test_a_sale_is_not_stored_over_another(store: Store) -> None:
    store.put(SALES.put_sale, sale())
    with pytest.raises(AlreadyExists):
        store.put(SALES.put_sale, sale(season="FALL"))
    assert store.get(SALES.get_sale, key_of(sale())) == sale()


def test_a_refused_sale_leaves_nothing_behind(store: Store, sales_database: Database) -> None:
    wrong = {**sale(), "sale_price": Decimal("-1")}
    with pytest.raises(InvalidRecord):
        store.put(SALES.put_sale, wrong)
    with pytest.raises(InvalidRecord):
        store.put_many(SALES.put_sales, [sale(1), wrong])
    with pytest.raises(DuplicateKeys, match=r"\[2\]"):
        store.put_many(SALES.put_sales, [sale(1), sale(2), sale(1)])
    assert sales_database.items() == []


def test_an_update_moves_the_sale_in_every_index(store: Store) -> None:
    store.put(SALES.put_sale, sale())
    changes = {"category": "shoe", "sale_price": Decimal("5.00"), "brand": "Puma"}
    assert store.update(SALES.update_sale, key_of(sale()), changes) == {**sale(), **changes}
    shoe, dress = {**TENANT, "category": "shoe"}, DRESS
    assert pages(store, SALES.category_sales, dress, 10) == []
    assert pages(store, SALES.category_sales, shoe, 10) == [{**sale(), **changes}]
    (entry,) = pages(store, SALES.category_prices, shoe, 10)
    assert entry["sale_price"] == Decimal("5.00")
    assert pages(store, SALES.brand_sales, {**TENANT, "brand": "Nike"}, 10) == []
    assert len(pages(store, SALES.brand_sales, {**TENANT, "brand": "Puma"}, 10)) == 1


def test_removing_the_brand_takes_the_sale_out_of_the_brand_index(
    store: Store, sales_database: Database
) -> None:
    store.put(SALES.put_sale, sale())
    store.update(SALES.update_sale, key_of(sale()), {"brand": None})
    assert pages(store, SALES.brand_sales, {**TENANT, "brand": "Nike"}, 10) == []
    (item,) = sales_database.items()
    assert not {"brand", "GSI3PK", "GSI3SK"} & set(item)
    store.update(SALES.update_sale, key_of(sale()), {"brand": "Puma"})
    assert len(pages(store, SALES.brand_sales, {**TENANT, "brand": "Puma"}, 10)) == 1


def test_an_update_leaves_attributes_alone_that_are_not_its_own(sales_database: Database) -> None:
    store = sales_database.store(SALES)
    store.put(SALES.put_sale, sale())
    client = sales_database.client()
    (item,) = sales_database.items()
    client.put_item(TableName="table", Item={**item, "note": {"S": "kept"}})
    store.update(SALES.update_sale, key_of(sale()), {"season": "FALL"})
    (item,) = sales_database.items()
    assert item["note"] == {"S": "kept"}
    assert item["season"] == {"S": "FALL"}


def test_what_is_not_there_cannot_be_updated(store: Store, sales_database: Database) -> None:
    with pytest.raises(NotFound):
        store.update(SALES.update_sale, key_of(sale()), {"season": "FALL"})
    assert sales_database.items() == []


def test_an_update_can_insist_on_what_it_has_seen(store: Store) -> None:
    store.put(SALES.put_sale, sale())
    key = key_of(sale())
    store.update(SALES.update_sale, key, {"season": "FALL"}, expect={"season": "WINTER"})
    with pytest.raises(Conflict):
        store.update(SALES.update_sale, key, {"season": "SPRING"}, expect={"season": "WINTER"})
    found = store.get(SALES.get_sale, key)
    assert found
    assert found["season"] == "FALL"


changes = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from(["dress", "shoe"]),
        "brand": st.sampled_from([None, "Nike", "Puma"]),
        "sale_price": st.sampled_from([Decimal("1.00"), Decimal("2.50")]),
        "season": st.sampled_from(["SPRING", "FALL"]),
    },
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(changes, max_size=5))
def test_after_any_updates_the_item_is_what_its_fields_say(
    sales_database: Database, steps: list[dict[str, Any]]
) -> None:
    store = sales_database.store(SALES)
    store.delete(SALES.delete_sale, key_of(sale()))
    record = store.put(SALES.put_sale, sale())
    for step in steps:
        record = store.update(SALES.update_sale, key_of(sale()), step)
    (item,) = sales_database.items()
    fresh = {name: encode(value) for name, value in SALES.attributes(SALE, record).items()}
    assert {n: decode(w) for n, w in item.items()} == {n: decode(w) for n, w in fresh.items()}


def test_the_key_cannot_be_changed(store: Store) -> None:
    with pytest.raises(TypeError, match="sale_id cannot be changed"):
        store.update(SALES.update_sale, key_of(sale()), {"sale_id": "x"})


def test_a_deleted_sale_is_gone_from_table_and_indexes(
    store: Store, sales_database: Database
) -> None:
    store.put(SALES.put_sale, sale())
    store.delete(SALES.delete_sale, key_of(sale()))
    store.delete(SALES.delete_sale, key_of(sale()))
    assert sales_database.items() == []
    assert pages(store, SALES.category_prices, DRESS, 10) == []


@pytest.mark.parametrize("count", [1, 25, 26, 260])
def test_a_batch_of_any_size_is_stored_whole(
    store: Store, sales_database: Database, count: int
) -> None:
    assert store.put_many(SALES.put_sales, [sale(n) for n in range(count)]) == count
    assert len(sales_database.items()) == count
