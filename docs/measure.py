"""Capacity units of every access pattern of the sales table, measured on a real engine."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tablewright.designs import Record
from tablewright.designs.capacity import (
    item_bytes,
    page_floor,
    read_floor,
    update_floor,
    write_floor,
)
from tablewright.designs.patterns import Query
from tablewright.designs.sales import SALE, SALES
from tablewright.runtime.cursor import Cursors, KeyRing
from tablewright.runtime.dynamo import Caller
from tablewright.runtime.meter import Meter
from tablewright.runtime.store import Store

PAGE = 20
STORED = 400
TENANT = {"tenant": "carousel-labs"}
PRODUCT = {**TENANT, "product_id": "prod_0"}
DRESS = {**TENANT, "category": "dress"}

Measurement = dict[str, Any]


def sale(number: int) -> Record:
    """One of the stored sales: ten products, twenty days, prices that differ."""
    return SALE.check(
        {
            **SALE.example,
            "product_id": f"prod_{number % 10}",
            "sale_id": f"sale_{number:06}",
            "sale_date": f"2025-03-{1 + number % 20:02}",
            "sale_price": Decimal(number % 90 + 10),
            "season": ("SPRING", "SUMMER")[number // 20 % 2],
        }
    )


def key_of(record: Record) -> Record:
    return {name: record[name] for name in SALE.key.fields}


def measure(caller: Caller, table: str) -> dict[str, Measurement]:
    """Fill the table, run each pattern once, and give its units beside the floor."""
    meter = Meter(caller)
    store = Store(SALES, table, meter, cursors=Cursors(lambda: KeyRing([b"m" * 32])))
    store.put_many(SALES.put_sales, [sale(n) for n in range(STORED)])
    found: dict[str, Measurement] = {}

    def run(name: str, what: str, floor: tuple[Decimal, Decimal], work: Callable[[], Any]) -> None:
        meter.reset()
        work()
        found[name] = {
            "what": what,
            "calls": meter.calls,
            "read": str(meter.read_units),
            "read_floor": str(floor[0]),
            "write": str(meter.write_units),
            "write_floor": str(floor[1]),
        }

    none = Decimal(0)
    new, batch = sale(STORED), [sale(n) for n in range(STORED + 1, STORED + 26)]
    cheaper = {**new, "sale_price": Decimal("5.00")}
    put = write_floor(SALES, SALE, new)
    whole = item_bytes(SALES.attributes(SALE, new))
    run("put_sale", "one sale with a brand", (none, put), lambda: store.put(SALES.put_sale, new))
    run(
        "put_sales",
        "25 sales with a brand",
        (none, sum((write_floor(SALES, SALE, one) for one in batch), none)),
        lambda: store.put_many(SALES.put_sales, batch),
    )
    run(
        "get_sale",
        "one sale",
        (read_floor([whole]), none),
        lambda: store.get(SALES.get_sale, key_of(new)),
    )
    run(
        "update_sale",
        "a sale's price",
        (read_floor([whole], consistent=True), update_floor(SALES, SALE, new, cheaper)),
        lambda: store.update(SALES.update_sale, key_of(new), {"sale_price": Decimal("5.00")}),
    )
    run(
        "delete_sale",
        "one sale with a brand",
        (none, put),
        lambda: store.delete(SALES.delete_sale, key_of(new)),
    )

    def page(name: str, where: Record, what: str = f"a page of {PAGE}", **asked: Any) -> None:
        query = SALES.patterns[name]
        run(
            name,
            what,
            (_page_floor(name), none),
            lambda: store.query(query, where, limit=PAGE, **asked),
        )

    page("product_sales", PRODUCT)
    page("product_embeddings", PRODUCT)
    page("category_sales", DRESS)
    page("embeddings", TENANT)
    page("brand_sales", {**TENANT, "brand": "Nike"})
    entries = [_entry_bytes("category_prices")] * (STORED // 10)
    run(
        "category_prices",
        f"all {STORED} prices of a category",
        (10 * read_floor(entries), none),
        lambda: list(store.each(SALES.category_prices, DRESS, until="2025-03-31")),
    )
    return found


def _page_floor(name: str) -> Decimal:
    query = SALES.patterns[name]
    shards = SALES.key_of(query).shards
    floor = page_floor([_entry_bytes(name)] * PAGE, shards.count if shards else 1)
    if isinstance(query, Query) and query.hydrate:
        floor += PAGE * read_floor([item_bytes(SALES.attributes(SALE, sale(0)))])
    return floor


def _entry_bytes(name: str) -> int:
    attributes = SALES.attributes(SALE, sale(0))
    index = SALES.patterns[name].index
    if index:
        attributes = SALES.projected(SALE, attributes, SALES.indexes[index]) or {}
    return item_bytes(attributes)
