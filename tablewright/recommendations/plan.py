"""Plan: the options of all tables and the reserved capacity that cost the least together.

Reserved capacity is shared by all tables of a region, so that what is best for one depends on the
others. Each table's option is tried in turn until none is better, from several beginnings.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.prices import HOURS_PER_MONTH, UNITS_RESERVED_TOGETHER, Prices
from tablewright.recommendations.options import Option

Options = Mapping[str, Sequence[Option]]
Choice = dict[str, Option]


class Reservation(NamedTuple):
    """Hundreds of units that are reserved for a term, and what that saves a month."""

    years: int = 0
    reads: int = 0
    writes: int = 0
    saving: Decimal = Decimal()


class Plan(NamedTuple):
    """An option for each table, by name, and what is reserved."""

    choice: Choice
    reservation: Reservation

    @property
    def dollars(self) -> Decimal:
        """What it costs a month."""
        return _dollars(self.choice) - self.reservation.saving


def planned(choice: Choice, prices: Prices, years: int) -> Plan:
    """A choice with the reservation of so many years at most that suits it best."""
    return Plan(choice, _reservation(list(choice.values()), prices, years))


def best_plan(options: Options, prices: Prices, years: int) -> Plan:
    """The cheapest plan with reservations of so many years at most; the first option is as now."""
    now = {name: some[0] for name, some in options.items()}
    alone = {name: min(some, key=_cost) for name, some in options.items()}
    starts = [now, alone]
    if years:
        # Where a reservation pays for several tables only.
        starts.append({name: min(some, key=_reservable) for name, some in options.items()})
    return min(
        (_improved(planned(start, prices, years), options, prices, years) for start in starts),
        key=lambda plan: plan.dollars,
    )


def _improved(plan: Plan, options: Options, prices: Prices, years: int) -> Plan:
    while True:
        before = plan.dollars
        for name, some in options.items():
            others = ({**plan.choice, name: option} for option in some)
            tried = (planned(other, prices, years) for other in others)
            # The plan itself comes first: of equals, it stays.
            plan = min((plan, *tried), key=lambda one: one.dollars)
        if plan.dollars == before:
            return plan


def _reservation(chosen: Sequence[Option], prices: Prices, years: int) -> Reservation:
    terms = {1: prices.dynamodb.reserved_1_year, 3: prices.dynamodb.reserved_3_years}
    standard = prices.dynamodb.standard
    best = Reservation()
    reads, writes = (
        _sum([option.read_hours for option in chosen]),
        _sum([option.write_hours for option in chosen]),
    )
    for term, price in terms.items():
        if price is None or term > years or not (reads or writes):
            continue
        many_reads, read_saving = _blocks(
            reads, standard.read_unit_hour, _monthly(price.read_upfront, price.read_hour, term)
        )
        many_writes, write_saving = _blocks(
            writes, standard.write_unit_hour, _monthly(price.write_upfront, price.write_hour, term)
        )
        found = Reservation(term, many_reads, many_writes, read_saving + write_saving)
        best = max(best, found, key=lambda one: one.saving)
    return best


def _blocks(hours: Sequence[int], unit_hour: Decimal, block: Decimal) -> tuple[int, Decimal]:
    """How many hundreds of units are worth their price a month, and what they save."""
    if not hours:
        return 0, Decimal()
    month = unit_hour * HOURS_PER_MONTH / len(hours)

    def saving(many: int) -> Decimal:
        used = sum(min(one, many * UNITS_RESERVED_TOGETHER) for one in hours)
        return used * month - many * block

    most = -(-max(hours) // UNITS_RESERVED_TOGETHER)
    # Each further hundred saves less than the one before.
    many = bisect_left(range(most), Decimal(), key=lambda one: saving(one) - saving(one + 1))
    return many, saving(many)


def _monthly(upfront: Decimal, hour: Decimal, years: int) -> Decimal:
    return upfront / (12 * years) + hour * HOURS_PER_MONTH


def _sum(series: Sequence[tuple[int, ...]]) -> list[int]:
    """Hours added up from the last one; a table that is younger needed nothing before."""
    longest = max(map(len, series), default=0)
    padded = ((0,) * (longest - len(one)) + one for one in series)
    return list(map(sum, zip(*padded, strict=True)))


def _dollars(choice: Choice) -> Decimal:
    return sum(map(_cost, choice.values()), Decimal())


def _cost(option: Option) -> Decimal:
    return option.dollars


def _reservable(option: Option) -> tuple[bool, Decimal]:
    return not option.reservable, option.dollars
