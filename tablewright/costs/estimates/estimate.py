"""Estimate: dollars a month of a table by part, on demand, provisioned and reserved."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.estimates.pattern_units import TABLE, PatternUnits
from tablewright.costs.estimates.traffic import HOURS_PER_DAY, SECONDS_PER_MONTH, Traffic
from tablewright.costs.measuring import Measurement
from tablewright.costs.monthly_cost import STORAGE_OVERHEAD_BYTES
from tablewright.costs.price_lists import price_list
from tablewright.costs.prices import HOURS_PER_MONTH, Prices
from tablewright.model import Design
from tablewright.recommendations.autoscaling import SECONDS_PER_HOUR, Load, scaled
from tablewright.recommendations.options import GB, MILLION, Option
from tablewright.recommendations.plan import planned
from tablewright.recommendations.usage import STANDARD

CENT = Decimal("0.01")
# How often the library of Kinesis asks a shard of a stream.
_POLLS_PER_SECOND = 4
_READS, _WRITES = "reads", "writes"


class Line(NamedTuple):
    """What one thing of a part costs a month, in cents' precision."""

    part: str
    what: str
    on_demand: Decimal
    provisioned: Decimal


class Estimate(NamedTuple):
    """A table's month. `reserved` is what reserved capacity saves of it, by years.

    `used` is the share of provisioned capacity that the traffic uses, `break_even` the one above
    which it costs less than on demand; of reads and of writes, None where there are none.
    """

    lines: Sequence[Line]
    reserved: Mapping[int, Decimal]
    used: Mapping[str, Decimal | None]
    break_even: Mapping[str, Decimal]

    @property
    def on_demand(self) -> Decimal:
        """All of it, by request."""
        return sum((line.on_demand for line in self.lines), Decimal())

    @property
    def provisioned(self) -> Decimal:
        """All of it, by capacity that follows the load."""
        return sum((line.provisioned for line in self.lines), Decimal())

    @property
    def cheapest(self) -> tuple[str, Decimal]:
        """The mode that costs the least without a commitment, and what it costs."""
        modes = {"on demand": self.on_demand, "provisioned": self.provisioned}
        return min(modes.items(), key=lambda mode: mode[1])


class _Month:
    """Units of each part and kind in a month, and by the hours of its days."""

    def __init__(self, design: Design, traffic: Traffic, units: PatternUnits) -> None:
        self.units: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
        days: dict[tuple[str, str], list[Decimal]] = {}
        for name, use in traffic.patterns.items():
            one = units.of(design.patterns[name], use)
            for kind, parts in ((_READS, one.read), (_WRITES, one.write)):
                for part, each in parts.items():
                    self.units[part, kind] += use.times * each
                    second = use.times * each / SECONDS_PER_MONTH
                    day = days.setdefault((part, kind), [Decimal()] * HOURS_PER_DAY)
                    for hour, share in enumerate(traffic.day(use)):
                        day[hour] += second * share
        self._loads = {key: Load(tuple(day), tuple(day)) for key, day in days.items()}
        self._paid = {
            key: scaled([load], traffic.utilization).hours for key, load in self._loads.items()
        }
        # A local index has no capacity but the table's.
        self._local = {index.name for index in design.index_list if index.local}

    def capacity(self, part: str, kind: str) -> Decimal:
        """Unit-hours that are paid for in a month."""
        least = 0 if part in self._local else 1
        hours = self._paid.get((part, kind), (least,) * HOURS_PER_DAY)
        return sum(hours) * Decimal(HOURS_PER_MONTH) / HOURS_PER_DAY

    def hours(self, kind: str) -> tuple[int, ...]:
        """Units that are paid for in each hour of a day, of all parts."""
        series = [hours for (_, own), hours in self._paid.items() if own == kind]
        return tuple(map(sum, zip(*series, strict=True)))

    def used(self, kind: str) -> Decimal | None:
        """The share of the units that are paid for that is used."""
        paid = sum(self.hours(kind))
        loads = (load for (_, own), load in self._loads.items() if own == kind)
        mean = sum((sum(load.mean, Decimal()) for load in loads), Decimal())
        return mean / paid if paid else None


def estimate(
    design: Design, traffic: Traffic, prices: Prices, measured: list[Measurement] | None = None
) -> Estimate:
    """What a month of this traffic costs; raises InvalidTraffic where a size is not known."""
    units = PatternUnits(design, traffic.items, measured or [])
    month = _Month(design, traffic, units)
    lines = [
        line._replace(
            on_demand=line.on_demand.quantize(CENT), provisioned=line.provisioned.quantize(CENT)
        )
        for line in _lines(design, traffic, prices, units, month)
    ]
    standard = prices.dynamodb.standard
    return Estimate(
        lines,
        _reserved(traffic, prices, month),
        {kind: month.used(kind) for kind in (_READS, _WRITES)},
        {
            _READS: break_even(standard.read_unit_hour, standard.read_million),
            _WRITES: break_even(standard.write_unit_hour, standard.write_million),
        },
    )


def break_even(unit_hour: Decimal, million: Decimal) -> Decimal:
    """The share of a provisioned unit from which it costs less than what is used on demand."""
    return unit_hour / (million / MILLION * SECONDS_PER_HOUR)


def _lines(
    design: Design, traffic: Traffic, prices: Prices, units: PatternUnits, month: _Month
) -> Iterator[Line]:
    standard = prices.dynamodb.standard
    # Every write to a table with replicas is a replicated one, at home as well.
    write = standard.replicated_write_million if traffic.replicas else standard.write_million
    write_hour = (
        standard.replicated_write_unit_hour if traffic.replicas else standard.write_unit_hour
    )
    parts = [TABLE, *design.indexes]
    stored = {part: _stored(traffic, units, part) for part in parts}
    for part in parts:
        name = part if part == TABLE else f"index {part}"
        for kind, million, hour in (
            (_READS, standard.read_million, standard.read_unit_hour),
            (_WRITES, write, write_hour),
        ):
            on_demand = month.units[part, kind] / MILLION * million
            yield Line(name, kind, on_demand, month.capacity(part, kind) * hour)
        yield _same(name, "storage", stored[part] * standard.gb_month)
    for region in traffic.replicas:
        yield from _replica(region, parts, stored, month)
    dynamodb = prices.dynamodb
    reads = traffic.stream_readers * traffic.stream_shards * _POLLS_PER_SECOND * SECONDS_PER_MONTH
    yield _same("stream", _READS, Decimal(reads) / MILLION * dynamodb.stream_read_million)
    recovered = stored[TABLE] * dynamodb.pitr_gb_month if traffic.point_in_time_recovery else 0
    yield _same("backups", "point in time", Decimal(recovered))
    yield _same("backups", "copies", traffic.copies * stored[TABLE] * dynamodb.backup_gb_month)
    yield _same("alarms", "metrics", traffic.alarms * prices.monitoring.alarm_metric_month)
    yield from _functions(traffic, prices)


def _replica(
    region: str, parts: Sequence[str], stored: Mapping[str, Decimal], month: _Month
) -> Iterator[Line]:
    """A replica takes every write and keeps every item; what is read there is not known."""
    dynamodb = price_list(region).dynamodb
    standard, name = dynamodb.standard, f"replica {region}"
    writes = sum((month.units[part, _WRITES] for part in parts), Decimal())
    capacity = sum((month.capacity(part, _WRITES) for part in parts), Decimal())
    yield Line(
        name,
        _WRITES,
        writes / MILLION * standard.replicated_write_million,
        capacity * standard.replicated_write_unit_hour,
    )
    yield _same(name, "storage", sum(stored.values(), Decimal()) * standard.gb_month)


def _functions(traffic: Traffic, prices: Prices) -> Iterator[Line]:
    price = prices.functions
    for name, use in traffic.functions.items():
        second = price.arm_gb_second if use.arm else price.x86_gb_second
        gb_seconds = use.times * use.ms / 1000 * use.mb / 1024
        dollars = use.times / MILLION * price.request_million + gb_seconds * second
        yield _same("functions", name, dollars)


def _stored(traffic: Traffic, units: PatternUnits, part: str) -> Decimal:
    """Gigabytes that are billed: each item with its overhead."""
    sizes = ((units.size(name), kept.number) for name, kept in traffic.items.items())
    held = sum(number for size, number in sizes if part == TABLE or part in size.entries)
    return Decimal(units.stored(part) + held * STORAGE_OVERHEAD_BYTES) / GB


def _reserved(traffic: Traffic, prices: Prices, month: _Month) -> dict[int, Decimal]:
    option = Option(
        STANDARD,
        True,
        None,
        None,
        Decimal(),
        read_hours=month.hours(_READS),
        # Replicated writes cannot be reserved.
        write_hours=() if traffic.replicas else month.hours(_WRITES),
    )
    terms = [1, *([3] if prices.dynamodb.reserved_3_years else [])]
    plans = {years: planned({TABLE: option}, prices, years) for years in terms}
    return {years: plan.reservation.saving.quantize(CENT) for years, plan in plans.items()}


def _same(part: str, what: str, dollars: Decimal) -> Line:
    return Line(part, what, dollars, dollars)
