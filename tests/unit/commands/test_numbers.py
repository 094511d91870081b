"""Numbers that commands are told: within bounds, or a sentence that says them."""

import argparse

import pytest

from tablewright.commands.numbers import per_second, whole


def test_what_is_within_bounds_is_taken() -> None:
    assert [whole(1, 100)(text) for text in ("1", "007", "100")] == [1, 7, 100]
    assert [per_second(text) for text in ("0.5", "40000")] == [0.5, 40_000]


@pytest.mark.parametrize("text", ["0", "101", "-1", "1.5", "1_0", "٣", "", "many"])
def test_what_is_no_number_of_these_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not a number from 1 to 100"):
        whole(1, 100)(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "", "fast"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not a number above 0"):
        per_second(text)
