"""Monthly cost of a workload on demand, from units and bytes."""

from decimal import Decimal

from tablewright.costs.prices import Prices
from tablewright.model.capacity import write_floor
from tablewright.model.part import Record
from tablewright.model.sizes import item_bytes
from tablewright.model.table import Design

DAYS_PER_MONTH = Decimal(30)
DAYS_PER_YEAR = 365
# DynamoDB adds this to each item and each index entry when it bills storage.
STORAGE_OVERHEAD_BYTES = 100


class Usage:
    """What a table is used for in a month, in units and bytes, and in how many more regions.

    A replica takes every write and keeps every item; what is read is read in one region.
    `backed_up_bytes` is what is stored without indexes.
    """

    def __init__(
        self,
        *,
        write_units: Decimal,
        read_units: Decimal,
        stored_bytes: int,
        backed_up_bytes: int = 0,
        replicas: int = 0,
    ) -> None:
        self.write_units = write_units
        self.read_units = read_units
        self.stored_bytes = stored_bytes
        self.backed_up_bytes = backed_up_bytes
        self.replicas = replicas


def bill(usage: Usage, prices: Prices) -> dict[str, Decimal]:
    """Dollars a month for storage, writes and reads, and for what replicas add to that.

    Replicas are taken to cost what they would in this region.
    """
    table = prices.dynamodb.standard
    storage = Decimal(usage.stored_bytes) / 10**9 * table.gb_month
    millions = usage.write_units / 10**6
    costs = {
        "storage": storage,
        "writes": millions * table.write_million,
        "reads": usage.read_units / 10**6 * table.read_million,
    }
    if usage.replicas:
        costs["storage of replicas"] = usage.replicas * storage
        costs["writes to replicas"] = usage.replicas * millions * table.replicated_write_million
    rounded = {name: cost.quantize(Decimal("0.01")) for name, cost in costs.items()}
    return {**rounded, "total": sum(rounded.values(), Decimal())}


class Workload:
    """New items a day, read units a day, and how long an item is kept."""

    def __init__(self, *, items_per_day: int, read_units_per_day: Decimal, years: int) -> None:
        self.items_per_day = items_per_day
        self.read_units_per_day = read_units_per_day
        self.years = years

    @property
    def items_per_year(self) -> int:
        return self.items_per_day * DAYS_PER_YEAR

    @property
    def items_kept(self) -> int:
        return self.items_per_year * self.years


def table_bytes(design: Design, entity_name: str, record: Record) -> int:
    """What one item takes in the table alone."""
    attributes = design.attributes(design.entities[entity_name], record)
    return item_bytes(attributes) + STORAGE_OVERHEAD_BYTES


def stored_bytes(design: Design, entity_name: str, record: Record) -> int:
    """What one item takes in the table and in each index that it is in."""
    entity = design.entities[entity_name]
    attributes = design.attributes(entity, record)
    entries = [design.projected(entity, attributes, index) for index in design.index_list]
    kept = [attributes, *(entry for entry in entries if entry is not None)]
    return sum(item_bytes(item) + STORAGE_OVERHEAD_BYTES for item in kept)


def monthly(
    design: Design, entity_name: str, record: Record, workload: Workload, prices: Prices
) -> dict[str, Decimal]:
    """Dollars a month of a table with one kind of item, at its full size."""
    return bill(used_by(design, entity_name, record, workload), prices)


def used_by(design: Design, entity_name: str, record: Record, workload: Workload) -> Usage:
    """A month of a table with one kind of item, at its full size."""
    entity = design.entities[entity_name]
    return Usage(
        write_units=write_floor(design, entity, record) * workload.items_per_day * DAYS_PER_MONTH,
        read_units=workload.read_units_per_day * DAYS_PER_MONTH,
        stored_bytes=stored_bytes(design, entity_name, record) * workload.items_kept,
        backed_up_bytes=table_bytes(design, entity_name, record) * workload.items_kept,
    )
