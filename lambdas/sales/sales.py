"""A tenant's sales: what the API does, in terms of the table's access patterns."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from lambdas.errors import TooMuch
from lambdas.sales import rules
from lambdas.sales.batch import Stored, store_batch
from lambdas.sales.trend import trend
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import Query, key_of
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# What one trend may read, from the index alone or from the table too: more would not finish
# within a request.
MAX_PRICES = 200_000
MAX_SEASONAL = 20_000
_AT_ONCE = 1000
# By what a trend is of: its prices alone, and its sales.
_TRENDS = {
    "category": (Sales.category_prices, Sales.category_sales),
    "brand": (Sales.brand_prices, Sales.brand_sales),
}


class TenantSales:
    """The sales of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._expires = store.design.entities[Sale.__entity__.name].expires
        self.tenant = tenant

    def create(self, body: Any, now: datetime) -> tuple[Sale, bool]:
        """Store a new sale; gives it and whether it is new. Repeating a request changes nothing."""
        sale = rules.sale_from(body, self.tenant, now, self._expires)
        try:
            return self._store.put(Sales.put_sale, sale), True
        except AlreadyExists:
            there = self._store.get(Sales.get_sale, key_of(sale))
            if there is None or not rules.same_sale(there, sale):
                raise
            return there, False

    def create_many(self, body: Any, now: datetime) -> Stored:
        """Store many sales; one that is there and another is left as it is, unless the body says
        to replace it. Raises RequestError before anything is stored, or when some could not be."""
        batch = rules.batch_from(body, self.tenant, now, self._expires)
        done = store_batch(self._store, batch.sales, replace=batch.replace)
        if done.conflicts:
            raise rules.in_conflict(done.conflicts, len(batch.sales))
        return done

    def one(self, **key: str) -> Sale:
        sale = self._store.get(Sales.get_sale, {"tenant": self.tenant, **key})
        if sale is None:
            raise NotFound("no Sale has this key")
        return sale

    def change(self, body: Any, now: datetime, **key: str) -> Sale:
        changes = rules.changes_from(body, now)
        return self._store.update(Sales.update_sale, {"tenant": self.tenant, **key}, changes)

    def remove(self, **key: str) -> None:
        self._store.delete(Sales.delete_sale, {"tenant": self.tenant, **key})

    def page(
        self,
        pattern: Query[Sale],
        key: Mapping[str, str],
        matching: Mapping[str, Any],
        **asked: Any,
    ) -> Page[Sale]:
        where = {name: value for name, value in matching.items() if value is not None}
        return self._store.query(pattern, {"tenant": self.tenant, **key}, where=where, **asked)

    def price_trend(
        self,
        named: str,
        name: str,
        *,
        since: str | None,
        until: str | None,
        season: str | None,
        by: str,
    ) -> list[dict[str, Any]]:
        """Prices of a category or a brand over time. Dates and prices stand in the index keys, so
        only a season, which does not, makes it read the sales themselves."""
        prices, whole = _TRENDS[named]
        where = {"tenant": self.tenant, named: name}
        if season is None:
            sales = self._store.each(prices, where, since=since, until=until)
            return list(trend(_prices(_bounded(sales, MAX_PRICES)), by))
        # Not by the store's filter: what is passed over was read as well, and counts.
        sales = self._store.each(whole, where, since=since, until=until, at_once=_AT_ONCE)
        read = _bounded(sales, MAX_SEASONAL)
        return list(trend(_prices(sale for sale in read if sale.season == season), by))


def _bounded(sales: Iterator[Sale], most: int) -> Iterator[Sale]:
    for number, sale in enumerate(sales):
        if number == most:
            raise TooMuch(f"More than {most} sales lie in the range: ask for fewer dates.")
        yield sale


def _prices(sales: Iterable[Sale]) -> Iterator[tuple[str, Decimal]]:
    return ((sale.sale_date, sale.sale_price) for sale in sales)
