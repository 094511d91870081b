"""A page costs what is on it, however long the list is that it is a page of."""

from decimal import Decimal

from benchmarks.chapters.portal_lists import PAGE, fill, pages
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.testing import Database

# `python -m benchmarks.chapters.portal_lists` stores 100,000.
STORED = 10_000


def test_a_page_of_fifty_costs_no_more_of_ten_thousand_than_of_a_hundred(
    dynamodb: Database,
) -> None:
    caller = dynamodb.caller
    for name, stored in (("short", 2 * PAGE), ("long", STORED)):
        dynamodb.table(ContentRegistry, name)
        fill(caller, name, stored)
    costs = list(pages(caller, "long", STORED))
    assert costs == list(pages(caller, "short", 2 * PAGE))
    assert [cost.units for cost in costs] == [cost.floor for cost in costs]
    assert max(cost.units for cost in costs) == Decimal("2.5")
