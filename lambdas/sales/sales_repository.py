"""Repository of sales: the published operations, each for the tenant that it names."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from lambdas.errors import TooMuch
from lambdas.sales.batch import BatchResult, write_batch
from lambdas.sales.sale_writes import StoredSale, put_once, put_undated
from lambdas.sales.trend import trend
from tablewright.catalog.sales.design import Sale, Sales, shards_of
from tablewright.model import Query
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound, StoreError
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

# What one trend or one query without a limit may read, from the index alone or from the table too:
# more would not finish within a request.
MAX_PRICES = 200_000
MAX_SALES = 20_000
_AT_ONCE = 1000
_PRICES = {"category": Sales.category_prices, "brand": Sales.brand_prices}
_SALES = {"category": Sales.category_sales, "brand": Sales.brand_sales}


class PageOptions(TypedDict, total=False):
    """Options of a query; without a limit it returns everything, at most MAX_SALES."""

    limit: int | None
    cursor: str | None
    descending: bool


class SalesRepository:
    """Stores and queries the sales of many tenants, and logs what it does.

    `access` returns the caller that has a tenant's credentials. By default it is one for all, of
    this process.

    Example::

        repo = SalesRepository("bg-remover-dev-sales-intelligence", "eu-west-1")
        repo.put_sale(create_sales_record(tenant="carousel-labs", product_id="prod_123", ...))
        page = repo.query_category_season("carousel-labs", "dress", "SPRING", "2025-01-01")
    """

    def __init__(
        self,
        table_name: str,
        region: str | None = None,
        logger: logging.Logger | Logger | None = None,
        *,
        access: Callable[[str], Caller] | None = None,
        cursors: Cursors | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        table: type[Sales] = Sales,
    ) -> None:
        if access is None:
            caller = connect(own_session(), "dynamodb", region=region)
            access = lambda _: caller  # noqa: E731
        self._logger = logger or logging.getLogger(__name__)
        self._access = access
        # Makes no calls: every operation has the access of its tenant.
        self._base_store = Store(table, table_name, access(""), cursors=cursors, now=now)
        self._table = table
        self.now = now
        self.expires = table.__design__.entities[Sale.__entity__.name].expires

    def put_sale(self, record: Sale, *, is_dated: bool = True) -> StoredSale:
        """Store a new sale. Repeating this changes nothing; other values are a RequestConflict.

        A sale that is not dated has the date of its creation: the same sale of the day before is
        a repetition too.
        """
        named = {"tenant": record.tenant, "productId": record.product_id, "saleId": record.sale_id}
        store = self._store(record.tenant)
        with self._errors_logged("put_sale", named):
            stored = put_once(store, record) if is_dated else put_undated(store, record)
        shards = shards_of(stored.sale, self._table)
        self._log("Sale stored", named, shards=shards, new=stored.is_new)
        return stored

    def get_sale(self, tenant: str, product_id: str, sale_date: str, sale_id: str) -> Sale | None:
        key = _key(tenant, product_id, sale_date, sale_id)
        with self._errors_logged("get_sale", key):
            sale = self._store(tenant).get(Sales.get_sale, key)
        self._log("Sale read", key, found=sale is not None)
        return sale

    def update_sale(
        self,
        tenant: str,
        product_id: str,
        sale_date: str,
        sale_id: str,
        changes: Mapping[str, Any],
    ) -> Sale:
        """Change fields of a sale, None removes the brand; raises NotFound without one."""
        key = _key(tenant, product_id, sale_date, sale_id)
        with self._errors_logged("update_sale", key):
            sale = self._store(tenant).update(Sales.update_sale, key, changes)
        self._log("Sale changed", key, shards=shards_of(sale, self._table))
        return sale

    def delete_sale(self, tenant: str, product_id: str, sale_date: str, sale_id: str) -> None:
        key = _key(tenant, product_id, sale_date, sale_id)
        with self._errors_logged("delete_sale", key):
            self._store(tenant).delete(Sales.delete_sale, key)
        self._log("Sale removed", key)

    def batch_write_sales(self, records: Sequence[Sale], *, replace: bool = False) -> BatchResult:
        """Store the sales of one tenant that do not exist yet; with `replace`, others too."""
        tenants = sorted({record.tenant for record in records})
        if len(tenants) > 1:
            raise ValueError(f"a batch has sales of one tenant, not of {tenants}: split it")
        if not tenants:
            return BatchResult(0, 0, 0, [])
        named = {"tenant": tenants[0]}
        with self._errors_logged("batch_write_sales", named):
            result = write_batch(self._store(tenants[0]), records, replace=replace)
        counts = {name: value for name, value in result._asdict().items() if name != "conflicts"}
        self._log("Sales stored", named, **counts, conflicts=len(result.conflicts))
        return result

    def query_product_sales(
        self,
        tenant: str,
        product_id: str,
        start_date: str | None = None,
        end_date: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Page[Sale]:
        named = {"tenant": tenant, "product_id": product_id}
        return self._query(Sales.product_sales, named, start_date, end_date, **options)

    def query_category_season(
        self,
        tenant: str,
        category: str,
        season: str | None,
        start_date: str | None = None,
        end_date: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Page[Sale]:
        """Query whole sales of a category, of one season or of all, from all shards by date."""
        named = {"tenant": tenant, "category": category}
        return self._query(
            Sales.category_sales, named, start_date, end_date, season=season, **options
        )

    def query_brand_pricing(
        self,
        tenant: str,
        brand: str,
        start_date: str | None = None,
        end_date: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Page[Sale]:
        """Query whole sales of a brand over all products."""
        named = {"tenant": tenant, "brand": brand}
        return self._query(Sales.brand_sales, named, start_date, end_date, **options)

    def query_product_embeddings(
        self,
        tenant: str,
        product_id: str,
        start_date: str | None = None,
        end_date: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Page[Sale]:
        named = {"tenant": tenant, "product_id": product_id}
        return self._query(Sales.product_embeddings, named, start_date, end_date, **options)

    def query_embeddings(
        self,
        tenant: str,
        start_date: str | None = None,
        end_date: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Page[Sale]:
        """Query the embeddings of all products, from all shards by date."""
        return self._query(Sales.embeddings, {"tenant": tenant}, start_date, end_date, **options)

    def query_price_trend(
        self,
        tenant: str,
        field: str,
        value: str,
        season: str | None,
        start_date: str | None,
        end_date: str | None,
        period: str,
    ) -> list[dict[str, Any]]:
        """Summarize the prices of a category or a brand, which `field` says, by period.

        Index keys have dates and prices, so only a season makes it read the sales themselves.
        """
        named = {"tenant": tenant, field: value}
        with self._errors_logged("query_price_trend", named):
            if season is None:
                store = self._store(tenant)
                sales = store.each(_PRICES[field], named, since=start_date, until=end_date)
                periods = list(trend(_prices(_bounded(sales, MAX_PRICES)), period))
            else:
                sales = self._each(_SALES[field], named, start_date, end_date, season)
                periods = list(trend(_prices(sales), period))
        count = sum(one["count"] for one in periods)
        self._log("Query executed", named, operation="query_price_trend", itemCount=count)
        return periods

    def _query(
        self,
        pattern: Query[Sale],
        named: Mapping[str, str],
        start_date: str | None,
        end_date: str | None,
        *,
        season: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        descending: bool = False,
    ) -> Page[Sale]:
        if limit is None and cursor is not None:
            raise ValueError("a cursor continues a query with a limit: pass the limit too")
        with self._errors_logged(pattern.name, named):
            if limit is None:
                page = Page(
                    list(self._each(pattern, named, start_date, end_date, season, descending))
                )
            else:
                page = self._store(named["tenant"]).query(
                    pattern,
                    named,
                    since=start_date,
                    until=end_date,
                    where={"season": season} if season else None,
                    descending=descending,
                    limit=limit,
                    cursor=cursor,
                )
        count = len(page.items)
        self._log("Query executed", named, operation=pattern.name, season=season, itemCount=count)
        return page

    def _each(
        self,
        pattern: Query[Sale],
        named: Mapping[str, str],
        start_date: str | None,
        end_date: str | None,
        season: str | None,
        descending: bool = False,
    ) -> Iterator[Sale]:
        """Iterate over sales, of which those of another season are read and count as well."""
        if season is not None:
            Sale.season.check(season)
        sales = self._store(named["tenant"]).each(
            pattern,
            named,
            since=start_date,
            until=end_date,
            descending=descending,
            at_once=_AT_ONCE,
        )
        read = _bounded(sales, MAX_SALES)
        return (sale for sale in read if season is None or sale.season == season)

    def _store(self, tenant: str) -> Store:
        return self._base_store.with_client(self._access(tenant))

    def _log(self, message: str, named: Mapping[str, Any], **details: Any) -> None:
        self._logger.info(message, extra={**_published(named), **details})

    @contextmanager
    def _errors_logged(self, operation: str, context: Mapping[str, Any]) -> Iterator[None]:
        """Log failures of DynamoDB, and pass them on."""
        try:
            yield
        except (NotFound, AlreadyExists, Conflict):  # about the item, and answered as such
            raise
        except StoreError as error:
            details = {"operation": operation, "error": str(error), "context": _published(context)}
            self._logger.error("Sales operation failed", extra=details)
            raise


def _key(tenant: str, product_id: str, sale_date: str, sale_id: str) -> dict[str, str]:
    names = ("tenant", "product_id", "sale_date", "sale_id")
    return dict(zip(names, (tenant, product_id, sale_date, sale_id), strict=True))


def _published(named: Mapping[str, Any]) -> dict[str, Any]:
    """Name fields as they are stored."""
    known = Sale.__entity__.by_name
    return {known[name].label if name in known else name: value for name, value in named.items()}


def _bounded(sales: Iterator[Sale], most: int) -> Iterator[Sale]:
    for number, sale in enumerate(sales):
        if number == most:
            raise TooMuch(f"More than {most} sales lie in the range: ask for fewer dates.")
        yield sale


def _prices(sales: Iterable[Sale]) -> Iterator[tuple[str, Decimal]]:
    return ((sale.sale_date, sale.sale_price) for sale in sales)
