"""Decision on a tenant's shards: how many it is to have, and why.

Growing is decided at once, shrinking late: a shard too few is throttled, one too many costs half a
read unit a page. A count shrinks only when a load a quarter above the present would still fit into
fewer shards and the last change has stood for a month; never below what somebody set by hand.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import NamedTuple

from tablewright.catalog.forms.metrics import DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.volume import calculate_optimal_shards
from tablewright.model import Epochs
from tablewright.model.sharding.epochs import MOST_EPOCHS, MOST_SHARDS

VOLUME, RATE, MANUAL = "volume", "rate", "manual"
_HOUR = 3600


class TenantLoad(NamedTuple):
    """What a tenant sends: submissions of the last thirty days, and of the busiest hour."""

    volume: int = 0
    peak: int = 0
    peak_hour: str = ""

    @classmethod
    def of(cls, days: Iterable[DailyMetrics], hours: Iterable[HourlyMetrics]) -> "TenantLoad":
        volume = sum(int(day.submission_count or 0) for day in days)
        peaks = [(int(one.submission_count or 0), one.datetime) for one in hours]
        return cls(volume, *max(peaks, default=(0, "")))


class Decision(NamedTuple):
    """How many shards a tenant has, how many it is to have, by which rule, and why."""

    shards: int
    wanted: int
    strategy: str
    reason: str

    @property
    def changes(self) -> bool:
        return self.wanted != self.shards


def decide(
    load: TenantLoad,
    epochs: Epochs,
    now: datetime,
    rules: ShardRules,
    *,
    strategy: str | None = None,
) -> Decision:
    """The decision for a tenant whose last epoch was decided by a strategy."""
    shards = epochs.last
    needed, by, reason = need(load, rules)
    if needed > shards:
        return Decision(shards, needed, by, reason)
    if needed == shards:
        return Decision(shards, shards, by, reason)
    fits, by, _ = need(load, rules, rules.margin)
    if fits >= shards:
        kept = f"too close to what needs {fits} to shrink"
    elif strategy == MANUAL:
        kept = f"{shards} were set by hand"
    elif len(epochs.epochs) >= MOST_EPOCHS - MOST_SHARDS:
        kept = "the epochs that are left are kept for growing"
    elif epochs.epochs and now < (rested := _rested(epochs, rules)):
        kept = f"the last change stands until {rested:%Y-%m-%d}"
    else:
        shrinks = f"{reason}; shrinks with room for {rules.margin} times as much"
        return Decision(shards, fits, by, shrinks)
    return Decision(shards, shards, by, f"{reason}; {kept}")


def need(load: TenantLoad, rules: ShardRules, times: Decimal = Decimal(1)) -> tuple[int, str, str]:
    """The shards for so many times a load, the rule that asks for them, and why."""
    by_volume = calculate_optimal_shards(int(load.volume * times), rules.thresholds)
    units = load.peak * times * rules.units_per_submission / _HOUR
    by_rate = max(1, ceil(units / rules.units_per_shard))
    reason = (
        f"{load.volume:,} submissions in 30 days ask for {by_volume}, "
        f"{load.peak:,} in the busiest hour for {by_rate}"
    )
    wanted = max(by_volume, by_rate)
    if wanted > rules.most:
        reason += f", of which there can be {rules.most}"
    return min(wanted, rules.most), RATE if by_rate > by_volume else VOLUME, reason


def _rested(epochs: Epochs, rules: ShardRules) -> datetime:
    begun = datetime.fromisoformat(epochs.epochs[-1].since)
    return begun + timedelta(days=int(rules.rest_days))
