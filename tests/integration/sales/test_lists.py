"""Every list of the sales table, page by page, on the real engine."""

from typing import Any

import pytest

from tablewright.catalog.sales.design import SALES, sales_design
from tablewright.model import InvalidRecord, InvalidValue, Record, last_character
from tablewright.runtime.errors import (
    CursorOfAnotherCaller,
    CursorOfAnotherQuery,
)
from tablewright.runtime.store.reader import Keep
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database
from tests.integration.sales.conftest import DRESS, TENANT, by_id, key_of, pages, sale


@pytest.fixture
def many(store: Store) -> list[Record]:
    """Two hundred sales over ten days, with ties in date and price, and sales of others around."""
    sales = [sale(n, sale_date=f"2025-03-{1 + n % 10:02}") for n in range(200)]
    for number, record in enumerate(sales):
        record["season"] = ("SPRING", "FALL")[number % 2]
        if number % 3:
            del record["brand"]
    others = [
        sale(n, tenant=tenant, category=category)
        for n, (tenant, category) in enumerate(
            [("carousel-lab", "dress"), ("carousel-labs", "dresses"), ("carousel-labs2", "dress")]
        )
    ]
    store.put_many(SALES.put_sales, sales + others)
    return sales


@pytest.mark.parametrize("limit", [3, 7, 50, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_a_category_is_listed_once_in_date_order_whatever_the_page_size(
    store: Store, many: list[Record], limit: int, descending: bool
) -> None:
    found = pages(store, SALES.category_sales, DRESS, limit, descending=descending)
    assert by_id(found) == by_id(many)
    order = [(r["sale_date"], r["sale_price"]) for r in found]
    assert order == sorted(order, reverse=descending)


@pytest.mark.parametrize("limit", [3, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_embeddings_are_listed_once_though_all_of_a_day_tie(
    store: Store, many: list[Record], limit: int, descending: bool
) -> None:
    found = pages(
        store,
        SALES.embeddings,
        TENANT,
        limit,
        descending=descending,
        since="2025-03-01",
        until="2025-03-10",
    )
    assert sorted(r["sale_id"] for r in found) == sorted(r["sale_id"] for r in many)
    dates = [r["sale_date"] for r in found]
    assert dates == sorted(dates, reverse=descending)
    assert set(found[0]) - {"brand"} == {
        *("tenant", "product_id", "sale_id", "sale_date", "category", "sale_price"),
        "embedding_s3_key",
    }


@pytest.mark.parametrize(
    ("since", "until", "days"),
    [
        ("2025-03-02", "2025-03-04", {2, 3, 4}),
        ("2025-03-09", None, {9, 10}),
        (None, "2025-03-01", {1}),
        ("2025-03-05", "2025-03-05", {5}),
        ("2025-04-01", None, set()),
    ],
)
def test_a_range_includes_both_of_its_days(
    store: Store, many: list[Record], since: str | None, until: str | None, days: set[int]
) -> None:
    expected = sorted(r["sale_id"] for r in many if int(r["sale_date"][-2:]) in days)
    for pattern, where in (
        (SALES.category_sales, DRESS),
        (SALES.category_prices, DRESS),
        (SALES.embeddings, TENANT),
    ):
        found = pages(store, pattern, where, 20, since=since, until=until)
        dresses = [record for record in found if record["category"] == "dress"]
        assert sorted(r["sale_id"] for r in dresses) == expected


def test_a_season_is_filtered_from_the_sales_themselves(store: Store, many: list[Record]) -> None:
    found = pages(store, SALES.category_sales, DRESS, 15, filters={"season": "FALL"})
    fall = [record for record in many if record["season"] == "FALL"]
    assert by_id(found) == by_id(fall)


def test_a_filter_that_finds_almost_nothing_still_comes_to_an_end(store: Store) -> None:
    """A page gives up after a thousand misses, with a cursor, and the list goes on."""
    sales = [{**sale(n), "season": "FALL" if n == 1150 else "WINTER"} for n in range(1200)]
    for number, record in enumerate(sales):
        record["sale_date"] = f"2025-{1 + number // 100:02}-01"
    store.put_many(SALES.put_sales, sales)
    first = store.query(SALES.category_sales, DRESS, limit=100, filters={"season": "FALL"})
    assert first.items == []
    assert first.cursor is not None
    found = pages(store, SALES.category_sales, DRESS, 100, filters={"season": "FALL"})
    assert [record["sale_id"] for record in found] == ["sale_01150"]


@pytest.mark.parametrize(("limit", "examine"), [(1, 7), (3, 30), (100, 30), (40, 1000)])
def test_a_test_of_the_caller_s_keeps_what_passes_it_within_its_bound(
    store: Store, many: list[Record], limit: int, examine: int
) -> None:
    """Over ten shards with ties, in as many pages as it takes, everything is examined once."""

    def passes(record: Record) -> bool:
        return str(record["sale_id"]).endswith("7")

    keep, other = Keep("sevens", passes), Keep("eights", passes)
    found: list[Record] = []
    examined, cursor = 0, None
    while True:
        page = store.query(
            SALES.category_sales, DRESS, keep=keep, examine=examine, limit=limit, cursor=cursor
        )
        assert len(page.items) <= limit
        assert page.examined <= examine
        found += page.items
        examined += page.examined
        cursor = page.cursor
        if cursor is None:
            break
        with pytest.raises(CursorOfAnotherQuery):
            store.query(SALES.category_sales, DRESS, keep=other, limit=limit, cursor=cursor)
    assert examined == len(many)
    assert by_id(found) == by_id([record for record in many if passes(record)])
    dates = [record["sale_date"] for record in found]
    assert dates == sorted(dates)


def test_a_product_s_sales_and_embeddings_come_from_its_own_partition(
    store: Store, many: list[Record]
) -> None:
    product = {**TENANT, "product_id": "prod_3"}
    expected = sorted(r["sale_id"] for r in many if r["product_id"] == "prod_3")
    sales = pages(store, SALES.product_sales, product, 4)
    assert sorted(r["sale_id"] for r in sales) == expected
    embeddings = pages(store, SALES.product_embeddings, product, 4, descending=True)
    assert sorted(r["sale_id"] for r in embeddings) == expected
    assert set(embeddings[0]) == set(SALES.product_embeddings.select)  # type: ignore[attr-defined]


def test_a_brand_lists_branded_sales_only(store: Store, many: list[Record]) -> None:
    found = pages(store, SALES.brand_sales, {**TENANT, "brand": "Nike"}, 10, until="2025-03-31")
    assert sorted(r["sale_id"] for r in found) == sorted(r["sale_id"] for r in many if "brand" in r)


def test_all_prices_of_a_category_come_in_order_from_the_index_alone(
    store: Store, many: list[Record]
) -> None:
    found = list(store.each(SALES.category_prices, DRESS))
    expected = sorted((r["sale_date"], r["sale_price"]) for r in many)
    assert [(r["sale_date"], r["sale_price"]) for r in found] == expected


def test_reads_find_the_entries_of_either_shard_function(sales_database: Database) -> None:
    older = sales_design(category_shard=last_character)
    sales_database.store(older).put_many(older.put_sales, [sale(n) for n in range(30)])
    store = sales_database.store(SALES)
    store.put_many(SALES.put_sales, [sale(n) for n in range(30, 60)])
    assert len(pages(store, SALES.category_sales, DRESS, 7)) == 60


def test_an_entry_that_is_deleted_while_it_is_listed_is_passed_over(
    sales_database: Database, store: Store
) -> None:
    store.put_many(SALES.put_sales, [sale(n) for n in range(3)])

    class DeletesBeforeHydrating:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchGetItem":
                store.delete(SALES.delete_sale, key_of(sale(1)))
            return store._caller.call(operation, params)

    racing = sales_database.store(SALES, DeletesBeforeHydrating())
    found = pages(racing, SALES.category_sales, DRESS, 10)
    assert sorted(r["sale_id"] for r in found) == ["sale_00000", "sale_00002"]


def test_an_item_that_moved_while_it_was_listed_is_not_listed_where_it_was(
    sales_database: Database, store: Store
) -> None:
    store.put_many(SALES.put_sales, [sale(n) for n in range(3)])

    class MovesBeforeHydrating:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchGetItem":
                store.update(SALES.update_sale, key_of(sale(1)), {"category": "shoe"})
            return store._caller.call(operation, params)

    racing = sales_database.store(SALES, MovesBeforeHydrating())
    found = pages(racing, SALES.category_sales, DRESS, 10)
    assert {r["category"] for r in found} == {"dress"}


def test_a_cursor_serves_its_own_tenant_and_list_only(store: Store, many: list[Record]) -> None:
    cursor = store.query(SALES.category_sales, DRESS, limit=5).cursor
    other = {"tenant": "carousel-lab", "category": "dress"}
    with pytest.raises(CursorOfAnotherCaller):
        store.query(SALES.category_sales, other, cursor=cursor)
    for pattern, where, asked in (
        (SALES.category_prices, DRESS, {}),
        (SALES.category_sales, {**TENANT, "category": "shoe"}, {}),
        (SALES.category_sales, DRESS, {"since": "2025-01-01"}),
        (SALES.category_sales, DRESS, {"descending": True}),
        (SALES.category_sales, DRESS, {"filters": {"season": "FALL"}}),
    ):
        with pytest.raises(CursorOfAnotherQuery):
            store.query(pattern, where, cursor=cursor, **asked)


def test_a_question_that_makes_no_sense_is_refused(store: Store) -> None:
    with pytest.raises(InvalidRecord, match="category is required"):
        store.query(SALES.category_sales, TENANT)
    with pytest.raises(InvalidRecord, match="sale_id cannot be asked of category_sales"):
        store.query(SALES.category_sales, {**DRESS, "sale_id": "x"})
    with pytest.raises(InvalidValue, match="until must not lie before"):
        store.query(SALES.category_sales, DRESS, since="2025-02-01", until="2025-01-01")
    with pytest.raises(TypeError, match="no filter 'season'"):
        store.query(SALES.brand_sales, {**TENANT, "brand": "x"}, filters={"season": "FALL"})
    with pytest.raises(ValueError, match="at least one record"):
        store.query(SALES.category_sales, DRESS, limit=0)
    with pytest.raises(TypeError, match="is not a Get"):
        store.get(SALES.put_sale, key_of(sale()))
