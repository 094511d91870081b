"""The read table: laid out by day as a dashboard asks, and kept for a week."""

from typing import ClassVar

from tablewright.catalog.sentiment.dashboard import DASHBOARD
from tablewright.constructs.tables.table import StagedTable


class DayPartitionedTable(StagedTable):
    """Analysed items by day, sentiment and tag, with counts by hour; made of another's stream.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        dashboard = DayPartitionedTable(self, "Dashboard", stage="dev")
        dashboard.grant(function, DASHBOARD.recent_items)
    """

    DESIGN = DASHBOARD
    TAGS: ClassVar[dict[str, str]] = {"TableType": "read-optimized-dashboard"}
