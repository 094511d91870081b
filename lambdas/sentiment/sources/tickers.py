"""Tickers of listed companies: what a financial source is asked for, and what its entries name."""

import re
from collections.abc import Iterable

from lambdas.sentiment.sources.errors import InvalidQuery

# Matched before it is put into upper case, which makes plain letters of some that are not.
_TICKER = re.compile(r"[A-Za-z0-9.\-]{1,12}")


def tickers(names: Iterable[str]) -> tuple[str, ...]:
    """The tickers among some names, each once and in upper case, in the order given.

    Example::

        tickers(["aapl", " MSFT", "AAPL", "n/a"])   # ('AAPL', 'MSFT')
    """
    stripped = (name.strip() for name in names)
    return tuple(dict.fromkeys(name.upper() for name in stripped if _TICKER.fullmatch(name)))


def asked_for(query: str) -> tuple[str, ...]:
    """The tickers of a query such as "AAPL,MSFT".

    All of them have to be tickers: a source that is asked for none gives news on everything.
    """
    names = query.split(",")
    if not all(_TICKER.fullmatch(name.strip()) for name in names):
        raise InvalidQuery(
            "a query must be tickers separated by commas, like AAPL,MSFT: "
            "each of 1 to 12 letters, digits, '.' and '-'"
        )
    return tickers(names)
