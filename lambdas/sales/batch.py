"""Batches of sales: each stored once, none replaced unless that is asked for."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lambdas.sales.rules import CHANGEABLE, differing_fields
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import key_of
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.store import Store

_STORED, _REPLACED, _CONFLICT = "stored", "replaced", "conflict"


class BatchResult(NamedTuple):
    """Outcome of a batch: counts, and the positions of sales that were not stored because another
    sale has their key."""

    stored: int
    unchanged: int
    replaced: int
    conflicts: list[int]


def write_batch(store: Store, sales: Sequence[Sale], *, replace: bool) -> BatchResult:
    """Store those sales that are not there yet; repeating this changes nothing."""
    new = store.create_many(Sales.create_sales, sales)
    left = [position for position, stored in enumerate(new) if not stored]
    found = store.get_many(Sales.get_sales, [key_of(sales[at]) for at in left])
    there = {_id(sale): sale for sale in found}
    others = [at for at in left if not _same(there.get(_id(sales[at])), sales[at])]
    unchanged = len(left) - len(others)
    if not replace:
        return BatchResult(len(sales) - len(left), unchanged, 0, others)
    ends = in_parallel(lambda at: _replace(store, sales[at]), others)
    stored = len(sales) - len(left) + ends.count(_STORED)
    conflicts = [at for at, end in zip(others, ends, strict=True) if end == _CONFLICT]
    return BatchResult(stored, unchanged, ends.count(_REPLACED), conflicts)


def _id(sale: Sale) -> tuple[Any, ...]:
    return tuple(key_of(sale).values())


def _same(there: Sale | None, sale: Sale) -> bool:
    return there is not None and not differing_fields(there, sale)


def _replace(store: Store, sale: Sale) -> str:
    """Put the sale in the place of another one, which keeps the time that it was made at."""
    changes = {field.name: sale.get(field.name) for field in CHANGEABLE}
    try:
        store.update(Sales.update_sale, sale, {**changes, "updated_at": sale.updated_at})
        return _REPLACED
    except NotFound:  # removed meanwhile
        pass
    try:
        store.put(Sales.put_sale, sale)
        return _STORED
    except AlreadyExists:  # and made anew
        return _CONFLICT
