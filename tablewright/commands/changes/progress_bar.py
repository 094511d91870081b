"""Progress bar of a pass over a table: items, units and dollars, counted over all runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Never

from tqdm import tqdm

from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.costs.price_lists import UnknownRegion, price_list
from tablewright.costs.prices import ThroughputPrices

_MILLION = 1_000_000


class ProgressBar:
    """A bar that goes on where the last run stopped, and estimates the time that is left."""

    def __init__(self, bar: tqdm[Never], progress: StateProgress, region: str | None) -> None:
        self._bar = bar
        self._progress = progress
        self._prices: ThroughputPrices | None = None
        with suppress(UnknownRegion):
            self._prices = price_list(region or "").dynamodb.standard

    def update(self, count: int) -> None:
        """Count items that were looked at."""
        if self._bar.total is not None:
            # DynamoDB counts items every six hours: there may be more.
            self._bar.total = max(self._bar.total, self._bar.n + count)
        self._bar.set_postfix_str(self.text, refresh=False)
        self._bar.update(count)

    @property
    def text(self) -> str:
        """The units of all runs, and their price on demand."""
        read, written = self._progress.units
        text = f"{read:,.0f} read units, {written:,.0f} write units"
        if self._prices is None:
            return text
        dollars = read * self._prices.read_million + written * self._prices.write_million
        return f"{text}, ${(dollars / _MILLION).quantize(Decimal('0.01'))}"


@contextmanager
def progress_bar(
    items: int, progress: StateProgress, region: str | None = None
) -> Iterator[ProgressBar]:
    """Show a bar for a table of so many items, as DynamoDB last counted them."""
    done = progress.counts.total()
    with tqdm(total=max(items, done) or None, initial=done, unit="item") as bar:
        yield ProgressBar(bar, progress, region)
