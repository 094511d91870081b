"""From how many reads on an accelerator pays, reckoned by hand."""

from decimal import Decimal

import pytest

from tablewright.costs.accelerator_cost import AcceleratorSize, break_even
from tablewright.costs.price_lists import US_EAST_1

ALWAYS = Decimal(1)


def test_three_small_nodes_and_two_endpoints_are_102_dollars() -> None:
    # 730 hours of 3 nodes at 4 cents and of 2 endpoints at one.
    assert AcceleratorSize().monthly(US_EAST_1) == Decimal("102.20")


def test_they_pay_from_311_read_units_a_second_on() -> None:
    # 102.20 dollars are 817.6 million units at 12.5 cents, in 2,628,000 seconds.
    assert round(break_even(AcceleratorSize(), US_EAST_1, ALWAYS), 1) == Decimal("311.1")


def test_half_the_hits_need_twice_the_reads() -> None:
    size = AcceleratorSize("dax.r5.large")
    half = break_even(size, US_EAST_1, ALWAYS / 2)
    assert round(half, 6) == round(2 * break_even(size, US_EAST_1, ALWAYS), 6)


@pytest.mark.parametrize("rate", ["0", "1.01", "-1"])
def test_a_hit_rate_that_is_none_is_refused(rate: str) -> None:
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        break_even(AcceleratorSize(), US_EAST_1, Decimal(rate))
