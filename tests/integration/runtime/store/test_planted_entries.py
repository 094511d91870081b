"""Items of one tenant with index keys of another: no reader of the index returns them.

`dynamodb:LeadingKeys` lets a session write any attribute of its own items, index keys too.
"""

from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    Collection,
    Entity,
    Field,
    Index,
    Key,
    Put,
    Query,
    Scan,
    Table,
    Text,
)
from tablewright.model.validation.design import check
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import DRESS, TENANT, Orders, by_id, order, pages

MINE, OTHER = TENANT["tenant"], "mallory"


def plant(database: Database, table: str, **changes: Any) -> None:
    """Copy each item of a table to another tenant, with the index keys and fields as they are."""
    for item in database.items(table):
        text = item["PK"]["S"].replace(MINE, OTHER, 1)
        sort = {"S": item["SK"]["S"] + "0"}
        database.write([{**item, "PK": {"S": text}, "SK": sort, **changes}], table)


@pytest.fixture
def planted(orders: Database, store: Store) -> Store:
    """A store whose indexes have an entry of another tenant after each of its own."""
    store.put_many(Orders.load, [order(number) for number in range(40)])
    plant(orders, store.table_name)
    assert len(orders.items(store.table_name)) == 80
    return store


LISTS: list[tuple[Any, dict[str, Any]]] = [
    (Orders.of_kind, DRESS),
    (Orders.totals_of_kind, DRESS),
    (Orders.all_orders, TENANT),
    (Orders.labelled, {**TENANT, "label": "Nike"}),
]


@pytest.mark.parametrize(("pattern", "key"), LISTS, ids=[one.name for one, _ in LISTS])
def test_lists_of_an_index_omit_items_of_another_tenant(
    planted: Store, pattern: Any, key: dict[str, Any]
) -> None:
    wanted = [f"order_{number:05}" for number in range(40)]
    assert [one.order_id for one in by_id(planted.each(pattern, key))] == wanted
    assert {one.tenant for one in planted.each(pattern, key)} == {MINE}
    assert planted.count(pattern, key) == 40
    first = planted.first(pattern, key)
    assert first is not None
    assert first.tenant == MINE
    assert planted.query(pattern, key, limit=100).items == list(planted.each(pattern, key))


@pytest.mark.parametrize(("pattern", "key"), LISTS, ids=[one.name for one, _ in LISTS])
@pytest.mark.parametrize("limit", [1, 3, 100])
def test_cursors_continue_after_items_of_another_tenant(
    orders: Database, planted: Store, pattern: Any, key: dict[str, Any], limit: int
) -> None:
    store = orders.store(Orders, cursors=Cursors(lambda: KeyRing([b"k" * 32])))
    found = pages(store, pattern, key, limit)
    assert found == list(planted.each(pattern, key))
    assert len(found) == 40


def test_conditions_do_not_return_items_of_another_tenant(orders: Database, planted: Store) -> None:
    plant(orders, planted.table_name, note={"S": "planted"})
    assert list(planted.each(Orders.all_orders, TENANT, where={"note": "planted"})) == []
    assert planted.count(Orders.all_orders, TENANT, where={"note": "planted"}) == 0
    assert planted.query(Orders.all_orders, TENANT, where={"note": "planted"}).items == []


class Site(Entity, key=Key("DOMAIN#{domain}", "SITE", shared=True)):
    tenant: Field[str] = Text()
    domain: Field[str] = Text()


class Page(Entity, key=Key("TENANT#{tenant}#PAGE#{id}", "PAGE")):
    tenant: Field[str] = Text()
    id: Field[str] = Text()


class Sites(Table, pk="PK", sk="SK", tenant="tenant"):
    all_of_tenant = Index(
        pk="GPK",
        sk="GSK",
        projects=KEYS_ONLY,
        keys={
            Site: Key("TENANT#{tenant}#ALL", "SITE#{domain}"),
            Page: Key("TENANT#{tenant}#ALL", "PAGE#{id}"),
        },
    )
    add_site = Put(Site)
    add_page = Put(Page)
    sites = Query(Site, all_of_tenant)
    pages = Query(Page, all_of_tenant)
    everything = Collection(Site, Page, index=all_of_tenant)
    every_page = Scan(Page, all_of_tenant)


@pytest.mark.parametrize("forged", ["TENANT#b#PAGE#p2", "TENANT#b#X", "TENANT#ab#PAGE#p2", "b"])
def test_collections_omit_items_of_another_tenant(dynamodb: Database, forged: str) -> None:
    check(Sites)
    dynamodb.table(Sites)
    store = dynamodb.store(Sites)
    site, page = Site(tenant="a", domain="a.example"), Page(tenant="a", id="p1")
    store.put(Sites.add_site, site)
    store.put(Sites.add_page, page)
    entry = {
        "PK": {"S": forged},
        "SK": {"S": "PAGE"},
        "GPK": {"S": "TENANT#a#ALL"},
        "GSK": {"S": "PAGE#p2"},
        "tenant": {"S": "a"},
        "id": {"S": "p2"},
    }
    dynamodb.write([entry], store.table_name)
    assert store.query(Sites.everything, tenant="a").items == [page, site]
    assert list(store.each(Sites.pages, tenant="a")) == [page]
    assert store.count(Sites.pages, tenant="a") == 1
    assert store.count(Sites.everything, tenant="a") == 2
