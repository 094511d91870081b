"""Options of a table: on demand or provisioned, in one class or the other, with their costs."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.prices import HOURS_PER_MONTH, Prices, ThroughputPrices
from tablewright.recommendations.autoscaling import Bounds, Load, Scaled, cheapest
from tablewright.recommendations.usage import INFREQUENT_ACCESS, STANDARD, TableUsage

GB = 10**9
MILLION = 10**6


class Option(NamedTuple):
    """One way to run a table. `dollars` a month are without reserved capacity.

    Bounds are None on demand, and of a table whose capacity stays as it is. Hours are of units that
    could be reserved, and empty where none can.
    """

    table_class: str
    provisioned: bool
    reads: Bounds | None
    writes: Bounds | None
    dollars: Decimal
    read_hours: tuple[int, ...] = ()
    write_hours: tuple[int, ...] = ()

    @property
    def reservable(self) -> bool:
        """Whether capacity of it can be reserved."""
        return bool(self.read_hours or self.write_hours)


def current(table: TableUsage, prices: Prices) -> Option:
    """The table as it is run now."""
    if not table.provisioned:
        return _on_demand(table, table.table_class, prices)
    reads = zip(*(part.reads.provisioned for part in table.parts), strict=True)
    writes = zip(*(part.writes.provisioned for part in table.parts), strict=True)
    return _provisioned(
        table,
        table.table_class,
        prices,
        Scaled(None, tuple(map(sum, reads))),
        Scaled(None, tuple(map(sum, writes))),
    )


def options(table: TableUsage, prices: Prices) -> Iterator[Option]:
    """Every way to run the table, the one of now among them."""
    yield current(table, prices)
    reads = cheapest([Load.of(part.reads) for part in table.parts])
    writes = cheapest([Load.of(part.writes) for part in table.parts])
    for table_class in (STANDARD, INFREQUENT_ACCESS):
        yield _on_demand(table, table_class, prices)
        yield _provisioned(table, table_class, prices, reads, writes)


def throughput_prices(table_class: str, prices: Prices) -> ThroughputPrices:
    """What units and storage cost in a class."""
    return (
        prices.dynamodb.standard if table_class == STANDARD else prices.dynamodb.infrequent_access
    )


def months(table: TableUsage) -> Decimal:
    """By what the table's hours are multiplied to be a month."""
    return Decimal(HOURS_PER_MONTH) / table.hours if table.hours else Decimal()


def _on_demand(table: TableUsage, table_class: str, prices: Prices) -> Option:
    price = throughput_prices(table_class, prices)
    write = price.replicated_write_million if table.replicated else price.write_million
    reads = sum((part.reads.total for part in table.parts), Decimal())
    writes = sum((part.writes.total for part in table.parts), Decimal())
    units = (reads * price.read_million + writes * write) / MILLION * months(table)
    return Option(table_class, False, None, None, units + _storage(table, price))


def _provisioned(
    table: TableUsage,
    table_class: str,
    prices: Prices,
    reads: Scaled,
    writes: Scaled,
) -> Option:
    price = throughput_prices(table_class, prices)
    write = price.replicated_write_unit_hour if table.replicated else price.write_unit_hour
    units = (sum(reads.hours) * price.read_unit_hour + sum(writes.hours) * write) * months(table)
    standard = table_class == STANDARD
    return Option(
        table_class,
        True,
        reads.bounds,
        writes.bounds,
        units + _storage(table, price),
        read_hours=reads.hours if standard else (),
        # Replicated writes cannot be reserved.
        write_hours=writes.hours if standard and not table.replicated else (),
    )


def _storage(table: TableUsage, price: ThroughputPrices) -> Decimal:
    return Decimal(table.stored_in_all) / GB * price.gb_month
