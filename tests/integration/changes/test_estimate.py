"""Estimate: what a backfill costs, said beforehand, is what it costs."""

from decimal import Decimal

import pytest

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.estimate import BackfillEstimate, estimate
from tablewright.costs.price_lists import price_list
from tablewright.model import Table
from tablewright.testing import Database
from tests.integration.changes.designs import (
    NAME,
    Before,
    Expiring,
    Indexed,
    fill,
    records,
)


def is_within_a_tenth(database: Database, new: type[Table], expected: BackfillEstimate) -> bool:
    """Whether a backfill consumes what was expected, by table and index."""
    work = Backfill(new, Before, NAME, database.caller, segments=2)
    work.run()
    written = {name: float(units) for name, units in work.units.written.items()}
    assert expected.read_units == pytest.approx(float(work.units.read_units), rel=0.1)
    assert expected.written == pytest.approx(written, rel=0.1)
    return True


@pytest.mark.parametrize("new", [Indexed, Expiring])
def test_an_estimate_is_what_is_measured(dynamodb: Database, new: type[Table]) -> None:
    fill(dynamodb, new, Before, records(300))
    expected = estimate(new, Before, NAME, dynamodb.caller, segments=2)
    assert expected.items == expected.sampled == 300
    assert is_within_a_tenth(dynamodb, new, expected)


def test_a_part_of_the_items_speaks_for_all(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, records(400))
    expected = estimate(Indexed, Before, NAME, dynamodb.caller, sample=200, segments=2)
    assert expected.items == 400
    assert 100 < expected.sampled < 300
    assert is_within_a_tenth(dynamodb, Indexed, expected)


@pytest.mark.thorough
def test_five_thousand_items_cost_what_a_sample_says(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, records(5000))
    expected = estimate(Indexed, Before, NAME, dynamodb.caller, sample=1000, segments=2)
    assert expected.sampled <= 1100 < expected.items == 5000
    assert is_within_a_tenth(dynamodb, Indexed, expected)


def test_an_estimate_reads_a_bounded_part_and_writes_nothing(dynamodb: Database) -> None:
    fill(dynamodb, Expiring, Before, records(200))
    before = dynamodb.items(NAME)
    expected = estimate(Expiring, Before, NAME, dynamodb.caller, sample=64, items=1_000_000)
    assert expected.sampled <= 64
    assert sum(expected.outcomes.values()) == pytest.approx(1_000_000, abs=2)
    assert dynamodb.items(NAME) == before


def test_an_empty_table_costs_nothing(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [])
    expected = estimate(Indexed, Before, NAME, dynamodb.caller)
    assert (expected.items, expected.read_units, expected.write_units) == (0, 0, 0)


def test_units_are_put_in_dollars_and_time() -> None:
    expected = BackfillEstimate(
        1_000_000, 2000, {"completed": 1_000_000}, 500_000, {"table": 2_000_000, "by_owner": 10**6}
    )
    prices = price_list("us-east-1")
    standard = prices.dynamodb.standard
    assert expected.dollars(prices) == 3 * standard.write_million + standard.read_million / 2
    infrequent = expected._replace(table_class="STANDARD_INFREQUENT_ACCESS")
    assert infrequent.dollars(prices) > expected.dollars(prices)
    assert expected.seconds(1000) == 3000
    told = expected.lines(prices, 1000)
    assert told[0] == "1,000,000 items, by a sample of 2,000 of them:"
    assert "     2,000,000 write units of table" in told
    assert f"{expected.dollars(prices):.2f} dollars on demand in us-east-1" in told[-2]
    assert told[-1] == "50 minutes at 1000 units a second"
    assert expected.dollars(prices) > Decimal(1)
