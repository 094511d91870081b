"""Price trends: prices in date order, summed up by day, week or month."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any

PERIODS = ("day", "week", "month")

_CENT = Decimal("0.01")


def period_of(day: str, by: str) -> str:
    """The period that a day lies in: itself, its ISO week (2025-W01) or its month (2025-01)."""
    if by == "day":
        return day
    if by == "month":
        return day[:7]
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"


def trend(sales: Iterable[tuple[str, Decimal]], by: str) -> Iterator[dict[str, Any]]:
    """For each period that has sales: count, min, median, mean and max price.

    Sales come in date order, so only one period's prices are held at a time. Median and mean are
    rounded to cents, half to even.
    """
    from statistics import median  # which other requests do not start with

    for period, group in groupby(sales, key=lambda sale: period_of(sale[0], by)):
        prices = sorted(price for _, price in group)
        yield {
            "period": period,
            "count": len(prices),
            "min": prices[0],
            "median": Decimal(median(prices)).quantize(_CENT),
            "mean": (sum(prices, Decimal()) / len(prices)).quantize(_CENT),
            "max": prices[-1],
        }
