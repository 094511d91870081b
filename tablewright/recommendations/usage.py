"""Usage of a stage: what its tables, logs, alarms and accelerators did, hour by hour."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tablewright.model.errors import TablewrightError

HOURS_PER_DAY = 24
KEYS_ONLY = "KEYS_ONLY"
STANDARD, INFREQUENT_ACCESS = "STANDARD", "STANDARD_INFREQUENT_ACCESS"


class InvalidUsage(TablewrightError, ValueError):
    """Usage that contradicts itself, or a file that does not have the form of one."""


@dataclass(frozen=True, kw_only=True)
class Units:
    """Capacity units of one kind, of a table or an index.

    `consumed` are those of each hour; `peak` is what the busiest five minutes of the hour took a
    second, and `provisioned` what could be taken a second: empty while a table is on demand.
    """

    consumed: tuple[Decimal, ...]
    peak: tuple[Decimal, ...]
    provisioned: tuple[int, ...] = ()
    # Requests that were turned away.
    throttled: int = 0

    def __post_init__(self) -> None:
        lengths = {len(self.consumed), len(self.peak), len(self.provisioned or self.consumed)}
        if len(lengths) > 1:
            raise InvalidUsage("consumed, peak and provisioned units are of as many hours each")
        counts = (*self.provisioned, self.throttled)
        if any(one < 0 for one in counts) or any(one < 0 for one in self.consumed + self.peak):
            raise InvalidUsage("units are not negative")

    @property
    def total(self) -> Decimal:
        """What was consumed in all."""
        return sum(self.consumed, Decimal())


@dataclass(frozen=True, kw_only=True)
class IndexUsage:
    """A global secondary index; its `projection` is ALL, INCLUDE or KEYS_ONLY."""

    name: str
    reads: Units
    writes: Units
    stored_bytes: int
    items: int = 0
    projection: str = ""

    def __post_init__(self) -> None:
        if self.projection not in ("", "ALL", "INCLUDE", KEYS_ONLY):
            raise InvalidUsage(f"{self.projection} is no projection")


@dataclass(frozen=True, kw_only=True)
class Size:
    """What a table and its indexes stored on a day, written as `2026-01-31`."""

    day: str
    stored_bytes: int


@dataclass(frozen=True, kw_only=True)
class ShardUsage:
    """Shards that items are spread over, and the setting that says how many.

    `queries` are the requests that listed them, one for each shard of a list. `busiest` is the
    share of the busiest shard, where that is known: without it all are taken to be as busy.
    """

    setting: str
    count: int
    queries: int = 0
    busiest: Decimal | None = None

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidUsage("there is at least one shard")
        if self.busiest is not None and not Decimal(1) / self.count <= self.busiest <= 1:
            raise InvalidUsage("the busiest of some shards has its even share at least")


@dataclass(frozen=True, kw_only=True)
class TableUsage:
    """A table; `setting_name` is what settings of the stage call it by, such as its system."""

    name: str
    setting_name: str
    reads: Units
    writes: Units
    stored_bytes: int
    items: int = 0
    indexes: tuple[IndexUsage, ...] = ()
    table_class: str = STANDARD
    # Whether it has replicas in other regions.
    replicated: bool = False
    # Whether items expire, and how many did.
    expires: bool = False
    expired_items: int = 0
    # Of earlier days, the oldest first.
    sizes: tuple[Size, ...] = ()
    shards: ShardUsage | None = None

    def __post_init__(self) -> None:
        if self.table_class not in (STANDARD, INFREQUENT_ACCESS):
            raise InvalidUsage(f"{self.table_class} is no class of tables")
        units = [one for part in self.parts for one in (part.reads, part.writes)]
        if len({(len(one.consumed), bool(one.provisioned)) for one in units}) > 1:
            raise InvalidUsage(f"{self.name} and its indexes have other hours or another mode")

    @property
    def parts(self) -> "tuple[TableUsage | IndexUsage, ...]":
        """The table itself and its indexes: each has units of its own."""
        return (self, *self.indexes)

    @property
    def hours(self) -> int:
        """How many hours are known."""
        return len(self.reads.consumed)

    @property
    def days(self) -> int:
        """How many whole days are known."""
        return self.hours // HOURS_PER_DAY

    @property
    def provisioned(self) -> bool:
        """Whether units are paid by the hour; by request otherwise."""
        return bool(self.writes.provisioned)

    @property
    def stored_in_all(self) -> int:
        """Bytes of the table and its indexes."""
        return sum(part.stored_bytes for part in self.parts)

    @property
    def throttled(self) -> int:
        """Requests of the table and its indexes that were turned away."""
        return sum(one.throttled for part in self.parts for one in (part.reads, part.writes))


@dataclass(frozen=True, kw_only=True)
class AcceleratorUsage:
    """A DAX cluster before a table, or one that could stand there.

    Hits are reads that it answered, misses those that it asked the table; of each hour, and empty
    while it is not running. `endpoints` are the interfaces of its network, one for each zone.
    """

    table: str
    running: bool
    node_type: str
    nodes: int
    endpoints: int = 0
    hits: tuple[int, ...] = ()
    misses: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LogGroupUsage:
    """A log group; `retention_days` is None where logs are kept for good."""

    name: str
    stored_bytes: int
    ingested_bytes: int
    retention_days: int | None


@dataclass(frozen=True, kw_only=True)
class AlarmUsage:
    """An alarm: its metrics, how often it rang, and whether what it watches was used at all."""

    name: str
    metrics: int
    rang: int
    watches_something: bool


@dataclass(frozen=True, kw_only=True)
class StageUsage:
    """A stage in the hours that ended on a day, written as `2026-01-31`."""

    stage: str
    region: str
    ended: str
    hours: int
    tables: tuple[TableUsage, ...] = ()
    accelerators: tuple[AcceleratorUsage, ...] = ()
    logs: tuple[LogGroupUsage, ...] = ()
    alarms: tuple[AlarmUsage, ...] = ()

    def __post_init__(self) -> None:
        names = [table.name for table in self.tables]
        if len(set(names)) < len(names):
            raise InvalidUsage("a table is there twice")
        for cluster in self.accelerators:
            self._check(cluster)
        if any(table.hours > self.hours for table in self.tables):
            raise InvalidUsage("a table has more hours than the stage")

    def _check(self, cluster: AcceleratorUsage) -> None:
        (table, *_) = (*(one for one in self.tables if one.name == cluster.table), None)
        if table is None:
            raise InvalidUsage(f"an accelerator is before {cluster.table}, which is not there")
        hours = table.hours if cluster.running else 0
        if {len(cluster.hits), len(cluster.misses)} != {hours}:
            raise InvalidUsage("hits and misses are of the hours of the accelerator's table")

    @property
    def days(self) -> int:
        """How many whole days are known."""
        return self.hours // HOURS_PER_DAY

    def unused_indexes(self) -> Iterator[tuple[TableUsage, IndexUsage]]:
        """Indexes that nobody read."""
        for table in self.tables:
            yield from ((table, index) for index in table.indexes if not index.reads.total)
