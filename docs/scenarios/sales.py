"""One run of each access pattern of the sales table."""

from decimal import Decimal
from typing import Any

from tablewright.catalog.sales.design import SALE, SALES
from tablewright.model import Record, Shards
from tablewright.model.capacity import page_floor, read_floor, update_floor, write_floor
from tablewright.model.patterns import Query
from tablewright.model.sizes import item_bytes
from tablewright.pages.metering import NONE, Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.store import Store

PAGE = 20
STORED = 400
TENANT = {"tenant": "carousel-labs"}
PRODUCT = {**TENANT, "product_id": "prod_0"}
DRESS = {**TENANT, "category": "dress"}


def sale(number: int) -> Record:
    """One of the stored sales: ten products, twenty days, prices that differ.

    Far ahead, because the engine deletes what has expired.
    """
    return SALE.check(
        {
            **SALE.example,
            "product_id": f"prod_{number % 10}",
            "sale_id": f"sale_{number:06}",
            "sale_date": f"2099-03-{1 + number % 20:02}",
            "sale_price": Decimal(number % 90 + 10),
            "season": ("SPRING", "SUMMER")[number // 20 % 2],
        }
    )


def measure(caller: Caller, table: str) -> list[Measurement]:
    """Fill the table, run each pattern once, and give its units beside the floor."""
    measuring = Measuring(caller, SALES)
    cursors = Cursors(lambda: KeyRing([b"m" * 32]))
    store = Store(SALES, table, measuring.meter, cursors=cursors)
    store.put_many(SALES.put_sales, [sale(n) for n in range(STORED)])
    _items(measuring, store)
    _lists(measuring, store)
    return measuring.found


def _items(measuring: Measuring, store: Store) -> None:
    new, batch = sale(STORED), [sale(n) for n in range(STORED + 1, STORED + 26)]
    key = {name: new[name] for name in SALE.key.fields}
    cheaper = {"sale_price": Decimal("5.00")}
    put = write_floor(SALES, SALE, new)
    whole = item_bytes(SALES.attributes(SALE, new))
    measuring.run(
        "put_sale", "one sale with a brand", lambda: store.put(SALES.put_sale, new), write=put
    )
    measuring.run(
        "put_sales",
        f"{len(batch)} sales with a brand",
        lambda: store.put_many(SALES.put_sales, batch),
        write=sum((write_floor(SALES, SALE, one) for one in batch), NONE),
        many=len(batch),
    )
    more = [sale(n) for n in range(STORED + 26, STORED + 51)]
    measuring.run(
        "create_sales",
        f"{len(more)} sales with a brand",
        lambda: store.create_many(SALES.create_sales, more),
        write=sum((write_floor(SALES, SALE, one) for one in more), NONE),
        many=len(more),
    )
    keys = [{name: one[name] for name in SALE.key.fields} for one in more]
    measuring.run(
        "get_sales",
        f"{len(more)} sales",
        lambda: store.get_many(SALES.get_sales, keys),
        read=len(more) * read_floor([whole], consistent=True),
        many=len(more),
    )
    measuring.run(
        "get_sale", "one sale", lambda: store.get(SALES.get_sale, key), read=read_floor([whole])
    )
    measuring.run(
        "update_sale",
        "a sale's price",
        lambda: store.update(SALES.update_sale, key, cheaper),
        read=read_floor([whole], consistent=True),
        write=update_floor(SALES, SALE, new, {**new, **cheaper}),
    )
    measuring.run(
        "delete_sale",
        "one sale with a brand",
        lambda: store.delete(SALES.delete_sale, key),
        write=put,
    )


def _lists(measuring: Measuring, store: Store) -> None:
    def page(name: str, where: Record) -> None:
        def work() -> Any:
            return store.query(SALES.patterns[name], where, limit=PAGE)

        measuring.run(name, f"a page of {PAGE}", work, read=_page_floor(name))

    page("product_sales", PRODUCT)
    page("product_embeddings", PRODUCT)
    page("category_sales", DRESS)
    page("embeddings", TENANT)
    page("brand_sales", {**TENANT, "brand": "Nike"})
    entries = [_entry_bytes("category_prices")] * (STORED // 10)
    measuring.run(
        "category_prices",
        f"all {STORED} prices of a category",
        lambda: list(store.each(SALES.category_prices, DRESS, until="2099-03-31")),
        read=10 * read_floor(entries),
    )


def _page_floor(name: str) -> Decimal:
    query = SALES.patterns[name]
    shards = SALES.key_of(query).shards
    floor = page_floor(
        [_entry_bytes(name)] * PAGE, shards.count if isinstance(shards, Shards) else 1
    )
    if isinstance(query, Query) and query.hydrate:
        floor += PAGE * read_floor([item_bytes(SALES.attributes(SALE, sale(0)))])
    return floor


def _entry_bytes(name: str) -> int:
    attributes = SALES.attributes(SALE, sale(0))
    index = SALES.patterns[name].index
    if index:
        attributes = SALES.projected(SALE, attributes, SALES.indexes[index]) or {}
    return item_bytes(attributes)
