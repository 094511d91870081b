"""Report on recommendations: lines for a terminal, JSON for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tablewright.costs.prices import Prices
from tablewright.recommendations.recommendation import Recommendation, total
from tablewright.recommendations.usage import StageUsage

_HEAD = ("dollars", "what", "where", "confidence", "safe")


def report(usage: StageUsage, prices: Prices, found: Sequence[Recommendation]) -> dict[str, Any]:
    """Everything, as JSON has it: dollars are texts."""
    return {
        "stage": usage.stage,
        "region": usage.region,
        "ended": usage.ended,
        "days": usage.days,
        "prices": {"region": prices.region, "dated": prices.dated},
        "saving": str(total(found)),
        "recommendations": [{**asdict(one), "saving": str(one.saving)} for one in found],
    }


def report_lines(
    usage: StageUsage, prices: Prices, found: Sequence[Recommendation]
) -> Iterator[str]:
    """A table of what to change, and of each what it means."""
    yield (
        f"{usage.stage} in {usage.region}: {usage.days} days until {usage.ended}, "
        f"prices of {prices.region} of {prices.dated}"
    )
    if not found:
        yield "Nothing to recommend."
        return
    rows = [
        (f"{one.saving:.2f}", one.kind.value, one.resource, one.confidence.value, _yes(one.safe))
        for one in found
    ]
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    yield _row(_HEAD, widths)
    for one, row in zip(found, rows, strict=True):
        yield _row(row, widths)
        yield from (f"  {text}" for text in _details(one))
    yield f"{total(found):.2f} dollars a month in all"


def _details(one: Recommendation) -> Iterator[str]:
    yield one.reason
    yield f"Do: {'; '.join(change.words for change in one.changes)}"
    yield f"Risk: {one.risk} Basis: {one.basis}."


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    texts = [first[0].rjust(first[1]), *(cell.ljust(width) for cell, width in others)]
    return "  ".join(texts).rstrip()


def _yes(safe: bool) -> str:
    return "yes" if safe else "no"
