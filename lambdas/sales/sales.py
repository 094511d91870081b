"""A tenant's sales: what the API does, in terms of the table's access patterns."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from lambdas.http.problems import Problem
from lambdas.sales import rules
from lambdas.sales.trend import trend
from tablewright.designs import Pattern, Record
from tablewright.designs.sales import SALE, SALES
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store

# What one trend may read; more would not finish within a request.
MAX_TREND_SALES = 200_000


class Sales:
    """The sales of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._tenant = tenant

    def create(self, body: Any, now: datetime) -> tuple[Record, bool]:
        """Store a new sale; gives it and whether it is new. Repeating a request changes nothing."""
        sale = rules.sale_from(body, self._tenant, now)
        try:
            return self._store.put(SALES.put_sale, sale), True
        except AlreadyExists:
            there = self._store.get(SALES.get_sale, self._key_of(sale))
            if there is None or not rules.same_sale(there, sale):
                raise
            return there, False

    def create_many(self, body: Any, now: datetime) -> int:
        sales = rules.batch_from(body, self._tenant, now)
        return self._store.put_many(SALES.put_sales, sales)

    def one(self, **key: str) -> Record:
        sale = self._store.get(SALES.get_sale, {"tenant": self._tenant, **key})
        if sale is None:
            raise NotFound("no Sale has this key")
        return sale

    def change(self, body: Any, now: datetime, **key: str) -> Record:
        changes = rules.changes_from(body, now)
        return self._store.update(SALES.update_sale, {"tenant": self._tenant, **key}, changes)

    def remove(self, **key: str) -> None:
        self._store.delete(SALES.delete_sale, {"tenant": self._tenant, **key})

    def page(self, pattern: Pattern, where: Mapping[str, str], **asked: Any) -> Page:
        return self._store.query(pattern, {"tenant": self._tenant, **where}, **asked)

    def price_trend(
        self, category: str, *, since: str | None, until: str | None, season: str | None, by: str
    ) -> list[dict[str, Any]]:
        """Prices of a category over time. Dates and prices stand in the index keys, so only a
        season, which does not, makes it read the sales themselves."""
        pattern = SALES.category_sales if season else SALES.category_prices
        filters = {"season": season} if season else None
        where = {"tenant": self._tenant, "category": category}
        sales = self._store.each(pattern, where, since=since, until=until, filters=filters)
        return list(trend(_bounded(sales), by))

    @staticmethod
    def _key_of(sale: Record) -> Record:
        return {name: sale[name] for name in SALE.key.fields}


def _bounded(sales: Iterator[Record]) -> Iterator[tuple[str, Decimal]]:
    for number, sale in enumerate(sales):
        if number == MAX_TREND_SALES:
            raise Problem(413, f"More than {MAX_TREND_SALES} sales: narrow the range of dates.")
        yield sale["sale_date"], sale["sale_price"]
