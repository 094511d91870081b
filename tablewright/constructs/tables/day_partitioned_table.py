"""Day-partitioned table: laid out by day as a dashboard asks, and kept for a while."""

from collections.abc import Iterator

from tablewright.constructs.tables.table import DesignTable
from tablewright.model import Design
from tablewright.model.fields.time import DateTextField, HourTextField, TimestampTextField


class DayPartitionedTable(DesignTable):
    """A table whose partitions are of a day or a shorter time, and whose items all expire.

    No partition grows for ever, and what is old costs nothing to remove.

    Example::

        dashboard = DayPartitionedTable(self, "Dashboard", design=Dashboard)
        dashboard.grant(function, Dashboard.recent_items)
    """

    def lacks(self, design: Design) -> Iterator[str]:
        for entity in design.entity_list:
            fields = (entity.by_name.get(name) for name in entity.key.partition_fields)
            if not any(
                isinstance(field, DateTextField | HourTextField | TimestampTextField)
                for field in fields
            ):
                yield f"the partition key of {entity.name} has no day, hour or time in it"
            if design.ttl is None or entity.expires is None:
                yield f"{entity.name} never expires"
