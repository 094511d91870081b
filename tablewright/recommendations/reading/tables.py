"""Usage of a table: its description, and its metrics by the hour."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from tablewright.recommendations.reading.metrics import HOUR, Metric, Period, Points
from tablewright.recommendations.reading.resources import TableName
from tablewright.recommendations.usage import (
    STANDARD,
    IndexUsage,
    ShardUsage,
    Size,
    StageUsage,
    TableUsage,
    Units,
)
from tablewright.runtime.aws import Caller

# CloudWatch keeps points of five minutes for 63 days.
_FINE = 300
_NAMESPACE = "AWS/DynamoDB"
_READ, _WRITE = "Read", "Write"
# As many sizes are remembered, of a day each.
_MOST_SIZES = 60


class _Part(NamedTuple):
    """The metrics of one kind of units, of a table or an index."""

    dimensions: tuple[tuple[str, str], ...]
    kind: str
    provisioned: bool

    @property
    def consumed(self) -> Metric:
        return self._metric(f"Consumed{self.kind}CapacityUnits", period=_FINE)

    @property
    def capacity(self) -> Metric:
        return self._metric(f"Provisioned{self.kind}CapacityUnits", statistic="Maximum")

    @property
    def throttled(self) -> Metric:
        return self._metric(f"{self.kind}ThrottleEvents")

    def metrics(self) -> list[Metric]:
        return [self.consumed, self.throttled, *([self.capacity] if self.provisioned else [])]

    def _metric(self, name: str, *, statistic: str = "Sum", period: int = HOUR) -> Metric:
        return Metric(_NAMESPACE, name, self.dimensions, statistic, period)


@dataclass(frozen=True)
class DescribedTable:
    """A table as DynamoDB describes it, and the metrics that its usage needs."""

    watched: TableName
    described: dict[str, Any]
    expires: bool

    @classmethod
    def read(cls, dynamodb: Caller, watched: TableName) -> "DescribedTable":
        name = {"TableName": watched.name}
        expiry = dynamodb.call("DescribeTimeToLive", name)["TimeToLiveDescription"]
        return cls(
            watched,
            dynamodb.call("DescribeTable", name)["Table"],
            expiry["TimeToLiveStatus"] == "ENABLED",
        )

    def metrics(self) -> Iterator[Metric]:
        """What is asked of CloudWatch."""
        for index in (None, *self._indexes):
            for kind in (_READ, _WRITE):
                yield from self._part(index, kind).metrics()
        yield self._expired
        if self.watched.shards:
            yield self._queries

    def usage(self, points: dict[Metric, Points], period: Period) -> TableUsage:
        """The table's usage, from the hour on in which it was there from the beginning."""
        since = _whole_hours(self.described["CreationDateTime"], period)
        return TableUsage(
            name=self.watched.name,
            setting_name=self.watched.setting_name,
            reads=self._units(None, _READ, points, period, since),
            writes=self._units(None, _WRITE, points, period, since),
            stored_bytes=self._own_bytes,
            items=self.described.get("ItemCount", 0),
            indexes=tuple(
                IndexUsage(
                    name=name,
                    reads=self._units(name, _READ, points, period, since),
                    writes=self._units(name, _WRITE, points, period, since),
                    stored_bytes=index.get("IndexSizeBytes", 0),
                    items=index.get("ItemCount", 0),
                    projection=index.get("Projection", {}).get("ProjectionType", ""),
                )
                for name, index in self._indexes.items()
            ),
            table_class=self.described.get("TableClassSummary", {}).get("TableClass", STANDARD),
            replicated=bool(self.described.get("Replicas")),
            expires=self.expires,
            expired_items=int(sum(points[self._expired].values())),
            shards=self._shards(points),
        )

    @property
    def _indexes(self) -> dict[str, dict[str, Any]]:
        found = self.described.get("GlobalSecondaryIndexes") or ()
        return {index["IndexName"]: index for index in found}

    @property
    def _own_bytes(self) -> int:
        local = self.described.get("LocalSecondaryIndexes") or ()
        return sum(
            (int(index.get("IndexSizeBytes", 0)) for index in local),
            int(self.described.get("TableSizeBytes", 0)),
        )

    @property
    def _provisioned(self) -> bool:
        mode = self.described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
        return bool(mode == "PROVISIONED")

    @property
    def _table(self) -> tuple[str, str]:
        return ("TableName", self.watched.name)

    @property
    def _expired(self) -> Metric:
        return Metric(_NAMESPACE, "TimeToLiveDeletedItemCount", (self._table,))

    @property
    def _queries(self) -> Metric:
        dimensions = (self._table, ("Operation", "Query"))
        return Metric(_NAMESPACE, "SuccessfulRequestLatency", dimensions, "SampleCount")

    def _shards(self, points: dict[Metric, Points]) -> ShardUsage | None:
        if not self.watched.shards:
            return None
        return ShardUsage(
            setting=self.watched.shards_setting or "",
            count=self.watched.shards,
            queries=int(sum(points[self._queries].values())),
        )

    def _part(self, index: str | None, kind: str) -> _Part:
        of = (("GlobalSecondaryIndexName", index),) if index else ()
        return _Part((self._table, *of), kind, self._provisioned)

    def _units(
        self,
        index: str | None,
        kind: str,
        points: dict[Metric, Points],
        period: Period,
        since: int,
    ) -> Units:
        part = self._part(index, kind)
        fine, hours = points[part.consumed], range(since, period.hours)
        each = HOUR // _FINE
        groups = [[fine.get(hour * each + at, Decimal()) for at in range(each)] for hour in hours]
        return Units(
            consumed=tuple(sum(group, Decimal()) for group in groups),
            peak=tuple(max(group) / _FINE for group in groups),
            provisioned=_filled(points[part.capacity], hours) if self._provisioned else (),
            throttled=int(sum(points[part.throttled].values())),
        )


def with_sizes(table: TableUsage, before: StageUsage, day: str) -> TableUsage:
    """The table of a day, with the sizes that it had when usage was read before."""
    for earlier in before.tables:
        if earlier.name == table.name:
            size = Size(day=before.ended, stored_bytes=earlier.stored_in_all)
            # What was read twice in a day is remembered once.
            known = earlier.sizes if before.ended == day else (*earlier.sizes, size)
            return replace(table, sizes=known[-_MOST_SIZES:])
    return table


def _whole_hours(created: datetime | float, period: Period) -> int:
    """The first hour, by its number, that began when the table was there."""
    if not isinstance(created, datetime):
        # As the fast path gives it: what DynamoDB sends.
        created = datetime.fromtimestamp(created, UTC)
    if created <= period.start:
        return 0
    return min(-((period.start - created) // timedelta(hours=1)), period.hours)


def _filled(points: Points, hours: range) -> tuple[int, ...]:
    """Capacity of each hour; where CloudWatch has none it was as before, or as at first."""
    first = next((points[hour] for hour in hours if hour in points), Decimal())
    found: list[int] = []
    for hour in hours:
        first = points.get(hour, first)
        found.append(int(first))
    return tuple(found)
