"""Costs of an archive on a table's page: requests, functions, and storage by age."""

from collections.abc import Iterator
from decimal import Decimal

from tablewright.costs.monthly_cost import DAYS_PER_MONTH
from tablewright.costs.prices import Prices
from tablewright.model import Design, Record
from tablewright.model.sizes import item_bytes
from tablewright.pages.markdown import table

# Of items of news: what a file takes of what they take in the table.
FILE_SHARE = Decimal("0.4")
# CPU of an item in both functions: 80 microseconds at 1.769 GB.
_GB_SECONDS = Decimal("0.00008") * Decimal("1.769")
# An object for each shard of the stream in each window of five minutes.
_SHARDS, _WINDOWS = 4, 288
# Days in the first class, in the second, and a year's rest in the third.
_AGES = (30, 60, 275)


def archive_bill(daily: int, size: int, prices: Prices) -> dict[str, Decimal]:
    """Dollars a month of an archive that so many items of a size go to a day, after a year."""
    objects = min(daily, _SHARDS * _WINDOWS) + 2  # a file and a manifest
    gigabytes = Decimal(daily * size) * FILE_SHARE / 10**9
    s3 = prices.objects
    classes = (s3.gb_month, s3.infrequent_gb_month, s3.glacier_gb_month)
    stored = sum(
        (gigabytes * days * price for days, price in zip(_AGES, classes, strict=True)), Decimal()
    )
    costs = {
        "requests of S3": objects * DAYS_PER_MONTH / 1000 * s3.put_thousand,
        "functions": daily * DAYS_PER_MONTH * _GB_SECONDS * prices.functions.arm_gb_second,
        "storage of a year": stored,
    }
    rounded = {name: cost.quantize(Decimal("0.01")) for name, cost in costs.items()}
    return {**rounded, "total": sum(rounded.values(), Decimal())}


def archive_chapter(
    design: Design,
    entity_name: str,
    record: Record,
    daily: dict[str, int],
    prices: Prices,
) -> Iterator[str]:
    """What the table's archive costs beside it, at each of these numbers of items a day."""
    size = item_bytes(design.attributes(design.entities[entity_name], record))
    bills = [archive_bill(number, size, prices) for number in daily.values()]
    yield (
        f"Its [archive](../archive.md), with items of {size} bytes, at the prices of "
        f"{prices.region} of {prices.dated}, in US dollars a month:"
    )
    yield table(
        ("", *(f"{name}, {number:,} items a day" for name, number in daily.items())),
        ((name, *(one[name] for one in bills)) for name in bills[0]),
    )
    yield (
        "Files are in the first class of storage for 30 days, in the second for 60, then in "
        "Glacier with instant retrieval."
    )
