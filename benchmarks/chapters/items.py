"""Sales that every side of a benchmark puts and gets, in Python's values."""

from decimal import Decimal
from typing import Any

from tablewright.catalog.sales.design import Sale, Sales

TABLE = "sales"
OF_BATCH = 25


def sale(number: int) -> Sale:
    own = {"sale_id": f"s{number:04}", "sale_price": Decimal(number)}
    return Sale(**{**Sale.__entity__.example, **own})


def values(record: Sale) -> dict[str, Any]:
    """A sale as a table has it, in Python's values."""
    return dict(Sales.__design__.attributes(Sale.__entity__, record))


def batch() -> list[dict[str, Any]]:
    """What a batch writes; the first is what is put, and got."""
    return [values(sale(number)) for number in range(OF_BATCH)]
