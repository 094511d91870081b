"""Decision on a tenant's shards: how many it is to have, and why.

Growing is decided at once, shrinking late: a shard too few is throttled, one too many costs half a
read unit a page. A count shrinks only when a load a quarter above the present would still fit into
fewer shards and the last change has stood for a month; never below what somebody set by hand.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

from tablewright.catalog.forms.metrics import DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.volume import THRESHOLDS, shards_for
from tablewright.model import Epochs, InvalidValue
from tablewright.model.sharding.epochs import MOST_EPOCHS, MOST_SHARDS

VOLUME, RATE, MANUAL = "volume", "rate", "manual"
_HOUR = 3600


class ShardRules(NamedTuple):
    """By what a number of shards is decided.

    `units_per_submission` are the write units that a submission costs the busiest of its
    partitions: that of GSI1, which has its deliveries too; eight with two destinations. A payload
    of more than four kilobytes in the item makes it the table's. `units_per_shard` is what one
    partition is given of the thousand a second that it takes: the peak of an hour is an average.
    """

    thresholds: Sequence[tuple[int, int]] = THRESHOLDS
    units_per_submission: Decimal = Decimal(8)
    units_per_shard: int = 500
    most: int = MOST_SHARDS
    margin: Decimal = Decimal("1.25")
    rest_days: int = 30

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "ShardRules":
        """Rules from settings; what is not among them is as published."""
        unknown = sorted(settings.keys() - set(cls._fields))
        if unknown:
            raise InvalidValue(unknown[0], f"is no rule: there are {', '.join(cls._fields)}")
        given = dict(settings)
        if "thresholds" in given:
            given["thresholds"] = _thresholds(given["thresholds"])
        for name, low, high in (
            ("units_per_submission", 0, 100_000),
            ("units_per_shard", 1, 1000),
            ("most", 1, MOST_SHARDS),
            ("margin", 1, 100),
            ("rest_days", 0, 3660),
        ):
            if name in given:
                given[name] = _number(name, given[name], low, high)
        return cls(**given)


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
    by_volume = shards_for(int(load.volume * times), rules.thresholds)
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


def _thresholds(given: Any) -> tuple[tuple[int, int], ...]:
    pairs = given if isinstance(given, (list, tuple)) else ()
    whole = [
        (one[0], one[1])
        for one in pairs
        if isinstance(one, (list, tuple)) and len(one) == 2 and all(type(n) is int for n in one)
    ]
    found = sorted(whole, reverse=True)
    rising = all(a[0] > b[0] and a[1] > b[1] for a, b in pairwise(found))
    if len(found) != len(pairs) or not found or not rising or found[-1][1] < 1:
        reason = "must be pairs of submissions a month and the shards above them, both rising"
        raise InvalidValue("thresholds", reason)
    if found[0][1] > MOST_SHARDS:
        raise InvalidValue("thresholds", f"cannot ask for more than {MOST_SHARDS} shards")
    return tuple(found)


def _number(name: str, value: Any, low: int, high: int) -> Any:
    kinds = (int, Decimal) if name in ("units_per_submission", "margin") else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise InvalidValue(name, f"must be a number from {low} to {high}")
    return Decimal(value) if Decimal in kinds else value
