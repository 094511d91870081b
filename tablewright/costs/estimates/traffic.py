"""Traffic of a table: how often each access pattern is used, and what is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tablewright.costs.prices import HOURS_PER_MONTH

HOURS_PER_DAY = 24
SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600
# How long each is in seconds. A month is as long as provisioned capacity is paid for.
RATES: Mapping[str, int] = {
    "per_second": 1,
    "per_day": HOURS_PER_DAY * 3600,
    "per_month": SECONDS_PER_MONTH,
}


class InvalidTraffic(ValueError):
    """Traffic that does not fit its design, or is none."""


@dataclass(frozen=True, kw_only=True)
class PatternUse:
    """How often a pattern is used in a month, and on what.

    In the busiest hours it is used `peak` times as often as on average. `items` are those of one
    use: of a page, or of a batch. `moves` are indexes in which an update gives an item another
    place. `measured` is the case of the measurements that it costs as much as.
    """

    times: Decimal
    peak: Decimal | None = None
    items: int | None = None
    size: int | None = None
    shards: int = 1
    transaction: bool = False
    moves: tuple[str, ...] = ()
    measured: str | None = None


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Items of an entity that are kept, and their size in bytes: by default that of its example."""

    number: int = 0
    size: int | None = None


@dataclass(frozen=True, kw_only=True)
class FunctionUse:
    """A function that is called so many times a month, for so long, with so much memory."""

    times: Decimal
    ms: Decimal
    mb: int = 512
    arm: bool = True


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """A month of a table. `utilization` is the target of its auto-scaling, in percent.

    `peak_hours` of each day are the busy ones. `stream_readers` are others than Lambda and global
    tables, which read for nothing; each asks every shard four times a second. `copies` are whole
    backups that are kept.
    """

    patterns: Mapping[str, PatternUse]
    items: Mapping[str, Kept] = field(default_factory=dict)
    functions: Mapping[str, FunctionUse] = field(default_factory=dict)
    region: str | None = None
    measured: str | None = None
    utilization: int = 70
    peak: Decimal = Decimal(2)
    peak_hours: int = 4
    replicas: tuple[str, ...] = ()
    point_in_time_recovery: bool = True
    copies: int = 0
    stream_readers: int = 0
    stream_shards: int = 1
    alarms: int = 0

    def __post_init__(self) -> None:
        if not 20 <= self.utilization <= 90:
            raise InvalidTraffic("utilization is from 20 to 90 percent, as auto-scaling takes it")
        if not 1 <= self.peak_hours < HOURS_PER_DAY:
            raise InvalidTraffic("peak_hours are from 1 to 23 of a day")
        for name, use in self.patterns.items():
            peak = self.peak_of(use)
            if not 1 <= peak <= Decimal(HOURS_PER_DAY) / self.peak_hours:
                raise InvalidTraffic(
                    f"patterns.{name}: peak is from 1 to {HOURS_PER_DAY / self.peak_hours:g}: in "
                    f"{self.peak_hours} busy hours a pattern is used no more than in the whole day"
                )

    def peak_of(self, use: PatternUse) -> Decimal:
        """How many times as often a pattern is used in the busy hours."""
        return self.peak if use.peak is None else use.peak

    def day(self, use: PatternUse) -> list[Decimal]:
        """How much of the average each hour of a day has: first the quiet ones, then the busy."""
        peak = self.peak_of(use)
        quiet = HOURS_PER_DAY - self.peak_hours
        rest = (HOURS_PER_DAY - peak * self.peak_hours) / quiet
        return [rest] * quiet + [peak] * self.peak_hours
