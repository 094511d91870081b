"""Tables of the sentiment system, ready for any CDK app."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import items_table
from tablewright.constructs.tables.day_partitioned_table import DayPartitionedTable
from tablewright.constructs.tables.table import TableOptions
from tablewright.constructs.tables.write_table import WriteTable


class SentimentItemsTable(WriteTable):
    """Items from news and social media, each source once.

    With `days` items expire so long after they were taken in; tell the functions the number.

    Example::

        items = SentimentItemsTable(self, "Items", replicas=["us-west-2"])
        items.grant(function, Items.claim_source, Items.put_item)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        days: int | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        super().__init__(scope, id, design=items_table(days=days), **options)
        self.days = days


class SentimentDashboardTable(DayPartitionedTable):
    """Analysed items of a week by day, sentiment and tag, with counts by hour.

    Example::

        dashboard = SentimentDashboardTable(self, "Dashboard")
        dashboard.grant(function, Dashboard.recent_items)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=Dashboard, **options)
