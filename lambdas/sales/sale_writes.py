"""Writes of one sale: however often a request is retried, it stores one sale.

A sale without a date gets the UTC date of today. Its retry may come after midnight, so it looks for
the sale under the date of yesterday first. In the minutes around midnight, a request of one day and
its retry on the next may run side by side: then each stores its sale in a transaction that requires
the other day to have none.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lambdas.errors import RequestConflict
from lambdas.http.bodies import pointer
from lambdas.sales.rules import day_of, differing_fields
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import Field, key_of
from tablewright.runtime.errors import AlreadyExists, TransactionRefused
from tablewright.runtime.store.store import Store

# The function of the API ends after 29 seconds, so what it began before midnight is over by then.
AROUND_MIDNIGHT = timedelta(minutes=1)


class StoredSale(NamedTuple):
    """A sale as it is stored, and True if this request stored it."""

    sale: Sale
    is_new: bool


def put_once(store: Store, sale: Sale) -> StoredSale:
    """Store a sale; raises RequestConflict if its key has different values."""
    try:
        return StoredSale(store.put(Sales.put_sale, sale), True)
    except AlreadyExists:
        return _require_same(_read(store, [key_of(sale)]), sale)


def put_undated(store: Store, sale: Sale) -> StoredSale:
    """Store a sale that is dated by its creation, unless it was stored today or yesterday."""
    now = datetime.fromisoformat(sale.created_at)
    if sale.sale_date != day_of(now):
        reason = f"sale_date is {sale.sale_date}, but an undated sale has the date of created_at"
        raise ValueError(f"{reason}, {day_of(now)}: pass is_dated=True")
    if yesterday := _read(store, [_key_on(sale, day_of(now - timedelta(days=1)))]):
        # It may have been dated back to yesterday after this one was stored.
        return _require_same([*yesterday, *_read(store, [key_of(sale)])], sale)
    other_day = _day_across_midnight(now)
    if other_day is None:
        return put_once(store, sale)
    other = _key_on(sale, other_day)
    # Deleting what does not exist is a check that the role of the tenant is granted anyway.
    is_missing = store.to_delete(Sales.delete_sale, other, when=Sale.sale_id.is_missing())
    try:
        store.transact_write(store.to_put(Sales.put_sale, sale), is_missing)
    except TransactionRefused:
        existing = _read(store, [key_of(sale), other])
        if not existing:  # deleted meanwhile
            raise
        return _require_same(existing, sale)
    return StoredSale(sale, True)


def _day_across_midnight(now: datetime) -> str | None:
    days = (day_of(now - AROUND_MIDNIGHT), day_of(now + AROUND_MIDNIGHT))
    return next((day for day in days if day != day_of(now)), None)


def _key_on(sale: Sale, day: str) -> dict[str, Any]:
    return {**key_of(sale), "sale_date": day}


def _read(store: Store, keys: Sequence[Mapping[str, Any]]) -> list[Sale]:
    return store.get_many(Sales.get_sales, keys)


def _require_same(existing: Sequence[Sale], sale: Sale) -> StoredSale:
    """Return the stored sale that has the values of this one; raises RequestConflict without."""
    for stored in existing:
        if not differing_fields(stored, sale):
            return StoredSale(stored, False)
    if not existing:
        raise AlreadyExists("The sale existed a moment ago and was deleted since: retry.")
    other = existing[0]
    detail = (
        f"Sale {sale.sale_id} of product {sale.product_id} exists on {other.sale_date} with other "
        "values, and was not changed. Send another saleId, or change the sale by PATCH."
    )
    raise RequestConflict(detail, [_difference(other, f) for f in differing_fields(other, sale)])


def _difference(stored: Sale, field: Field[Any]) -> tuple[str, str]:
    value = stored.get(field.name)
    return pointer(field.label), f"is {'absent' if value is None else value} in the stored sale"
