"""Sales with whole sales in their indexes answer as those do whose indexes have keys alone."""

from decimal import Decimal
from typing import Any

import pytest

from docs.generate import DOCUMENTS
from tablewright.catalog.sales.design import SEASONS, Sale, Sales, sales_table
from tablewright.model import ALL, Query, replaced
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.sales.conftest import DRESS, TENANT, sale

WHOLE = sales_table(projects=ALL)
NIKE = {**TENANT, "brand": "Nike"}
LISTS: list[tuple[Query[Sale], dict[str, str]]] = [
    (Sales.category_sales, DRESS),
    (Sales.category_prices, DRESS),
    (Sales.brand_sales, NIKE),
    (Sales.brand_prices, NIKE),
    (Sales.embeddings, TENANT),
    (Sales.product_sales, {**TENANT, "product_id": "prod_1"}),
]
ASKED: dict[str, dict[str, Any]] = {
    "all": {},
    "the other way round": {"descending": True},
    "a range": {"since": "2099-03-03", "until": "2099-03-07"},
    "a range without its bounds": {"after": "2099-03-03", "before": "2099-03-07"},
}
MANY = 120
# With ties in date and price, some without a brand, and one that has expired.
STORED = [
    sale(
        n,
        sale_date=f"2099-03-{1 + n % 9:02}",
        sale_price=Decimal(n % 4),
        brand="Nike" if n % 3 else None,
        season=SEASONS[n % 4],
    )
    for n in range(MANY)
]
PAST = replaced(STORED[1], sale_id="sale_past", sale_date="2001-03-04")


@pytest.fixture(scope="module")
def stores(dynamodb_local: DynamoDbLocal) -> tuple[Store, Store]:
    """A table of either projection, with the same sales."""
    return _filled(dynamodb_local, Sales), _filled(dynamodb_local, WHOLE)


def _filled(engine: DynamoDbLocal, table: type[Sales]) -> Store:
    database = Database(engine)
    store = database.store(table)
    store.put_many(Sales.put_sales, [*STORED, PAST])
    return store


def pages(store: Store, pattern: Query[Sale], key: dict[str, str], **asked: Any) -> list[Sale]:
    found: list[Sale] = []
    cursor = None
    while True:
        page = store.query(pattern, key, limit=7, cursor=cursor, **asked)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


def listed(sales: list[Sale], fields: set[str]) -> list[dict[str, Any]]:
    return [{name: value for name, value in one.items() if name in fields} for one in sales]


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize(("pattern", "key"), LISTS, ids=[one.name for one, _ in LISTS])
def test_every_list_is_the_same_in_the_same_order(
    stores: tuple[Store, Store], pattern: Query[Sale], key: dict[str, str], asked: dict[str, Any]
) -> None:
    readable = Sales.__design__.readable(pattern)
    keys, whole = (listed(pages(one, pattern, key, **asked), readable) for one in stores)
    assert keys == whole
    assert len(keys) >= 5
    assert [listed(list(one.each(pattern, key, **asked)), readable) for one in stores] == [keys] * 2


@pytest.mark.parametrize("season", SEASONS)
@pytest.mark.parametrize(("pattern", "key"), [LISTS[0], LISTS[2]], ids=["category", "brand"])
def test_either_finds_the_sales_of_a_season(
    stores: tuple[Store, Store], pattern: Query[Sale], key: dict[str, str], season: str
) -> None:
    where = {"season": season}
    keys, whole = (pages(one, pattern, key, where=where) for one in stores)
    assert keys == whole
    there = [one for one in STORED if pattern is Sales.category_sales or one.brand]
    assert len(keys) == sum(one.season == season for one in there)
    assert [one.count(pattern, key, where=where) for one in stores] == [len(keys)] * 2


def test_a_list_of_whole_sales_reads_its_index_alone(dynamodb: Database) -> None:
    dynamodb.table(WHOLE)
    meter = Meter(dynamodb.caller)
    store = dynamodb.store(WHOLE, meter)
    store.put_many(Sales.put_sales, STORED)
    for pattern, key in (LISTS[0], LISTS[2]):
        meter.reset()
        page = store.query(pattern, key, where={"season": "SUMMER"}, limit=5)
        assert len(page.items) == 5
        assert set(meter.read) == {pattern.index}


def test_the_pages_measure_what_the_page_on_the_other_projection_promises() -> None:
    read = {
        (id, one["pattern"]): Decimal(one["read"])
        for id in ("sales", "sales-projected")
        for one in DOCUMENTS[id].recorded()
    }
    written = {
        id: [one["write"] for one in DOCUMENTS[id].recorded() if one["pattern"] == "put_sale"]
        for id in ("sales", "sales-projected")
    }
    promised = DOCUMENTS["sales"].page.read_text().split("## Other projections")[1]
    for name in ("category_sales", "brand_sales"):
        (row,) = [line for line in promised.splitlines() if line.startswith(f"| `{name}`")]
        now, *_, everything = (Decimal(cell) for cell in row.strip("| ").split(" | ")[1:])
        assert (now, everything) == (read["sales", name], read["sales-projected", name])
    assert written["sales"] == written["sales-projected"]
