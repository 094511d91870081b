"""Open tab: what one dashboard that somebody looks at costs a month.

``python -m docs.open_tab`` prints it. A page in the background asks for nothing.
"""

import sys
from decimal import Decimal
from typing import NamedTuple

from lambdas.sentiment.handlers.news_api import RETRY_MS
from tablewright.costs.monthly_cost import DAYS_PER_MONTH
from tablewright.costs.price_lists import US_EAST_1

# How often the page asks for its lists.
REFRESH_SECONDS = 5
# What an answer from a warm function takes, generously.
SECONDS_AN_ANSWER = Decimal("0.05")
SECONDS_A_MONTH = DAYS_PER_MONTH * 86_400


class Asked(NamedTuple):
    """What a page asks for: how often, of how large a function, at how many read units."""

    path: str
    every_seconds: Decimal
    memory_gb: Decimal
    read_units: Decimal

    @property
    def times(self) -> Decimal:
        return SECONDS_A_MONTH / self.every_seconds

    @property
    def dollars(self) -> Decimal:
        """In a month of being looked at day and night."""
        functions = US_EAST_1.functions
        each = (US_EAST_1.api_million + functions.request_million) / 10**6
        each += SECONDS_AN_ANSWER * self.memory_gb * functions.arm_gb_second
        each += self.read_units * US_EAST_1.dynamodb.standard.read_million / 10**6
        return self.times * each


PAGE = (
    Asked("/items", Decimal(REFRESH_SECONDS), Decimal(1), Decimal("1.5")),
    Asked("/summary", Decimal(REFRESH_SECONDS), Decimal(1), Decimal(2)),
    Asked("/news/events", Decimal(RETRY_MS) / 1000, Decimal("0.5"), Decimal("1.5")),
)


def lines() -> list[str]:
    """A table in Markdown."""
    found = ["| asked | every | a month, day and night |", "|---|---|---|"]
    found += [f"| `GET {one.path}` | {one.every_seconds} s | ${one.dollars:.2f} |" for one in PAGE]
    return [*found, f"| all | | ${sum(one.dollars for one in PAGE):.2f} |"]


if __name__ == "__main__":
    sys.stdout.write("\n".join([*lines(), ""]))
