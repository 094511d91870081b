"""Autoscaling, simulated hour by hour: the bounds that serve a load, and what they cost.

Target tracking follows consumption within minutes: up at once, down about once an hour. DynamoDB
charges an hour for the highest capacity in it. So an hour is paid for at what it began with, or at
what its busiest five minutes called for, whichever is more. Capacity that is not used is kept for
300 seconds, and must do until more is there, which takes about 240.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from tablewright.recommendations.usage import Units

SECONDS_PER_HOUR = 3600
# Above 70 percent, what five minutes do not show would be turned away.
TARGETS = (40, 50, 60, 70)
_BURST_SECONDS, _SCALING_SECONDS = 300, 240
_KEPT = Decimal(_BURST_SECONDS) / _SCALING_SECONDS
# The highest capacity is not paid for until it is used.
_HEADROOM = 2


class Bounds(NamedTuple):
    """Capacity that follows the load from `min` to `max`, at a target in percent."""

    min: int
    max: int
    target: int

    def __str__(self) -> str:
        return f"{self.min}-{self.max}@{self.target}"


class Load(NamedTuple):
    """Units a second of each hour: on average, and in the busiest five minutes."""

    mean: tuple[Decimal, ...]
    peak: tuple[Decimal, ...]

    @classmethod
    def of(cls, units: Units) -> "Load":
        mean = tuple(one / SECONDS_PER_HOUR for one in units.consumed)
        # Points that come late can make the mean of an hour more than its peak.
        return cls(mean, tuple(map(max, units.peak, mean)))


class Scaled(NamedTuple):
    """Bounds, if there are any, and the capacity that is paid for in each hour, of all parts."""

    bounds: Bounds | None
    hours: tuple[int, ...]


def cheapest(loads: Sequence[Load]) -> Scaled:
    """The bounds that serve every part of a table, a table and its indexes, for the least."""
    return min((scaled(loads, target) for target in TARGETS), key=lambda one: sum(one.hours))


def scaled(loads: Sequence[Load], target: int) -> Scaled:
    """The bounds that serve every part at a target, and what is paid for in each hour."""
    lowest = max((_lowest(load, target) for load in loads), default=1)
    parts = [capacity(load, lowest, target) for load in loads]
    highest = max((max(part, default=1) for part in parts), default=1)
    return Scaled(
        Bounds(lowest, highest * _HEADROOM, target),
        tuple(map(sum, zip(*parts, strict=True))),
    )


def capacity(load: Load, lowest: int, target: int) -> list[int]:
    """What is paid for in each hour."""
    settled = [max(lowest, _needed(mean, target)) for mean in load.mean]
    began = [lowest, *settled][: len(settled)]
    called_for = (_needed(peak, target) for peak in load.peak)
    return list(map(max, began, settled, called_for))


def _lowest(load: Load, target: int) -> int:
    """The least capacity from which every rise is served until more is there."""
    lowest = 1
    quiet = map(min, load.mean, load.mean[1:])
    for before, peak in zip(quiet, load.peak[1:], strict=True):
        # What is there and what was kept: c + (c - before) * kept >= peak.
        enough = _ceiling((peak + before * _KEPT) / (1 + _KEPT))
        if _needed(before, target) < enough:
            lowest = max(lowest, enough)
    return lowest


def _needed(units: Decimal, target: int) -> int:
    return _ceiling(units * 100 / target)


def _ceiling(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))
