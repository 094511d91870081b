"""What counts as a ticker."""

import pytest

from lambdas.sentiment.sources import InvalidQuery
from lambdas.sentiment.sources.tickers import asked_for, tickers


def test_tickers_are_in_upper_case_and_once_each_in_their_order() -> None:
    assert tickers(["msft", " AAPL ", "MSFT", "brk.b", "bf-b", "0700"]) == (
        "MSFT",
        "AAPL",
        "BRK.B",
        "BF-B",
        "0700",
    )


@pytest.mark.parametrize("name", ["", " ", "n/a", "A B", "ABCDEFGHIJKLM", "AAPL\nX", "ß", "é"])
def test_what_is_no_ticker_is_dropped(name: str) -> None:
    assert tickers([name, "AAPL"]) == ("AAPL",)


def test_a_query_names_tickers() -> None:
    assert asked_for("aapl, MSFT,AAPL") == ("AAPL", "MSFT")


@pytest.mark.parametrize("query", ["", ",", "AAPL,", "AAPL MSFT", '"AI" OR "climate"', "AAPL&x=1"])
def test_a_query_of_anything_else_is_refused(query: str) -> None:
    with pytest.raises(InvalidQuery, match="tickers separated by commas, like AAPL,MSFT"):
        asked_for(query)
