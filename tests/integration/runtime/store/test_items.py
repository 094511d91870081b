"""Storing, reading, changing and removing items, on the real engine."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.model import InvalidRecord, key_of
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    DuplicateKeys,
    NotFound,
)
from tablewright.runtime.store.attribute_values import decode, encode
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import DRESS, TENANT, Order, Orders, order, pages


def test_a_record_reads_back_as_it_was_stored(store: Store) -> None:
    stored = store.put(Orders.place, order())
    assert store.get(Orders.get_order, key_of(order())) == stored == order()


def test_a_record_that_is_not_there_is_none(store: Store) -> None:
    assert store.get(Orders.get_order, key_of(order())) is None


def test_a_record_is_not_stored_over_another(store: Store) -> None:
    store.put(Orders.place, order())
    with pytest.raises(AlreadyExists):
        store.put(Orders.place, order(state="SENT"))
    assert store.get(Orders.get_order, key_of(order())) == order()


def test_a_refused_record_leaves_nothing_behind(store: Store, orders: Database) -> None:
    with pytest.raises(InvalidRecord):
        order(total=Decimal("-1"))
    # As it may have been stored under other rules.
    wrong = Order._stored({**order(), "total": Decimal("-1")})
    with pytest.raises(InvalidRecord):
        store.put(Orders.place, wrong)
    with pytest.raises(InvalidRecord):
        store.put_many(Orders.load, [order(1), wrong])
    with pytest.raises(DuplicateKeys, match=r"\[2\]"):
        store.put_many(Orders.load, [order(1), order(2), order(1)])
    assert orders.items() == []


def test_an_update_moves_the_record_in_every_index(store: Store) -> None:
    store.put(Orders.place, order())
    changes = {"kind": "shoe", "total": Decimal("5.00"), "label": "Puma"}
    assert store.update(Orders.change, key_of(order()), changes) == {**order(), **changes}
    shoe, dress = {**TENANT, "kind": "shoe"}, DRESS
    assert pages(store, Orders.of_kind, dress, 10) == []
    assert pages(store, Orders.of_kind, shoe, 10) == [{**order(), **changes}]
    (entry,) = pages(store, Orders.totals_of_kind, shoe, 10)
    assert entry["total"] == Decimal("5.00")
    assert pages(store, Orders.labelled, {**TENANT, "label": "Nike"}, 10) == []
    assert len(pages(store, Orders.labelled, {**TENANT, "label": "Puma"}, 10)) == 1


def test_removing_the_label_takes_the_record_out_of_the_label_index(
    store: Store, orders: Database
) -> None:
    store.put(Orders.place, order())
    store.update(Orders.change, key_of(order()), {"label": None})
    assert pages(store, Orders.labelled, {**TENANT, "label": "Nike"}, 10) == []
    (item,) = orders.items()
    assert not {"label", "LPK", "LSK"} & set(item)
    store.update(Orders.change, key_of(order()), {"label": "Puma"})
    assert len(pages(store, Orders.labelled, {**TENANT, "label": "Puma"}, 10)) == 1


def test_an_update_leaves_attributes_alone_that_are_not_its_own(orders: Database) -> None:
    store = orders.store(Orders)
    store.put(Orders.place, order())
    client = orders.client()
    (item,) = orders.items()
    client.put_item(TableName="orders", Item={**item, "note": {"S": "kept"}})
    store.update(Orders.change, key_of(order()), {"state": "SENT"})
    (item,) = orders.items()
    assert item["note"] == {"S": "kept"}
    assert item["state"] == {"S": "SENT"}


def test_what_is_not_there_cannot_be_updated(store: Store, orders: Database) -> None:
    with pytest.raises(NotFound):
        store.update(Orders.change, key_of(order()), {"state": "SENT"})
    assert orders.items() == []


def test_an_update_can_insist_on_what_it_has_seen(store: Store) -> None:
    store.put(Orders.place, order())
    key = key_of(order())
    store.update(Orders.change, key, {"state": "SENT"}, when={"state": "OPEN"})
    with pytest.raises(Conflict):
        store.update(Orders.change, key, {"state": "PAID"}, when={"state": "OPEN"})
    found = store.get(Orders.get_order, key)
    assert found
    assert found["state"] == "SENT"


changes = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["dress", "shoe"]),
        "label": st.sampled_from([None, "Nike", "Puma"]),
        "total": st.sampled_from([Decimal("1.00"), Decimal("2.50")]),
        "state": st.sampled_from(["PAID", "SENT"]),
    },
).filter(bool)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(changes, max_size=5))
def test_after_any_updates_the_item_is_what_its_fields_say(
    orders: Database, steps: list[dict[str, Any]]
) -> None:
    store = orders.store(Orders)
    store.delete(Orders.cancel, key_of(order()))
    record = store.put(Orders.place, order())
    for step in steps:
        record = store.update(Orders.change, key_of(order()), step)
    (item,) = orders.items()
    fresh = {
        name: encode(value)
        for name, value in Orders.__design__.attributes(Order.__entity__, record).items()
    }
    assert {n: decode(w) for n, w in item.items()} == {n: decode(w) for n, w in fresh.items()}


def test_the_key_cannot_be_changed(store: Store) -> None:
    with pytest.raises(TypeError, match="order_id cannot be changed"):
        store.update(Orders.change, key_of(order()), {"order_id": "x"})


def test_a_deleted_record_is_gone_from_table_and_indexes(store: Store, orders: Database) -> None:
    store.put(Orders.place, order())
    store.delete(Orders.cancel, key_of(order()))
    store.delete(Orders.cancel, key_of(order()))
    assert orders.items() == []
    assert pages(store, Orders.totals_of_kind, DRESS, 10) == []


@pytest.mark.parametrize("count", [1, 25, 26, 260])
def test_a_batch_of_any_size_is_stored_whole(store: Store, orders: Database, count: int) -> None:
    assert store.put_many(Orders.load, [order(n) for n in range(count)]) == count
    assert len(orders.items()) == count
