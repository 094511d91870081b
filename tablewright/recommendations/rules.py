"""Rules of recommendations: what is worth saying, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tablewright.recommendations.recommendation import Confidence
from tablewright.recommendations.usage import HOURS_PER_DAY

_WEEK = 7
TERMS = (0, 1, 3)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is asked of recommendations.

    Nothing is advised that saves less than `minimum_saving` dollars a month, nor of a table that is
    known for less than `least_days`. Capacity is reserved for `commitment_years` at most: 0, 1 or
    3. Logs are kept for `log_days`. An accelerator that is not there yet is taken to answer
    `hit_rate` of all reads.
    """

    minimum_saving: Decimal = Decimal(1)
    least_days: int = 7
    commitment_years: int = 1
    log_days: int = 365
    hit_rate: Decimal = Decimal("0.8")

    def __post_init__(self) -> None:
        if self.minimum_saving <= 0:
            raise ValueError("minimum_saving must be more than nothing")
        if self.commitment_years not in TERMS:
            raise ValueError(f"commitment_years must be one of {TERMS}")
        if not 0 <= self.hit_rate <= 1:
            raise ValueError("hit_rate must be from 0 to 1")


def confidence(hours: Sequence[Decimal]) -> tuple[Confidence, str]:
    """How sure it is that the next month is like these hours of units, and what that rests on.

    High: four weeks, none of which differs from their mean by more than a quarter. Medium: two
    weeks. Low: less.
    """
    days = len(hours) // HOURS_PER_DAY
    weeks = _weeks(hours)
    mean = sum(weeks, Decimal()) / len(weeks) if weeks else Decimal()
    apart = max((abs(week - mean) for week in weeks), default=Decimal())
    percent = int(100 * apart / mean) if mean else 0
    basis = f"{days} days of data, weeks within {percent} % of their mean"
    if len(weeks) >= 4 and 4 * apart <= mean:
        return Confidence.HIGH, basis
    return (Confidence.MEDIUM if days >= 2 * _WEEK else Confidence.LOW), basis


def _weeks(hours: Sequence[Decimal]) -> list[Decimal]:
    """Units of each whole week, counted from the end."""
    length = _WEEK * HOURS_PER_DAY
    ends = range(len(hours), length - 1, -length)
    return [sum(hours[end - length : end], Decimal()) for end in ends]
