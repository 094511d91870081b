"""Lists, page by page, over shards and indexes, on the real engine."""

from typing import Any

import pytest

from tablewright.model import InvalidRecord, InvalidValue, key_of, last_character
from tablewright.runtime.errors import (
    CursorOfAnotherCaller,
    CursorOfAnotherQuery,
)
from tablewright.runtime.store.reader import Keep
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import (
    DRESS,
    TENANT,
    Order,
    Orders,
    by_id,
    by_kind,
    order,
    pages,
)


@pytest.fixture
def many(store: Store) -> list[Order]:
    """Two hundred orders of ten days, with ties in day and total, and those of others around."""
    made = [
        order(
            n,
            day=f"2025-03-{1 + n % 10:02}",
            state=("PAID", "SENT")[n % 2],
            label=None if n % 3 else "Nike",
        )
        for n in range(200)
    ]
    others = [
        order(n, tenant=tenant, kind=kind)
        for n, (tenant, kind) in enumerate(
            [("carousel-lab", "dress"), ("carousel-labs", "dresses"), ("carousel-labs2", "dress")]
        )
    ]
    store.put_many(Orders.load, made + others)
    return made


@pytest.mark.parametrize("limit", [3, 7, 50, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_a_kind_is_listed_once_in_date_order_whatever_the_page_size(
    store: Store, many: list[Order], limit: int, descending: bool
) -> None:
    found = pages(store, Orders.of_kind, DRESS, limit, descending=descending)
    assert by_id(found) == by_id(many)
    order = [(r["day"], r["total"]) for r in found]
    assert order == sorted(order, reverse=descending)


@pytest.mark.parametrize("limit", [3, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_items_are_listed_once_though_all_of_a_day_tie(
    store: Store, many: list[Order], limit: int, descending: bool
) -> None:
    found = pages(
        store,
        Orders.all_orders,
        TENANT,
        limit,
        descending=descending,
        since="2025-03-01",
        until="2025-03-10",
    )
    assert sorted(r["order_id"] for r in found) == sorted(r["order_id"] for r in many)
    dates = [r["day"] for r in found]
    assert dates == sorted(dates, reverse=descending)
    assert set(found[0]) - {"label"} == {
        *("tenant", "customer", "order_id", "day", "kind", "total"),
        "note",
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
    store: Store, many: list[Order], since: str | None, until: str | None, days: set[int]
) -> None:
    expected = sorted(r["order_id"] for r in many if int(r["day"][-2:]) in days)
    for pattern, where in (
        (Orders.of_kind, DRESS),
        (Orders.totals_of_kind, DRESS),
        (Orders.all_orders, TENANT),
    ):
        found = pages(store, pattern, where, 20, since=since, until=until)
        dresses = [record for record in found if record["kind"] == "dress"]
        assert sorted(r["order_id"] for r in dresses) == expected


def test_a_state_is_filtered_from_the_items_themselves(store: Store, many: list[Order]) -> None:
    found = pages(store, Orders.of_kind, DRESS, 15, where={"state": "SENT"})
    fall = [record for record in many if record["state"] == "SENT"]
    assert by_id(found) == by_id(fall)


def test_a_filter_that_finds_almost_nothing_still_comes_to_an_end(store: Store) -> None:
    """A page gives up after a thousand misses, with a cursor, and the list goes on."""
    made = [
        order(
            n,
            state="SENT" if n == 1150 else "OPEN",
            day=f"2025-{1 + n // 100:02}-01",
        )
        for n in range(1200)
    ]
    store.put_many(Orders.load, made)
    first = store.query(Orders.of_kind, DRESS, limit=100, where={"state": "SENT"})
    assert first.items == []
    assert first.cursor is not None
    found = pages(store, Orders.of_kind, DRESS, 100, where={"state": "SENT"})
    assert [record["order_id"] for record in found] == ["order_01150"]


@pytest.mark.parametrize(("limit", "examine"), [(1, 7), (3, 30), (100, 30), (40, 1000)])
def test_a_test_of_the_caller_s_keeps_what_passes_it_within_its_bound(
    store: Store, many: list[Order], limit: int, examine: int
) -> None:
    """Over ten shards with ties, in as many pages as it takes, everything is examined once."""

    def passes(record: Order) -> bool:
        return str(record["order_id"]).endswith("7")

    keep, other = Keep("sevens", passes), Keep("eights", passes)
    found: list[Order] = []
    examined, cursor = 0, None
    while True:
        page = store.query(
            Orders.of_kind, DRESS, keep=keep, examine=examine, limit=limit, cursor=cursor
        )
        assert len(page.items) <= limit
        assert page.examined <= examine
        found += page.items
        examined += page.examined
        cursor = page.cursor
        if cursor is None:
            break
        with pytest.raises(CursorOfAnotherQuery):
            store.query(Orders.of_kind, DRESS, keep=other, limit=limit, cursor=cursor)
    assert examined == len(many)
    assert by_id(found) == by_id([record for record in many if passes(record)])
    dates = [record["day"] for record in found]
    assert dates == sorted(dates)


def test_what_is_in_one_partition_is_listed_whole_or_in_part(
    store: Store, many: list[Order]
) -> None:
    customer = {**TENANT, "customer": "customer_3"}
    expected = sorted(r["order_id"] for r in many if r["customer"] == "customer_3")
    made = pages(store, Orders.of_customer, customer, 4)
    assert sorted(r["order_id"] for r in made) == expected
    notes = pages(store, Orders.notes_of_customer, customer, 4, descending=True)
    assert sorted(r["order_id"] for r in notes) == expected
    assert set(notes[0]) == set(Orders.notes_of_customer.select or ())


def test_a_label_lists_labelled_items_only(store: Store, many: list[Order]) -> None:
    found = pages(store, Orders.labelled, {**TENANT, "label": "Nike"}, 10, until="2025-03-31")
    assert sorted(r["order_id"] for r in found) == sorted(
        r["order_id"] for r in many if "label" in r
    )


def test_all_prices_of_a_kind_come_in_order_from_the_index_alone(
    store: Store, many: list[Order]
) -> None:
    found = list(store.each(Orders.totals_of_kind, DRESS))
    expected = sorted((r["day"], r["total"]) for r in many)
    assert [(r["day"], r["total"]) for r in found] == expected


def test_reads_find_the_entries_of_either_shard_function(orders: Database) -> None:
    class Older(Orders):
        """Orders, as they were placed before."""

        by_kind = by_kind(last_character)

    orders.store(Older, table="orders").put_many(Older.load, [order(n) for n in range(30)])
    store = orders.store(Orders)
    store.put_many(Orders.load, [order(n) for n in range(30, 60)])
    assert len(pages(store, Orders.of_kind, DRESS, 7)) == 60


def test_an_entry_that_is_deleted_while_it_is_listed_is_passed_over(
    orders: Database, store: Store
) -> None:
    store.put_many(Orders.load, [order(n) for n in range(3)])

    class DeletesBeforeHydrating:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchGetItem":
                store.delete(Orders.cancel, key_of(order(1)))
            return orders.caller.call(operation, params)

    racing = orders.store(Orders, DeletesBeforeHydrating())
    found = pages(racing, Orders.of_kind, DRESS, 10)
    assert sorted(r["order_id"] for r in found) == ["order_00000", "order_00002"]


def test_an_item_that_moved_while_it_was_listed_is_not_listed_where_it_was(
    orders: Database, store: Store
) -> None:
    store.put_many(Orders.load, [order(n) for n in range(3)])

    class MovesBeforeHydrating:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchGetItem":
                store.update(Orders.change, key_of(order(1)), {"kind": "shoe"})
            return orders.caller.call(operation, params)

    racing = orders.store(Orders, MovesBeforeHydrating())
    found = pages(racing, Orders.of_kind, DRESS, 10)
    assert {r["kind"] for r in found} == {"dress"}


def test_a_cursor_serves_its_own_tenant_and_list_only(store: Store, many: list[Order]) -> None:
    cursor = store.query(Orders.of_kind, DRESS, limit=5).cursor
    other = {"tenant": "carousel-lab", "kind": "dress"}
    with pytest.raises(CursorOfAnotherCaller):
        store.query(Orders.of_kind, other, cursor=cursor)
    for pattern, where, asked in (
        (Orders.totals_of_kind, DRESS, {}),
        (Orders.of_kind, {**TENANT, "kind": "shoe"}, {}),
        (Orders.of_kind, DRESS, {"since": "2025-01-01"}),
        (Orders.of_kind, DRESS, {"descending": True}),
        (Orders.of_kind, DRESS, {"where": {"state": "SENT"}}),
    ):
        with pytest.raises(CursorOfAnotherQuery):
            store.query(pattern, where, cursor=cursor, **asked)


def test_a_question_that_makes_no_sense_is_refused(store: Store) -> None:
    with pytest.raises(InvalidRecord, match="kind is required"):
        store.query(Orders.of_kind, TENANT)
    with pytest.raises(InvalidRecord, match="order_id cannot be asked of of_kind"):
        store.query(Orders.of_kind, {**DRESS, "order_id": "x"})
    with pytest.raises(InvalidValue, match="until must not lie before"):
        store.query(Orders.of_kind, DRESS, since="2025-02-01", until="2025-01-01")
    with pytest.raises(TypeError, match="'totals_of_kind' does not read state"):
        store.query(Orders.totals_of_kind, DRESS, where={"state": "SENT"})
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        store.query(Orders.of_kind, DRESS, limit=0)
    with pytest.raises(TypeError, match="is not a Get"):
        store.get(Orders.place, key_of(order()))  # type: ignore[arg-type]
