"""One run of each access pattern of the sales table, with either projection."""

from decimal import Decimal
from functools import partial

from tablewright.catalog.sales.design import Sale, Sales, sales_table
from tablewright.costs.measuring import NONE, Measuring
from tablewright.model import ALL, key_of, replaced
from tablewright.model.capacity import page_floor, read_floor, update_floor, write_floor
from tablewright.model.patterns import Query
from tablewright.model.sizes import item_bytes
from tablewright.runtime.store.store import Store

PAGE = 20
STORED = 400
TENANT = {"tenant": "carousel-labs"}
PRODUCT = {**TENANT, "product_id": "prod_0"}
DRESS = {**TENANT, "category": "dress"}


MODEL = Sale.__entity__
_WHOLE = sales_table(projects=ALL)


class ProjectedSales(Sales, id="sales-projected"):
    """Pricing intelligence and sales analytics for many tenants, kept for two years, with whole
    sales in the indexes of categories and of brands (`sales_table(projects=ALL)`)."""

    by_category, by_brand = _WHOLE.by_category, _WHOLE.by_brand


def sale(number: int) -> Sale:
    """One of the stored sales: ten products, twenty days, prices that differ.

    Far ahead, because the engine deletes what has expired.
    """
    return Sale(
        **{
            **Sale.__entity__.example,
            "product_id": f"prod_{number % 10}",
            "sale_id": f"sale_{number:06}",
            "sale_date": f"2099-03-{1 + number % 20:02}",
            "sale_price": Decimal(number % 90 + 10),
            "season": ("SPRING", "SUMMER")[number // 20 % 2],
        }
    )


def measure(measuring: Measuring) -> None:
    """Fill the table, which is of either kind, and run each pattern once."""
    store = measuring.store()
    store.put_many(Sales.put_sales, [sale(n) for n in range(STORED)])
    _items(measuring, store)
    _lists(measuring, store)


def _items(measuring: Measuring, store: Store) -> None:
    design = store.design
    # Of another tenant, so that the lists stay as they are.
    new, *written = (replaced(sale(n), tenant="acme") for n in range(51))
    batch, more = written[:25], written[25:]
    key = key_of(new)
    cheaper = {"sale_price": Decimal("5.00")}
    put = write_floor(design, MODEL, new)
    whole = item_bytes(design.attributes(MODEL, new))
    measuring.run(
        "put_sale", "one sale with a brand", lambda: store.put(Sales.put_sale, new), write=put
    )
    measuring.run(
        "put_sales",
        f"{len(batch)} sales with a brand",
        lambda: store.put_many(Sales.put_sales, batch),
        write=sum((write_floor(design, MODEL, one) for one in batch), NONE),
        many=len(batch),
    )
    measuring.run(
        "create_sales",
        f"{len(more)} sales with a brand",
        lambda: store.create_many(Sales.create_sales, more),
        write=sum((write_floor(design, MODEL, one) for one in more), NONE),
        many=len(more),
    )
    keys = [key_of(one) for one in more]
    measuring.run(
        "get_sales",
        f"{len(more)} sales",
        lambda: store.get_many(Sales.get_sales, keys),
        read=len(more) * read_floor([whole], consistent=True),
        many=len(more),
    )
    measuring.run(
        "get_sale", "one sale", lambda: store.get(Sales.get_sale, key), read=read_floor([whole])
    )
    measuring.run(
        "update_sale",
        "a sale's price",
        lambda: store.update(Sales.update_sale, key, cheaper),
        read=read_floor([whole], consistent=True),
        write=update_floor(design, MODEL, new, {**new, **cheaper}),
    )
    measuring.run(
        "delete_sale",
        "one sale with a brand",
        lambda: store.delete(Sales.delete_sale, key),
        write=put,
    )


def _lists(measuring: Measuring, store: Store) -> None:
    design = store.design
    made = [sale(n) for n in range(STORED)]
    nike = {**TENANT, "brand": "Nike"}

    def page(query: Query[Sale], key: dict[str, str], listed: list[Sale]) -> None:
        work = partial(store.query, query, key, limit=PAGE)
        floor = page_floor(design, query, listed, limit=PAGE)
        measuring.run(query.name, f"a page of {PAGE}", work, read=floor)

    def whole(query: Query[Sale], key: dict[str, str], what: str) -> None:
        def work() -> list[Sale]:
            return list(store.each(query, key, until="2099-03-31"))

        measuring.run(query.name, what, work, read=page_floor(design, query, made))

    of_product = [one for one in made if one.product_id == PRODUCT["product_id"]]
    page(Sales.product_sales, PRODUCT, of_product)
    page(Sales.product_embeddings, PRODUCT, of_product)
    page(Sales.category_sales, DRESS, made)
    page(Sales.embeddings, TENANT, made)
    page(Sales.brand_sales, nike, made)
    whole(Sales.brand_prices, nike, f"all {STORED} prices of a brand")
    whole(Sales.category_prices, DRESS, f"all {STORED} prices of a category")
